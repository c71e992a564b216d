"""How much memory fetching may take: all of it together ``fetch.buffer.bytes``.

- Records that wait to be handed over count with what their columns take.
- A fetch that is on its way or being decoded counts with what was set aside for it: the frame that the node may send,
  and the columns that will be made of it, for they are there together until all of it is decoded.
- How much columns take for each byte of a frame is learned from the answers: compressed records grow, and small ones
  have more beside them than in them. An answer that grows more than was expected is decoded as far as there is room
  set aside; the rest of it is asked for again.
- A node's part is an equal one of the nodes that are read from, and of that a fetch takes half, so that the next one
  can be on its way while it is decoded. No node waits for the long poll of another one.
- No answer is asked to be larger than 24 MiB: it would not come faster, and take memory that is kept for the next.
- Nothing is asked for while less than a quarter of that is free: many small answers cost more than few large ones.
- Records of paused partitions stay, unless they alone leave no room for the others: then they are fetched again later.

A node sends its first batch whole however little was asked for (KIP-74), and a partition whose decoding was begun is
decoded to its end. So each fetch may exceed what was set aside for it: by one batch, and by the columns of one
partition (of as many as are decoded side by side). That is known only once it is decoded, and until there is room again
nothing more is asked for; but what was asked for before may exceed its part as well. Of a node these are two fetches,
the one whose answer is decoded and the next one, and what was fetched out of session meanwhile.
"""

from __future__ import annotations

from attrs import define

__all__ = ["MOST_ANSWER_BYTES", "FetchBudget"]

MOST_ANSWER_BYTES = 24 * 1024 * 1024

#: How fast the growth that was expected gives way to less.
_FORGETTING = 1 / 8


@define
class FetchBudget:
    """The whole, and how many bytes of columns one byte of a frame became in recent answers."""

    buffer_bytes: int
    growth: float = 1.25  # until something came

    def note(self, fetched_bytes: int, columns_bytes: int) -> None:
        """Learn from an answer."""
        if fetched_bytes > 0:
            latest = columns_bytes / fetched_bytes
            self.growth = max(latest, self.growth + (latest - self.growth) * _FORGETTING)

    def for_fetch(self, free_bytes: int, nodes: int) -> int:
        """How many bytes of an answer may be asked for, of one of so many nodes; 0 while it is better to wait."""
        return self.for_fetch_at_once(free_bytes, nodes) if self.is_enough(free_bytes, nodes) else 0

    def for_fetch_at_once(self, free_bytes: int, nodes: int) -> int:
        """The same, where there is room enough."""
        part_bytes = self.buffer_bytes // (2 * nodes)
        return min(int(min(part_bytes, free_bytes) / (1 + self.growth)), MOST_ANSWER_BYTES)

    def is_enough(self, free_bytes: int, nodes: int) -> bool:
        """Whether with so much room one of so many nodes may be asked for something."""
        return free_bytes >= self.least_for(nodes)

    def least_for(self, nodes: int) -> int:
        """How much room there has to be for one of so many nodes to be asked for something."""
        return -(-(self.buffer_bytes // (2 * nodes)) // 4)

    def taken_by(self, answer_bytes: int) -> int:
        """What has to be set aside for an answer of so many bytes."""
        return int(answer_bytes * (1 + self.growth))

"""How much memory fetching may take: all of it together ``fetch.buffer.bytes``.

- Records that wait to be handed over count with the size of their columns.
- A fetch that is on its way or being decoded counts with what was set aside for it: the frame that the node may send,
  and the columns that will be made of it, since both are in memory until all of it is decoded.
- How many bytes of columns a byte of a frame becomes is learned from the answers: compressed records grow, and so do
  small ones. An answer that grows more than expected is decoded as far as there is room set aside; the rest of it is
  asked for again.
- The nodes that are read from have equal shares. A fetch takes half of a node's share, so that the next fetch can be on
  its way while the answer is decoded. No node waits for the long poll of another one.
- At most 24 MiB are asked for: larger answers are not faster, and take memory that the next one could use.
- Nothing is asked for while less than a quarter of that is free: many small answers cost more than few large ones.
- Records of paused partitions stay, unless they alone leave no room for the others: then they are fetched again later.

A node sends its first batch whole however little was asked for (KIP-74), and a partition is decoded to its end once its
decoding has begun. So each fetch may exceed what was set aside for it: by one batch, and by the columns of as many
partitions as are decoded at once. That is known only once it is decoded. Nothing more is asked for until there is room
again, but what was asked for before may exceed its share as well: of each node two fetches, the one whose answer is
decoded and the next one, and what was fetched out of session meanwhile.
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
        """How many bytes may be asked for, from one of ``nodes``; 0 while it is better to wait."""
        if free_bytes < self.least_for(nodes):
            return 0
        part_bytes = self.buffer_bytes // (2 * nodes)
        return min(int(min(part_bytes, free_bytes) / (1 + self.growth)), MOST_ANSWER_BYTES)

    def least_for(self, nodes: int) -> int:
        """How many bytes have to be free before one of ``nodes`` is asked for anything."""
        return -(-(self.buffer_bytes // (2 * nodes)) // 4)

    def taken_by(self, answer_bytes: int) -> int:
        """How many bytes have to be set aside for an answer of ``answer_bytes``."""
        return int(answer_bytes * (1 + self.growth))

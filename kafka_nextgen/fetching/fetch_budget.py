"""The memory limit of fetching: ``fetch.buffer.bytes`` in total.

- Buffered records count with the size of their columns.
- A fetch in flight or being decoded counts with the memory reserved for it: the frame that the node may send plus its
  columns, since both are in memory until decoding ends.
- The ratio of column bytes to frame bytes is estimated from earlier answers: compressed records grow, and so do small
  ones. An answer that grows more than expected is decoded up to the reserved size; the rest is fetched again.
- All nodes have equal shares. A fetch uses half of its node's share, so that the next fetch can be in flight while the
  answer is decoded. No node waits for another node's long poll.
- A fetch requests at most 24 MiB: larger answers are not faster, and use memory that the next one could use.
- Nothing is requested while less than a quarter of a fetch's part is free: many small answers cost more than few large
  ones.
- Records of paused partitions stay buffered. Only if they alone leave no room for other partitions are they dropped and
  fetched again later.

A node sends its first batch whole under any limit (KIP-74), and a partition whose decoding has started is decoded to
its end. So each fetch may exceed its reserved memory by one batch, and by the columns of all partitions decoded in
parallel. The excess is known only after decoding. Then no more requests are sent until there is room again, but earlier
requests may also exceed their share: two fetches per node (the one being decoded and the next one), and any
out-of-session fetches.
"""

from __future__ import annotations

from attrs import define

__all__ = ["MOST_ANSWER_BYTES", "FetchBudget"]

MOST_ANSWER_BYTES = 24 * 1024 * 1024

#: How fast the growth estimate falls after answers that grow less.
_FORGETTING = 1 / 8


@define
class FetchBudget:
    """The total budget, and the recent ratio of column bytes to frame bytes (``growth``)."""

    buffer_bytes: int
    growth: float = 1.25  # until the first answer

    def note(self, fetched_bytes: int, columns_bytes: int) -> None:
        """Update the growth estimate from an answer."""
        if fetched_bytes > 0:
            latest = columns_bytes / fetched_bytes
            self.growth = max(latest, self.growth + (latest - self.growth) * _FORGETTING)

    def for_fetch(self, free_bytes: int, nodes: int) -> int:
        """How many bytes to request from one of ``nodes`` nodes; 0 if it is better to wait."""
        if free_bytes < self.least_for(nodes):
            return 0
        part_bytes = self.buffer_bytes // (2 * nodes)
        return min(int(min(part_bytes, free_bytes) / (1 + self.growth)), MOST_ANSWER_BYTES)

    def least_for(self, nodes: int) -> int:
        """How many bytes must be free before one of ``nodes`` nodes is sent a fetch."""
        return -(-(self.buffer_bytes // (2 * nodes)) // 4)

    def taken_by(self, answer_bytes: int) -> int:
        """How many bytes to reserve for an answer of ``answer_bytes``."""
        return int(answer_bytes * (1 + self.growth))

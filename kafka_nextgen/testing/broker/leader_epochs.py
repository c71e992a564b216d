"""The start offset of each leader epoch in a log (KIP-101), by which readers detect truncation (KIP-320)."""

from __future__ import annotations

from bisect import bisect_right

from attrs import field

from kafka_nextgen.lazy_attrs import define

__all__ = ["LeaderEpochs"]


@define
class LeaderEpochs:
    """The epochs of one log's batches, in order, and the first offset of each."""

    _epochs: list[int] = field(factory=list)
    _starts: list[int] = field(factory=list)

    def note(self, epoch: int, offset: int) -> None:
        """Record the epoch of a batch that was appended at ``offset``."""
        if not self._epochs or epoch > self._epochs[-1]:
            self._epochs.append(epoch)
            self._starts.append(offset)

    def end_of(self, epoch: int, leader_epoch: int, end_offset: int) -> tuple[int, int] | None:
        """The largest epoch in the log up to ``epoch``, and the offset after it; None if ``epoch`` is unknown.

        ``leader_epoch`` is the current one, which ends at the end of the log. An epoch that is older than all in the
        log ends where the oldest of them begins.
        """
        if epoch == leader_epoch:
            return epoch, end_offset
        if epoch > leader_epoch or epoch < 0:
            return None
        above = bisect_right(self._epochs, epoch)
        found = self._epochs[above - 1] if above else epoch
        return found, self._starts[above] if above < len(self._starts) else end_offset

    def forget_before(self, offset: int) -> None:
        """Make the log begin at ``offset``: remove the epochs that end before it, and start the first one there."""
        count = max(bisect_right(self._starts, offset) - 1, 0)
        del self._epochs[:count], self._starts[:count]
        if self._starts:
            self._starts[0] = max(self._starts[0], offset)

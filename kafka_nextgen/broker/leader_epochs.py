"""Where in a log each leader began (KIP-101): how a reader finds out that what it read is no longer there (KIP-320)."""

from __future__ import annotations

from bisect import bisect_right

from attrs import define, field

__all__ = ["LeaderEpochs"]


@define
class LeaderEpochs:
    """The epochs of one log's batches, in order, and the first offset of each."""

    _epochs: list[int] = field(factory=list)
    _starts: list[int] = field(factory=list)

    def note(self, epoch: int, offset: int) -> None:
        """Note the epoch of a batch that was appended at ``offset``."""
        if not self._epochs or epoch > self._epochs[-1]:
            self._epochs.append(epoch)
            self._starts.append(offset)

    def end_of(self, epoch: int, leader_epoch: int, end_offset: int) -> tuple[int, int] | None:
        """The largest epoch not above ``epoch`` that the log has, and the offset after it; None if it can't be told.

        ``leader_epoch`` is the leader's now, at whose end the log ends. Of an epoch older than all there are it is
        told where they begin.
        """
        if epoch == leader_epoch:
            return epoch, end_offset
        if epoch > leader_epoch or epoch < 0:
            return None
        above = bisect_right(self._epochs, epoch)
        found = self._epochs[above - 1] if above else epoch
        return found, self._starts[above] if above < len(self._starts) else end_offset

    def forget_before(self, offset: int) -> None:
        """The log begins at ``offset`` now: epochs that end before it are gone, and the first left begins there."""
        count = max(bisect_right(self._starts, offset) - 1, 0)
        del self._epochs[:count], self._starts[:count]
        if self._starts:
            self._starts[0] = max(self._starts[0], offset)

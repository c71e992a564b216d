"""The progress on each partition, and the offsets that can be committed.

Records are handed out in their order in the partition, and finish in any order. The committable offset is the end of
the contiguous prefix of finished records, that is, just before the first unfinished one. A record that failed
permanently stays unfinished, so no offset after it is committed. Offsets may have gaps (compaction, transaction
markers), so this depends on the order in which records were handed out, not on offsets being consecutive.

The state of a partition covers one uninterrupted period of ownership, in which offsets only increase. ``forget`` ends
it and invalidates its tickets.

The window consists of the records handed out that are not yet in the prefix. It bounds the memory: callers check
``window`` before they hand out more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from enum import Enum

from attrs import field

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["Progress", "Stage", "Ticket"]


class Stage(Enum):
    """The stage of one record."""

    WAITING = "waiting"  # handed out, not started
    BEGUN = "begun"
    FINISHED = "finished"
    GIVEN_BACK = "given back"  # must no longer be started


@define(eq=False)
class Ticket:
    """One record that was handed out."""

    partition: TopicPartition
    offset: int
    leader_epoch: int = -1
    stage: Stage = Stage.WAITING


@define(eq=False)
class _PartitionProgress:
    last_handed_out: int = -1
    window: deque[Ticket] = field(factory=deque)
    given_back_from: int | None = None
    finished: OffsetAndMetadata | None = None

    def advance(self) -> None:
        """Extend the prefix over finished records."""
        while self.window and self.window[0].stage is Stage.FINISHED:
            ticket = self.window[0]
            self.finished = OffsetAndMetadata(ticket.offset + 1, ticket.leader_epoch)
            self.window.popleft()  # last, because a signal handler may raise anywhere

    def hand_out(self, ticket: Ticket) -> None:
        """Append a record to the window, unless an earlier one was given back."""
        self.last_handed_out = ticket.offset
        if self.given_back_from is None:
            self.window.append(ticket)
        else:
            ticket.stage = Stage.GIVEN_BACK

    def give_back(self, from_index: int) -> None:
        """Give back the records from this index of the window onwards."""
        while len(self.window) > from_index:
            ticket = self.window[-1]
            ticket.stage = Stage.GIVEN_BACK
            self.given_back_from = ticket.offset
            self.window.pop()  # last: a record whose ticket is in neither place would be lost


class Progress:
    """The progress of every partition with records handed out."""

    def __init__(self) -> None:
        self._partitions: dict[TopicPartition, _PartitionProgress] = {}

    # ---- records

    def hand_out(self, partition: TopicPartition, offset: int, leader_epoch: int = -1) -> Ticket:
        """Hand out a record. It is given back immediately if an earlier one was given back."""
        assert not self.goes_back(partition, offset), f"{partition}: offset {offset} was handed out before"
        known = self._partitions.setdefault(partition, _PartitionProgress())
        ticket = Ticket(partition, offset, leader_epoch)
        known.hand_out(ticket)
        return ticket

    def goes_back(self, partition: TopicPartition, offset: int) -> bool:
        """Whether a record precedes one that was handed out; if so, the partition has to be forgotten first."""
        known = self._partitions.get(partition)
        return known is not None and offset <= known.last_handed_out

    def begin(self, ticket: Ticket) -> None:
        """Start the record, possibly not for the first time."""
        assert ticket.stage in (Stage.WAITING, Stage.BEGUN), f"{ticket} can't be started"
        ticket.stage = Stage.BEGUN

    def finish(self, ticket: Ticket) -> None:
        """Finish the record: it succeeded, or ``dead_letter`` accepted it."""
        assert ticket.stage is not Stage.WAITING, f"{ticket} finished before it was started"
        if ticket.stage is Stage.GIVEN_BACK:
            return  # the partition has been forgotten
        ticket.stage = Stage.FINISHED
        known = self._partitions.get(ticket.partition)
        if known is not None:
            known.advance()

    # ---- giving up partitions

    def give_back(self, partitions: Iterable[TopicPartition]) -> None:
        """Give back the records after the last one that has started.

        Earlier records stay, because the started one can be committed only once they are finished.
        """
        for known in self._known(partitions):
            begun = (index for index, ticket in enumerate(known.window) if ticket.stage is not Stage.WAITING)
            known.give_back(max(begun, default=-1) + 1)

    def forget(self, partitions: Iterable[TopicPartition]) -> None:
        """Drop partitions that this member no longer owns; records that finish later are ignored."""
        for partition in partitions:
            known = self._partitions.pop(partition, None)
            if known is not None:
                known.give_back(0)

    # ---- queries

    @property
    def partitions(self) -> Collection[TopicPartition]:
        """The partitions with progress."""
        return self._partitions.keys()

    def window(self, partition: TopicPartition) -> int:
        """The number of records handed out and not yet in the prefix."""
        known = self._partitions.get(partition)
        return 0 if known is None else len(known.window)

    def next_open(self, partition: TopicPartition) -> int | None:
        """The offset of the first unfinished record, where the next reader starts; None if all are finished."""
        known = self._partitions.get(partition)
        if known is None:
            return None
        return known.window[0].offset if known.window else known.given_back_from

    def committable(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, OffsetAndMetadata]:
        """The committable offset of each of these partitions that has one."""
        found = {tp: self._partitions[tp].finished for tp in partitions if tp in self._partitions}
        return {tp: finished for tp, finished in found.items() if finished is not None}

    def _known(self, partitions: Iterable[TopicPartition]) -> list[_PartitionProgress]:
        return [self._partitions[tp] for tp in partitions if tp in self._partitions]

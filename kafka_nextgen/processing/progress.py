"""How far the work on each partition has come, and so what may be committed.

Records are handed out in a partition's order and end in any order. What may be committed is the end of the
contiguous prefix: behind the last record before which nothing is open. A record that failed for good stays open, so
nothing behind it is ever committed. Offsets may have gaps (compaction, transaction markers), so what counts is the
order in which records were handed out, not the numbers.

Everything is about the time a partition is owned without a break, in which offsets only grow; ``forget`` ends it,
and a ticket from before means nothing any more.

Memory is bounded by the window, which is what was handed out and is not yet behind the prefix: whoever hands out
looks at ``window`` first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from enum import Enum

from attrs import define, field

from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["Progress", "Stage", "Ticket"]


class Stage(Enum):
    """How far one record has come."""

    WAITING = "waiting"  # handed out, but nobody has begun with it
    BEGUN = "begun"
    FINISHED = "finished"
    GIVEN_BACK = "given back"  # nobody is to begin with it any more


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
    acknowledged: OffsetAndMetadata | None = None

    def advance(self) -> None:
        """Move the prefix over what has ended."""
        while self.window and self.window[0].stage is Stage.FINISHED:
            ticket = self.window[0]
            self.finished = OffsetAndMetadata(ticket.offset + 1, ticket.leader_epoch)
            self.window.popleft()  # last: a signal handler may raise anywhere

    def hand_out(self, ticket: Ticket) -> None:
        """Put a record at the end of the window, unless one before it was given back."""
        self.last_handed_out = ticket.offset
        if self.given_back_from is None:
            self.window.append(ticket)
        else:
            ticket.stage = Stage.GIVEN_BACK

    def give_back(self, from_index: int) -> None:
        """Take back what waits from this place in the window on."""
        while len(self.window) > from_index:
            ticket = self.window[-1]
            ticket.stage = Stage.GIVEN_BACK
            self.given_back_from = ticket.offset
            self.window.pop()  # last, as above: a ticket in no place would be a record left out


class Progress:
    """The progress of every partition that records were handed out of."""

    def __init__(self) -> None:
        self._partitions: dict[TopicPartition, _PartitionProgress] = {}

    # ---- records

    def hand_out(self, partition: TopicPartition, offset: int, leader_epoch: int = -1) -> Ticket:
        """Note that a record is handed out; it is given back at once if one before it was."""
        assert not self.goes_back(partition, offset), f"{partition}: offset {offset} was handed out before"
        known = self._partitions.setdefault(partition, _PartitionProgress())
        ticket = Ticket(partition, offset, leader_epoch)
        known.hand_out(ticket)
        return ticket

    def goes_back(self, partition: TopicPartition, offset: int) -> bool:
        """Whether a record lies before one that was handed out: the partition has to be forgotten first."""
        known = self._partitions.get(partition)
        return known is not None and offset <= known.last_handed_out

    def begin(self, ticket: Ticket) -> None:
        """Somebody begins with the record, perhaps again."""
        assert ticket.stage in (Stage.WAITING, Stage.BEGUN), f"{ticket} can't be begun"
        ticket.stage = Stage.BEGUN

    def finish(self, ticket: Ticket) -> None:
        """The record is done with, whether it succeeded or its failure was taken care of."""
        assert ticket.stage is not Stage.WAITING, f"{ticket} ends before it began"
        if ticket.stage is Stage.GIVEN_BACK:
            return  # the partition was forgotten meanwhile
        ticket.stage = Stage.FINISHED
        known = self._partitions.get(ticket.partition)
        if known is not None:
            known.advance()

    # ---- giving partitions up

    def give_back(self, partitions: Iterable[TopicPartition]) -> None:
        """Take back what lies behind the last record that was begun with.

        What waits before it is kept, because it has to be finished for the later one to count.
        """
        for known in self._known(partitions):
            begun = (index for index, ticket in enumerate(known.window) if ticket.stage is not Stage.WAITING)
            known.give_back(max(begun, default=-1) + 1)

    def forget(self, partitions: Iterable[TopicPartition]) -> None:
        """These are somebody else's; whatever ends later changes nothing."""
        for partition in partitions:
            known = self._partitions.pop(partition, None)
            if known is not None:
                known.give_back(0)

    # ---- looking

    @property
    def partitions(self) -> Collection[TopicPartition]:
        """The partitions that something is known of."""
        return self._partitions.keys()

    def window(self, partition: TopicPartition) -> int:
        """How many records of the partition were handed out and are not behind the prefix."""
        known = self._partitions.get(partition)
        return 0 if known is None else len(known.window)

    def next_open(self, partition: TopicPartition) -> int | None:
        """Where whoever goes on has to begin: the first record handed out that has not ended; None if all have."""
        known = self._partitions.get(partition)
        if known is None:
            return None
        return known.window[0].offset if known.window else known.given_back_from

    def committable(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, OffsetAndMetadata]:
        """The end of the prefix of each of these in which something was finished."""
        found = {tp: self._partitions[tp].finished for tp in partitions if tp in self._partitions}
        return {tp: finished for tp, finished in found.items() if finished is not None}

    def news(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What is committable and not known to be committed."""
        return {
            tp: known.finished
            for tp, known in self._partitions.items()
            if known.finished is not None and known.finished != known.acknowledged
        }

    def acknowledge(self, offsets: dict[TopicPartition, OffsetAndMetadata]) -> None:
        """These offsets are committed."""
        for partition, offset in offsets.items():
            if partition in self._partitions:
                self._partitions[partition].acknowledged = offset

    def _known(self, partitions: Iterable[TopicPartition]) -> list[_PartitionProgress]:
        return [self._partitions[tp] for tp in partitions if tp in self._partitions]

"""The work as a machine: records go in, tasks come out, what became of them goes in, what to commit comes out.

It does no I/O and knows no thread; whoever uses it from several makes each call whole. It halts when somebody asks
for the end, or when a record failed for good: then nothing new is begun, except what has to be finished before
something that was begun already counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum

from kafka_nextgen.processing.dispatch import Dispatch, Task
from kafka_nextgen.processing.progress import Progress, Stage, Ticket
from kafka_nextgen.processing.settings import ProcessingSettings
from kafka_nextgen.types import OffsetAndMetadata, Record, TopicPartition

__all__ = ["Fate", "Work", "format_tickets"]


class Fate(Enum):
    """What becomes of a task that failed."""

    TRY_AGAIN = "tried again"
    DEAD_LETTER = "given up, handed to the dead letter callable"
    STOP = "given up, and nobody takes dead letters: the run ends"
    NO_MATTER = "its partition is not ours any more"


class Work:
    """Progress, lanes, retries and throttle of one ``run``."""

    def __init__(self, settings: ProcessingSettings, has_dead_letter: bool) -> None:
        self._settings = settings
        self._has_dead_letter = has_dead_letter
        self.progress = Progress()
        self._dispatch = Dispatch(settings.order, settings.concurrency)
        self.is_ending = False
        self.error: BaseException | None = None

    # ---- reading

    def add(self, records: Iterable[Record]) -> None:
        """Take records in, in each partition's order; once the end has begun, they are given back at once.

        A partition whose offsets go back (its log was truncated) is forgotten first.
        """
        for record in records:
            partition = TopicPartition(record.topic, record.partition)
            if self.progress.goes_back(partition, record.offset):
                self.forget([partition])
            ticket = self.progress.hand_out(partition, record.offset, record.leader_epoch)
            if ticket.stage is Stage.WAITING:
                self._dispatch.add(Task(record, ticket))
        if self.is_ending:
            self.give_back(list(self.progress.partitions))

    def to_pause(
        self, assignment: Collection[TopicPartition], paused: Collection[TopicPartition]
    ) -> frozenset[TopicPartition]:
        """The partitions nothing should be read of for now."""
        if self.is_ending:
            return frozenset(assignment)
        return self._settings.throttle.to_pause(self._windows(assignment), paused)

    def max_records(self, assignment: Collection[TopicPartition]) -> int:
        """How many records the next poll may bring."""
        return self._settings.throttle.max_records(self._windows(assignment))

    def _windows(self, assignment: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        return {partition: self.progress.window(partition) for partition in assignment}

    # ---- working

    def take(self, now: float) -> Task | None:
        """The next task to begin with, None if there is none for now."""
        task = None if self.error is not None else self._dispatch.take(now)
        if task is not None:
            self.progress.begin(task.ticket)
        return task

    def deadline(self) -> float | None:
        """When there will be a task because a pause before another attempt is over."""
        return None if self.error is not None else self._dispatch.deadline()

    def finished(self, task: Task) -> None:
        """The task succeeded, or its failure was taken care of."""
        self._dispatch.done(task)
        self.progress.finish(task.ticket)

    def failed(self, task: Task, error: Exception, now: float) -> Fate:
        """The task failed. A dead letter is still at work, until ``finished`` or ``failed_for_good``."""
        if task.ticket.stage is Stage.GIVEN_BACK:  # the next owner will find out for itself
            self._dispatch.done(task)
            return Fate.NO_MATTER
        task.failures += 1
        again = self._settings.retries.next_attempt(task.failures, error, now)
        if again is not None:
            self._dispatch.try_again(task, again)
            return Fate.TRY_AGAIN
        if self._has_dead_letter:
            return Fate.DEAD_LETTER
        self.failed_for_good(task, error)
        return Fate.STOP

    def failed_for_good(self, task: Task, error: BaseException) -> None:
        """Nothing can be done about the task: everything ends, with the first such error."""
        self._dispatch.done(task)
        self.error = self.error or error
        self.begin_to_end()

    def broke_off(self, task: Task | None, error: BaseException) -> None:
        """A worker ended by an error of its own, perhaps in the midst of telling what became of ``task``.

        Everything ends with the first such error. The record stays open if it was not finished, so nothing behind it is
        committed.
        """
        self.error = self.error or error
        if task is not None:
            self._dispatch.abandon(task)
        self.begin_to_end()

    # ---- giving up

    def begin_to_end(self) -> None:
        """Begin nothing new."""
        self.is_ending = True
        self.give_back(list(self.progress.partitions))

    def give_back(self, partitions: Collection[TopicPartition]) -> None:
        """Begin nothing new of these."""
        self.progress.give_back(partitions)
        self._dispatch.drop_given_back(partitions)

    def forget(self, partitions: Collection[TopicPartition]) -> None:
        """These partitions are not ours any more; what still runs for them changes nothing."""
        self.progress.forget(partitions)
        self._dispatch.drop_given_back(partitions)

    def is_drained(self, partitions: Collection[TopicPartition] | None = None) -> bool:
        """Whether the work on these partitions, or on all, has ended, after it was given back."""
        if self.at_work(partitions):
            return False
        chosen = self.progress.partitions if partitions is None else partitions
        return self.error is not None or not any(map(self.progress.window, chosen))

    def at_work(self, partitions: Collection[TopicPartition] | None = None) -> list[Ticket]:
        """What is being worked on and still counts, of these partitions or of all."""
        tickets = [task.ticket for task in self._dispatch.at_work(partitions)]
        return [ticket for ticket in tickets if ticket.stage is not Stage.GIVEN_BACK]

    @property
    def is_idle(self) -> bool:
        """Whether nobody works on anything, not even for a partition that was lost."""
        return not self._dispatch.at_work()

    def committable(
        self, partitions: Collection[TopicPartition] | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """What may be committed, of these partitions or of all."""
        return self.progress.committable(self.progress.partitions if partitions is None else partitions)

    def positions(self, polled: Iterable[Record] = ()) -> dict[TopicPartition, int]:
        """Where to go on reading so that nothing is missed, of partitions in which that is not just the next record.

        Of what was ``polled`` last, some may not have been added yet.
        """
        found = {partition: self.progress.next_open(partition) for partition in self.progress.partitions}
        positions = {partition: offset for partition, offset in found.items() if offset is not None}
        for record in polled:
            partition = TopicPartition(record.topic, record.partition)
            if not self.progress.goes_back(partition, record.offset):
                positions.setdefault(partition, record.offset)
        return positions


def format_tickets(tickets: Iterable[Ticket]) -> str:
    """Write records as ``orders[0] offset 17, orders[1] offset 4``; ``nothing begun`` if there are none."""
    return ", ".join(f"{ticket.partition} offset {ticket.offset}" for ticket in tickets) or "nothing begun"

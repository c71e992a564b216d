"""The state machine of ``run``: its inputs are records and outcomes, its outputs are tasks and the offsets to commit.

It does no I/O and is not thread-safe: callers on several threads hold a lock. When a stop is requested, or a record
failed permanently, no more tasks start, except for records that precede a started one, because its offset can be
committed only once they are finished.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum
from typing import TYPE_CHECKING

from kafka_nextgen.processing.lane_scheduler import LaneScheduler, Task
from kafka_nextgen.processing.progress import Progress, Stage, Ticket
from kafka_nextgen.types import OffsetAndMetadata, Record, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.processing.settings import ProcessingSettings

__all__ = ["FailureOutcome", "Work", "format_tickets"]


class FailureOutcome(Enum):
    """What happens to a failed task."""

    TRY_AGAIN = "tried again"
    DEAD_LETTER = "giving up, calling dead_letter"
    STOP = "giving up without a dead_letter callable: the run ends"
    IGNORED = "its partition is no longer assigned to this consumer"


class Work:
    """The progress, lanes, retries and throttle of one ``run``."""

    def __init__(self, settings: ProcessingSettings, has_dead_letter: bool) -> None:
        self._settings = settings
        self._has_dead_letter = has_dead_letter
        self.progress = Progress()
        self._scheduler = LaneScheduler(settings.order, settings.concurrency)
        self.is_ending = False
        self._ends_at: float | None = None
        self.error: BaseException | None = None

    # ---- reading

    def add(self, records: Iterable[Record[bytes, bytes]]) -> None:
        """Add records in the order of each partition. Once a stop was requested, they are given back immediately.

        A partition whose offsets decrease because its log was truncated is forgotten first.
        """
        for record in records:
            partition = TopicPartition(record.topic, record.partition)
            if self.progress.goes_back(partition, record.offset):
                self.forget([partition])
            ticket = self.progress.hand_out(partition, record.offset, record.leader_epoch)
            if ticket.stage is Stage.WAITING:
                self._scheduler.add(Task(record, ticket))
        if self.is_ending:
            self.give_back(list(self.progress.partitions))

    def to_pause(
        self, assignment: Collection[TopicPartition], paused: Collection[TopicPartition]
    ) -> frozenset[TopicPartition]:
        """The partitions that should be paused."""
        if self.is_ending:
            return frozenset(assignment)
        return self._settings.throttle.to_pause(self._windows(assignment), paused)

    def max_records(self, assignment: Collection[TopicPartition]) -> int:
        """Return the maximum number of records for the next poll."""
        return self._settings.throttle.max_records(self._windows(assignment))

    def _windows(self, assignment: Collection[TopicPartition]) -> dict[TopicPartition, int]:
        return {partition: self.progress.window(partition) for partition in assignment}

    # ---- executing tasks

    def take(self, now: float) -> Task | None:
        """Return the next task to start; None if none is ready."""
        task = None if self.error is not None else self._scheduler.take(now)
        if task is not None:
            self.progress.begin(task.ticket)
        return task

    def deadline(self) -> float | None:
        """When the next retry is due (seconds, monotonic); None if none is."""
        return None if self.error is not None else self._scheduler.deadline()

    def finished(self, task: Task) -> None:
        """Note that the task succeeded, or that ``dead_letter`` accepted its record."""
        self._scheduler.done(task)
        self.progress.finish(task.ticket)

    def failed(self, task: Task, error: Exception, now: float) -> FailureOutcome:
        """Note that the task failed. After ``DEAD_LETTER``, ``finished`` or ``failed_for_good`` must follow."""
        if task.ticket.stage is Stage.GIVEN_BACK:  # the next owner handles it
            self._scheduler.done(task)
            return FailureOutcome.IGNORED
        task.failures += 1
        again = self._settings.retries.next_attempt(task.failures, error, now)
        if again is not None:
            self._scheduler.try_again(task, again)
            return FailureOutcome.TRY_AGAIN
        if self._has_dead_letter:
            return FailureOutcome.DEAD_LETTER
        self.failed_for_good(task, error)
        return FailureOutcome.STOP

    def failed_for_good(self, task: Task, error: BaseException) -> None:
        """Note that the task failed permanently: the run ends with the first such error."""
        self._scheduler.done(task)
        self.error = self.error or error
        self.begin_to_end()

    def worker_failed(self, task: Task | None, error: BaseException) -> None:
        """Note that a worker itself failed, possibly while it reported the outcome of ``task``.

        The run ends with the first such error. An unfinished record stays unfinished, so no offset after it is
        committed.
        """
        self.error = self.error or error
        if task is not None:
            self._scheduler.abandon(task)
        self.begin_to_end()

    # ---- stopping and revocation

    def is_over(self, is_stopped: bool, now: float) -> bool:
        """Whether the run is over, after a stop or failure: its tasks have ended, or there is no time left."""
        if is_stopped and not self.is_ending:
            self.begin_to_end()
        return self.is_ending and (self.is_drained() or self.left_s(now) <= 0)

    def left_s(self, now: float) -> float:
        """Return the seconds left for the stop at ``now`` (monotonic); the first call starts the timeout."""
        if self._ends_at is None:
            self._ends_at = now + self._settings.drain_timeout_s
        return max(0.0, self._ends_at - now)

    def begin_to_end(self) -> None:
        """Start no more tasks."""
        self.is_ending = True
        self.give_back(list(self.progress.partitions))

    def give_back(self, partitions: Collection[TopicPartition]) -> None:
        """Start no more tasks for these partitions."""
        self.progress.give_back(partitions)
        self._scheduler.drop_given_back(partitions)

    def forget(self, partitions: Collection[TopicPartition]) -> None:
        """Drop partitions that this member no longer owns; outcomes of their tasks are ignored."""
        self.progress.forget(partitions)
        self._scheduler.drop_given_back(partitions)

    def is_drained(self, partitions: Collection[TopicPartition] | None = None) -> bool:
        """Whether all tasks of these partitions (or of all) have ended since the partitions were given back."""
        if self.at_work(partitions):
            return False
        chosen = self.progress.partitions if partitions is None else partitions
        return self.error is not None or not any(map(self.progress.window, chosen))

    def at_work(self, partitions: Collection[TopicPartition] | None = None) -> list[Ticket]:
        """The records in progress in these partitions (or in all), except in partitions no longer owned."""
        tickets = [task.ticket for task in self._scheduler.at_work(partitions)]
        return [ticket for ticket in tickets if ticket.stage is not Stage.GIVEN_BACK]

    @property
    def is_idle(self) -> bool:
        """Whether no task is in progress, not even of a lost partition."""
        return not self._scheduler.at_work()

    def committable(
        self, partitions: Collection[TopicPartition] | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """Return the committable offsets of these partitions, or of all."""
        return self.progress.committable(self.progress.partitions if partitions is None else partitions)

    def positions(self, polled: Iterable[Record] = ()) -> dict[TopicPartition, int]:
        """Return the offsets to seek to, so that no record is skipped, for partitions that are not at the next record.

        Some of the last ``polled`` records may not have been added yet.
        """
        found = {partition: self.progress.next_open(partition) for partition in self.progress.partitions}
        positions = {partition: offset for partition, offset in found.items() if offset is not None}
        for record in polled:
            partition = TopicPartition(record.topic, record.partition)
            if not self.progress.goes_back(partition, record.offset):
                positions.setdefault(partition, record.offset)
        return positions


def format_tickets(tickets: Iterable[Ticket]) -> str:
    """Format records as ``orders[0] offset 17, orders[1] offset 4``; ``nothing started`` if there are none."""
    return ", ".join(f"{ticket.partition} offset {ticket.offset}" for ticket in tickets) or "nothing started"

"""Which record is worked on next: lanes, one record of each at a time.

With ``Order.PARTITION`` a partition is a lane. With ``Order.KEY`` the records of one key in one partition are, by
the key's bytes as they were read, and those without a key share a lane of their partition. Lanes are side by side,
up to ``concurrency``, and take turns: a lane that has more goes to the end of the queue. A record that is to be
tried again stays at the head of its lane, which waits with it, so that order holds over failures too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from heapq import heappop, heappush

from attrs import define, field

from kafka_nextgen.processing.arguments import Order
from kafka_nextgen.processing.progress import Stage, Ticket
from kafka_nextgen.types import Record, TopicPartition

__all__ = ["Dispatch", "Task"]


@define(eq=False)
class Task:
    """One record to work on, its key and value still bytes; ``failures`` counts the attempts that failed."""

    record: Record
    ticket: Ticket
    failures: int = 0


LaneId = tuple[TopicPartition, object]


@define(eq=False)
class _Lane:
    id: LaneId
    waiting: deque[Task] = field(factory=deque)


class Dispatch:
    """The lanes. A lane is queued, resting (until it may try again), or has a task at work; never two of these."""

    def __init__(self, order: Order, concurrency: int) -> None:
        self._order = order
        self._concurrency = concurrency
        self._lanes: dict[LaneId, _Lane] = {}
        self._queue: deque[_Lane] = deque()
        self._resting: list[tuple[float, int, _Lane]] = []
        self._rests = 0
        self._at_work: dict[LaneId, Task] = {}

    def add(self, task: Task) -> None:
        """Put a record at the end of its lane."""
        lane_id = self._lane_id(task)
        lane = self._lanes.get(lane_id)
        if lane is None:
            lane = self._lanes[lane_id] = _Lane(lane_id)
            self._queue.append(lane)
        lane.waiting.append(task)

    def take(self, now: float) -> Task | None:
        """The next record to work on; None while nothing may be begun. ``now`` in seconds, monotonic."""
        while self._resting and self._resting[0][0] <= now:
            self._queue.append(heappop(self._resting)[2])
        while self._queue and len(self._at_work) < self._concurrency:
            lane = self._queue.popleft()
            if lane.waiting:
                task = self._at_work[lane.id] = lane.waiting.popleft()
                return task
            del self._lanes[lane.id]
        return None

    def done(self, task: Task) -> None:
        """The task is done with; its lane goes on."""
        lane = self._end_work(task)
        if lane.waiting:
            self._queue.append(lane)
        else:
            del self._lanes[lane.id]

    def abandon(self, task: Task) -> None:
        """Nobody works on the task any more, whatever became of it; its lane stays closed."""
        lane_id = self._lane_id(task)
        if self._at_work.get(lane_id) is task:
            del self._at_work[lane_id]

    def try_again(self, task: Task, at: float) -> None:
        """The task failed and is to be tried again at ``at`` (seconds, monotonic)."""
        lane = self._end_work(task)
        lane.waiting.appendleft(task)
        self._rests += 1
        heappush(self._resting, (at, self._rests, lane))

    def drop_given_back(self, partitions: Collection[TopicPartition]) -> None:
        """Take out what waits in the lanes of these partitions and was given back."""
        for lane in self._lanes.values():
            if lane.id[0] in partitions:
                lane.waiting = deque(task for task in lane.waiting if task.ticket.stage is not Stage.GIVEN_BACK)

    def at_work(self, partitions: Iterable[TopicPartition] | None = None) -> list[Task]:
        """The tasks at work, of these partitions or of all."""
        chosen = None if partitions is None else set(partitions)
        return [task for task in self._at_work.values() if chosen is None or task.ticket.partition in chosen]

    def deadline(self) -> float | None:
        """When the next lane that rests may go on; None if none rests."""
        return self._resting[0][0] if self._resting else None

    def _end_work(self, task: Task) -> _Lane:
        lane_id = self._lane_id(task)
        assert self._at_work.pop(lane_id, None) is task, f"{task.ticket} is not at work"
        return self._lanes[lane_id]

    def _lane_id(self, task: Task) -> LaneId:
        return (task.ticket.partition, task.record.key if self._order is Order.KEY else None)

"""Chooses the next record to handle. Records are in lanes; only one record of each lane is handled at a time.

With ``Order.PARTITION``, each partition has a lane. With ``Order.KEY``, each key of a partition has a lane, identified
by the key's bytes, and the records without a key share one. Up to ``concurrency`` lanes are active concurrently and
take turns: a lane with more records goes to the end of the queue. A record to be retried stays at the head of its lane,
and the lane waits, so that failures do not change the order.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from heapq import heappop, heappush

from attrs import field

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.processing.arguments import Order
from kafka_nextgen.processing.progress import Stage, Ticket
from kafka_nextgen.types import Record, TopicPartition

__all__ = ["LaneScheduler", "Task"]


@define(eq=False)
class Task:
    """One record to handle, with its key and value as bytes; ``failures`` counts failed attempts."""

    record: Record[bytes, bytes]
    ticket: Ticket
    failures: int = 0


LaneId = tuple[TopicPartition, object]


@define(eq=False)
class _Lane:
    id: LaneId
    waiting: deque[Task] = field(factory=deque)


class LaneScheduler:
    """The lanes. Each is queued, waits for a retry, or has a task in progress."""

    def __init__(self, order: Order, concurrency: int) -> None:
        self._order = order
        self._concurrency = concurrency
        self._lanes: dict[LaneId, _Lane] = {}
        self._queue: deque[_Lane] = deque()
        self._resting: list[tuple[float, int, _Lane]] = []
        self._rests = 0
        self._at_work: dict[LaneId, Task] = {}

    def add(self, task: Task) -> None:
        """Append a record to its lane."""
        lane_id = self._lane_id(task)
        lane = self._lanes.get(lane_id)
        if lane is None:
            lane = self._lanes[lane_id] = _Lane(lane_id)
            self._queue.append(lane)
        lane.waiting.append(task)

    def take(self, now: float) -> Task | None:
        """Return the next task; None if no lane is ready. ``now`` is in seconds, monotonic."""
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
        """Note that the task has ended, and queue its lane if it has more records."""
        lane = self._end_work(task)
        if lane.waiting:
            self._queue.append(lane)
        else:
            del self._lanes[lane.id]

    def abandon(self, task: Task) -> None:
        """Note that the task's worker has failed; its lane stays closed."""
        lane_id = self._lane_id(task)
        if self._at_work.get(lane_id) is task:
            del self._at_work[lane_id]

    def try_again(self, task: Task, at: float) -> None:
        """Retry the failed task at ``at`` (seconds, monotonic)."""
        lane = self._end_work(task)
        lane.waiting.appendleft(task)
        self._rests += 1
        heappush(self._resting, (at, self._rests, lane))

    def drop_given_back(self, partitions: Collection[TopicPartition]) -> None:
        """Remove the records of these partitions that were given back."""
        for lane in self._lanes.values():
            if lane.id[0] in partitions:
                lane.waiting = deque(task for task in lane.waiting if task.ticket.stage is not Stage.GIVEN_BACK)

    def at_work(self, partitions: Iterable[TopicPartition] | None = None) -> list[Task]:
        """The tasks in progress in these partitions, or in all."""
        chosen = None if partitions is None else set(partitions)
        return [task for task in self._at_work.values() if chosen is None or task.ticket.partition in chosen]

    def deadline(self) -> float | None:
        """When the next retry is due (seconds, monotonic); None if none is."""
        return self._resting[0][0] if self._resting else None

    def _end_work(self, task: Task) -> _Lane:
        lane_id = self._lane_id(task)
        assert self._at_work.pop(lane_id, None) is task, f"{task.ticket} is not in progress"
        return self._lanes[lane_id]

    def _lane_id(self, task: Task) -> LaneId:
        return (task.ticket.partition, task.record.key if self._order is Order.KEY else None)

"""The coordinator's timers: their kinds, and the table of deadlines.

| timer | runs for | armed | when it expires |
|---|---|---|---|
| SESSION | a member | by each of its heartbeats that was not refused | the member is removed |
| REBALANCE | a member told to revoke | when it is told to, and again for further partitions | the member is removed |
| PATTERN | a group with patterns to match | by a heartbeat that finds some to be matched | they are matched |
| JOIN | a classic group whose members join | when the join phase begins | it ends |
| SYNC | a classic group whose leader assigns | when the join phase ends | members without a SyncGroup are removed |
| EXPECTED | a group that reserves slots | when the first is kept, and on each change | the places are checked |
| LEAVING | a group in which members are announced to leave | when they are announced, and on each change | others \
take over from those that have left |
| RETENTION | all groups | when the first group appears, and after each check | expired offsets are deleted |
| JOIN | a classic member of a consumer group | when it is first told to join again | the member is removed |
| SYNC | a classic member of a consumer group | when it has joined | the member is removed |
| COMPUTE | a group whose member computes | when the member is told to | another member is chosen |

In a classic group SESSION also runs for pending members, which have yet to join with the id they were given.

A rebalance timer belongs to one member epoch and has no effect at another. No timer computes an assignment: the next
heartbeat does. Times are in seconds, on the same clock as ``now``.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from enum import IntEnum
from heapq import heapify, heappop, heappush
from itertools import count

from attrs import field

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["Arm", "Cancel", "TimerChange", "TimerKey", "TimerKind", "Timers", "is_overdue"]


class TimerKind(IntEnum):
    """The kind of a timer; timers that expire together are handled in this order."""

    SESSION = 0
    REBALANCE = 1
    PATTERN = 2
    JOIN = 3
    SYNC = 4
    EXPECTED = 5
    RETENTION = 6
    COMPUTE = 7
    LEAVING = 8


@frozen(order=True)
class TimerKey:
    """One timer. ``member_id`` is empty for a timer of the group; both ids are empty for a timer of all groups."""

    group_id: str
    kind: TimerKind
    member_id: str = ""


@frozen
class Arm:
    """Set the timer to expire at ``deadline``; with ``unless_running``, only if it is not running yet."""

    key: TimerKey
    deadline: float
    member_epoch: int = -1
    unless_running: bool = False
    may_see: Callable[[str], bool] | None = field(default=None, eq=False, repr=False)  # for PATTERN


@frozen
class Cancel:
    """Stop the timer, if it is running."""

    key: TimerKey


TimerChange = Arm | Cancel


class Timers:
    """The deadlines of all running timers.

    Every heartbeat moves a deadline, so the heap keeps outdated entries until they come up or outnumber the rest.
    """

    def __init__(self) -> None:
        self._armed: dict[TimerKey, Arm] = {}
        self._heap: list[tuple[float, int, TimerKey]] = []
        self._numbers = count()  # a tie-breaker that is quick to compare

    def running(self) -> Set[TimerKey]:
        """The running timers."""
        return self._armed.keys()

    def change(self, change: TimerChange) -> None:
        """Arm or stop a timer."""
        if isinstance(change, Cancel):
            self._armed.pop(change.key, None)
            return
        if change.unless_running and change.key in self._armed:
            return
        self._armed[change.key] = change
        heappush(self._heap, (change.deadline, next(self._numbers), change.key))
        if len(self._heap) > 2 * len(self._armed) + 64:
            self._heap = [(armed.deadline, next(self._numbers), key) for key, armed in self._armed.items()]
            heapify(self._heap)

    def deadline(self) -> float | None:
        """When the next timer expires; None if none is running."""
        while self._heap:
            deadline, _, key = self._heap[0]
            if key in self._armed and self._armed[key].deadline == deadline:
                return deadline
            heappop(self._heap)
        return None

    def due(self, now: float) -> list[Arm]:
        """The timers that have expired by ``now``, by group, kind and member. They stay armed."""
        return sorted((armed for armed in self._armed.values() if armed.deadline <= now), key=lambda armed: armed.key)


def is_overdue(until_ms: int, now: float) -> bool:
    """Whether a stored time, in milliseconds, has passed at ``now`` (seconds). Timers may be a fraction of a
    millisecond off.
    """
    return until_ms - 1000 * now < 1

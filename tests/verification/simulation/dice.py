"""Chance: streams of numbers for each seed, and fault rates that are drawn anew with it.

Rates that are drawn per seed make rare mixes of faults happen: many seeds have none of a fault, some have much of it.
Nothing here depends on hashes or on the release of Python.

Each part of the run (a client, a node, a connection) has a stream of its own, so that one that draws more or less
leaves the others as they are.

All draws together are the run. They may be given instead of a seed. 0 is the plainest of each: no fault, the first of
several, the least. What is not given is 0. So a run is made smaller by making its draws 0, see ``stories``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import TypeAlias, TypeVar

_T = TypeVar("_T")


class Fault(Enum):
    """What can go wrong. The value is what it is called in reports."""

    REQUEST_LOST = "request lost"
    ANSWER_LOST = "answer lost"
    SILENCE = "connection silent"
    ANSWERS_SILENT = "connection silent one way: requests arrive, answers do not"
    LATE_REQUEST = "request arrives late"
    DUPLICATE_REQUEST = "request arrives twice"
    SLOW_MESSAGE = "message slow"
    THROTTLED = "throttled"
    OFFLINE = "client has no network"
    NODE_CRASH = "node crashes"
    CRASH_BEFORE_APPEND = "node crashes before it appends"
    CRASH_AFTER_APPEND = "node crashes after it has appended"
    CRASH_AFTER_ANSWER = "node crashes after it has answered"
    TORN_TAIL = "tail torn off the log in a crash"
    NODE_STALLS = "node suspended"
    FAIL_OVER = "fail-over"
    OLD_COORDINATOR = "old coordinator answers"
    TAIL_LOST = "tail of the log lost"
    FAILED_APPEND = "append fails"
    SLOW_REPLICA = "replica slow"
    COMPACTION = "compaction"
    COMPACTION_WHILE_LOADING = "compaction while loading"
    SLOW_LOADING = "loading slow"
    TOPIC_CREATED = "topic created"
    TOPIC_GROWN = "topic grown"
    TOPIC_DELETED = "topic deleted"
    TOPIC_RECREATED = "topic made again"
    LATE_METADATA = "metadata late"
    METADATA_LOST = "metadata not told"
    METADATA_BACKWARDS = "metadata goes backwards"
    API_VERSION_DOWN = "version of an API goes down"
    TOPIC_RIGHTS_TAKEN = "rights to topics taken"
    GROUP_RIGHTS_TAKEN = "rights to the group taken"
    REMOVED = "member removed by an administrator"
    GROUP_DELETED = "group deleted"
    OFFSETS_EXPIRED = "offsets expired"
    ASSIGNOR_RAISES = "assignor of the coordinator raises"
    ASSIGNOR_LIES = "assignor of the coordinator lies"
    OWN_ASSIGNOR_RAISES = "assignor of a member raises"
    OWN_ASSIGNOR_LIES = "assignor of a member lies"
    SLOW_OWN_ASSIGNOR = "assignor of a member slow"
    ASSIGNOR_SAYS_MORE = "assignor of a member has something else to say"
    CLIENT_CRASH = "client crashes"
    CLIENT_FREEZE = "client freezes"
    CLIENT_STALL = "client stalls: answers bunch up"
    ZOMBIE = "client freezes beyond its session"
    REPLACED = "another takes its instance id while it is frozen"
    POLL_PAUSE = "polls stop"
    SLOW_CALLBACK = "callback slow"
    CALLBACK_RAISES = "callback raises"
    CALLBACK_UNSUBSCRIBES = "callback ends in an unsubscribe"
    CALLBACK_REENTERS = "callback commits, seeks, subscribes or closes"
    SUBSCRIPTION_CHANGED = "subscription changed"
    UNSUBSCRIBED = "unsubscribed"
    CLOSED = "closed"
    CLOSED_IN_THE_MIDDLE = "closed in the middle of a rebalance"
    STORM = "storm of subscriptions"
    IN_THE_MIDDLE = "application acts in the middle of something"
    OUTLASTED = "callback or pause outlasts the poll interval"
    IN_A_PHASE = "application acts in a phase that is soon over"
    SOUGHT = "application seeks"
    LEAVE_OVERTAKES = "leaves with a heartbeat in flight"
    CLOCK_DRIFT = "clock drifts"
    EQUAL_DEADLINES = "deadlines equal"
    NODE_GONE = "node gone for good"
    CALLBACK_HANGS = "callback hangs"
    CLIENT_GONE = "client frozen for good"
    REBALANCE_ENFORCED = "rebalance enforced"


#: So many seeds in ten have none of a fault.
_NONE_OF_TEN = 3
_LEAST, _MOST = 0.05, 1.0


#: Where a draw was made: the stream, and its place there.
Place: TypeAlias = tuple[str, int]
Draws: TypeAlias = Mapping[Place, float]


class _Run:
    def __init__(self, seed: int, draws: Draws | None) -> None:
        self.seed = seed
        self.given = draws
        self.drawn: dict[Place, float] = {}  # kept by ``stories`` alone: it is much
        self.counts: Counter[Fault] = Counter()
        self.rates: dict[Fault, float] = {}
        self.is_healed = False


class Dice:
    """One stream of a run: of a seed, or of ``draws`` by their places. ``counts`` has how often each fault came."""

    def __init__(self, seed: int, draws: Draws | None = None) -> None:
        self._begin(_Run(seed, draws), "beginning")
        self._run.rates.update((fault, self.stream(f"rate of {fault.value}")._rate()) for fault in Fault)

    def _begin(self, run: _Run, name: str) -> None:
        self._run, self._name, self._count = run, name, 0
        self._random = random.Random(f"{run.seed} {name}")

    def stream(self, name: str) -> Dice:
        """Another stream of the same run; each name is used once."""
        other = Dice.__new__(Dice)
        other._begin(self._run, name)
        return other

    @property
    def counts(self) -> Counter[Fault]:
        return self._run.counts

    @property
    def is_healed(self) -> bool:
        return self._run.is_healed

    def heal(self) -> None:
        self._run.is_healed = True

    def chance(self) -> float:
        given, count = self._run.given, self._count
        self._count += 1
        return self._random.random() if given is None else given.get((self._name, count), 0.0)

    def _rate(self) -> float:
        if self.chance() * 10 < _NONE_OF_TEN:
            return 0.0
        return _LEAST * float((_MOST / _LEAST) ** self.chance())

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self.chance()

    def tail(self, typical: float) -> float:
        """A duration of about ``typical`` seconds, at times much longer."""
        draw = self.chance()
        return typical * (0.5 + draw) if draw < 0.95 else typical * (0.5 + draw) * 20

    def whole(self, low: int, high: int) -> int:
        return low + int(self.chance() * (high - low + 1))

    def pick(self, values: Sequence[_T]) -> _T:
        return values[int(self.chance() * len(values))]

    def happens(self, fault: Fault, share: float = 1.0) -> bool:
        """Whether a fault comes here and now; ``share`` says how often it may at most. A fault that comes counts."""
        if not self.comes_up(fault, share):
            return False
        self._run.counts[fault] += 1
        return True

    def comes_up(self, fault: Fault, share: float) -> bool:
        """The same for a fault that may turn out to be impossible just now: it is not counted."""
        if self._run.is_healed:
            return False
        rate = self._run.rates[fault]
        return rate > 0.0 and self.chance() > 1.0 - rate * share

    def note(self, fault: Fault) -> None:
        self._run.counts[fault] += 1

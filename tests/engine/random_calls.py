"""The calls of a consumer in random order: what each may be given, and what it is documented to raise.

The same table serves ``Consumer`` and ``AsyncConsumer``: a call returns what the method returned, which may have to be
awaited. Times are short, for whoever waits keeps others out.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field, frozen

from kafka_nextgen import (
    AsyncConsumer,
    BrokerError,
    CommitFailedError,
    ConcurrentUseError,
    Consumer,
    MisuseError,
    OffsetRange,
    RebalanceConsumer,
    RebalanceListener,
    RequestTimeoutError,
    TopicPartition,
)
from tests.engine.stage import TOPIC, tp

AnyConsumer = Consumer | AsyncConsumer

PARTITIONS, RECORDS = 3, 40
POLL_S, WAIT_S = 0.003, 0.2


class ListenerError(Exception):
    """What a listener raises of its own."""


@frozen
class Call:
    """How a method is called with arguments from ``random``; what it may raise while the consumer is open.

    ``is_shared`` says that it may be called from anywhere at any time: it never raises ConcurrentUseError.
    ``outlives`` says that a closed consumer answers, too.
    """

    name: str
    make: Callable[[Any, random.Random, RebalanceListener], object]
    raises: tuple[type[Exception], ...] = ()
    is_shared: bool = False
    outlives: bool = False


def _partition(dice: random.Random) -> TopicPartition:
    return tp(dice.randrange(PARTITIONS))


def _poll(consumer: Any, dice: random.Random, _: RebalanceListener) -> object:
    return consumer.poll(timeout=dice.choice([0, POLL_S, 10 * POLL_S]), max_records=dice.choice([None, 1, 7]))


def _subscribe(consumer: Any, dice: random.Random, listener: RebalanceListener) -> object:
    return consumer.subscribe(dice.choice([[TOPIC], [TOPIC, "audit"]]), dice.choice([listener, listener, None]))


def _commit(consumer: Any, dice: random.Random, _: RebalanceListener) -> object:
    return consumer.commit(dice.choice([None, {_partition(dice): dice.randrange(RECORDS)}]), timeout=WAIT_S)


def _assign_range(consumer: Any, dice: random.Random, _: RebalanceListener) -> object:
    start, end = dice.randrange(RECORDS), dice.randrange(RECORDS)
    return consumer.assign({_partition(dice): OffsetRange(start, end)}, timeout=WAIT_S)


UNOWNED = (MisuseError,)
REFUSED = (CommitFailedError, RequestTimeoutError)
LATE = (RequestTimeoutError,)

#: Every method but those that block for ever, which are made of ``poll``; the more often it stands here, the more often
#: it is called.
CALLS: Sequence[Call] = [
    *[Call("poll", _poll, (MisuseError, ListenerError))] * 8,
    *[Call("subscribe", _subscribe, (MisuseError,))] * 2,
    Call("unsubscribe", lambda c, dice, _: c.unsubscribe(timeout=WAIT_S), (ListenerError, MisuseError, *LATE)),
    *[Call("commit", _commit, REFUSED)] * 2,
    Call("commit_async", lambda c, dice, _: c.commit_async()),
    Call("committed", lambda c, dice, _: c.committed([_partition(dice)], timeout=WAIT_S), (BrokerError, *LATE)),
    Call("position", lambda c, dice, _: c.position(_partition(dice), timeout=WAIT_S), (*UNOWNED, *LATE)),
    *[Call("seek", lambda c, dice, _: c.seek(_partition(dice), dice.randrange(RECORDS)), UNOWNED)] * 2,
    Call("seek_to_beginning", lambda c, dice, _: c.seek_to_beginning(dice.choice([None, [_partition(dice)]])), UNOWNED),
    Call("seek_to_end", lambda c, dice, _: c.seek_to_end([_partition(dice)]), UNOWNED),
    *[Call("pause", lambda c, dice, _: c.pause([_partition(dice)]), UNOWNED)] * 2,
    *[Call("resume", lambda c, dice, _: c.resume([_partition(dice)]), UNOWNED)] * 2,
    Call("end_offsets", lambda c, dice, _: c.end_offsets([_partition(dice)], timeout=WAIT_S), LATE),
    Call("partitions_for", lambda c, dice, _: c.partitions_for(TOPIC, timeout=WAIT_S), LATE),
    Call("topics", lambda c, dice, _: c.topics(timeout=WAIT_S), LATE),
    Call("describe_topics", lambda c, dice, _: c.describe_topics(timeout=WAIT_S), LATE),
    Call("assign", lambda c, dice, _: c.assign([_partition(dice)], timeout=WAIT_S), (MisuseError, *REFUSED)),
    Call("assign", _assign_range, (MisuseError, *REFUSED)),
    Call("finished", lambda c, dice, _: c.finished(), is_shared=True),
    Call("assignment", lambda c, dice, _: c.assignment(), is_shared=True),
    Call("paused", lambda c, dice, _: c.paused(), is_shared=True),
    Call("lag", lambda c, dice, _: c.lag(), is_shared=True),
    Call("health", lambda c, dice, _: c.health(), is_shared=True),
    Call("metrics", lambda c, dice, _: c.metrics(), is_shared=True, outlives=True),
    Call("rebalances", lambda c, dice, _: c.rebalances(), is_shared=True),
    Call("group_metadata", lambda c, dice, _: c.group_metadata(), is_shared=True),
]


@define
class RandomListener(RebalanceListener):
    """Does something random in each callback with the view it gets, and with the consumer itself, and may raise."""

    consumer: Any
    dice: random.Random
    calls: int = 0
    undocumented: list[str] = field(factory=list)

    def _do(self, view: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self.calls += 1
        if self.dice.random() < 0.03:
            raise ListenerError
        acts: list[Callable[[], object]] = [
            lambda: view.commit(timeout=WAIT_S),
            lambda: view.seek(_partition(self.dice), 3),
            lambda: view.pause(partitions),
            lambda: view.position(_partition(self.dice), timeout=WAIT_S),
            lambda: self.consumer.lag(),
            lambda: self.consumer.health(),
        ]
        for _ in range(self.dice.randrange(3)):
            try:
                self.dice.choice(acts)()
            except (MisuseError, *REFUSED):
                pass
            except Exception as error:
                self.undocumented.append(f"in a callback: {error!r}")

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._do(consumer, partitions)

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._do(consumer, partitions)

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._do(consumer, partitions)


@define
class RandomCalls:
    """One caller's calls; what was not documented is kept, and the names of the last ones for whoever looks."""

    consumer: AnyConsumer
    listener: RandomListener
    dice: random.Random
    begins_to_close: threading.Event
    made: list[str] = field(factory=list)
    refused: int = 0
    undocumented: list[str] = field(factory=list)
    commits: list[Any] = field(factory=list)  # the futures of those that nobody waited for

    def next(self) -> Call:
        """Draw the next call and note it."""
        call = self.dice.choice(CALLS)
        self.made.append(call.name)
        return call

    def judge(self, call: Call, error: Exception) -> None:
        """Keep the error of a call unless it is documented."""
        if isinstance(error, ConcurrentUseError):
            self.refused += 1
            expected = not call.is_shared and f"{call.name}()" in str(error)
        elif self.begins_to_close.is_set() and isinstance(error, MisuseError):
            expected = True
        else:
            expected = isinstance(error, call.raises)
        if not expected:
            self.undocumented.append(f"{call.name}: {error!r}")

    def passed(self, call: Call, result: object, closed_before: bool) -> None:
        """Keep that a call was let in to a closed consumer, and a commit that is still to end."""
        if closed_before and not call.outlives:
            self.undocumented.append(f"{call.name}: let in after close")
        if call.name == "commit_async":
            self.commits.append(result)

    def judge_commits(self) -> None:
        """Keep how the commits ended that nobody waited for, unless that is documented."""
        for commit in self.commits:
            if not commit.done() or commit.cancelled() or not isinstance(commit.exception(), (*REFUSED, type(None))):
                self.undocumented.append(f"commit_async: {commit}")

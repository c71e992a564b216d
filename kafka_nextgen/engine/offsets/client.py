"""Drives the offset machine, and keeps the calls that are waiting for its results.

The machine (``membership.offsets``) decides what to send, what to retry, and what must no longer be committed. This
module only carries out its effects, on the I/O thread.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Collection, Mapping
from itertools import count
from typing import Any, TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.member.identity import MemberIdentity
from kafka_nextgen.engine.observability.counters import CommitCounters
from kafka_nextgen.engine.offsets.errors import commit_error, left_out_text, lookup_error
from kafka_nextgen.engine.offsets.group_offsets import Found, GroupOffsets, Offsets
from kafka_nextgen.engine.offsets.requests import OffsetRequests
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.engine.settings import offset_settings
from kafka_nextgen.errors import AuthenticationError, BrokerError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.offsets import effects as fx
from kafka_nextgen.membership.offsets import events as ev
from kafka_nextgen.membership.offsets.machine import OffsetMachine
from kafka_nextgen.membership.offsets.rules import RULES
from kafka_nextgen.membership.offsets.state import INTERVAL_COMMIT
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.transport.retrying import FailureLog
from kafka_nextgen.transport.waiting import Timer
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition, format_partitions

__all__ = ["OffsetClient"]

logger = logger_of("kafka_nextgen.engine")

#: How many of the application's commits the machine gets in one loop iteration: they take a few milliseconds.
_COMMITS_IN_A_TURN = 10

#: Events that do not affect which offsets may be committed, so they need not wait for commits requested earlier.
_BY_ITSELF = (ev.TimePassed, ev.CommitAnswered, ev.CommitLost, ev.LookupAnswered, ev.LookupLost)

E = TypeVar("E", bound=ev.OffsetEvent)


@frozen
class _Operation:
    """A pending call and its future."""

    what: str
    ended: asyncio.Future[Found]


class OffsetClient(GroupOffsets):
    """Commits and looks up committed offsets, as the member if there is one.

    ``fetches`` provides the processed offset of each partition, for auto-commit, and the offset at which reading began.
    """

    def __init__(
        self,
        requests: OffsetRequests,
        identity: MemberIdentity,
        config: ConsumerConfig,
        counters: CommitCounters,
        tasks: TaskSet,
        fetches: LockedFetches,
    ) -> None:
        self._identity = identity
        self._failure_log = FailureLog(logger, f"group {identity.group_id}: auto-commit")
        self._counters = counters
        self._tasks = tasks
        self._fetches = fetches
        self._requests = requests
        self._machine = OffsetMachine(offset_settings(config), RULES, clocks.monotonic())
        self._operations: dict[int, _Operation] = {}
        self._numbers = count(INTERVAL_COMMIT + 1)
        self._soon: deque[ev.CommitAsked] = deque()  # commits that the machine has not received yet
        self._timer = Timer(lambda: self.feed(ev.TimePassed()))
        self._stopped = False
        self._raised: BrokerError | AuthenticationError | None = None  # an error raised instead of a code
        # When auto-commit last read the positions, and what they were.
        self._looked_at, self._seen = 0.0, dict[TopicPartition, OffsetAndMetadata]()
        self._timer.set(self._machine.deadline())

    # ---- requests

    async def commit(self, offsets: Offsets, timeout_s: float, lost: frozenset[TopicPartition] = frozenset()) -> None:
        """Commit for the application; fails if it should have covered partitions that were ``lost``.

        Raises CommitFailedError, with the reason for each partition that was not committed, another BrokerError if the
        code has its own class, or RequestTimeoutError.
        """
        with self._counters.counted(offsets):
            await self._perform(
                offsets, lambda number: ev.CommitAsked(number, offsets, timeout_s, lost), self._feed_soon
            )

    async def commit_before_revoking(self, timeout_s: float) -> None:
        """Commit the processed offsets of the whole assignment before part of it is given up.

        A deleted topic does not delay it. Raises the same errors as ``commit``.
        """
        offsets = self._consumed()
        found = self._fetches.under_lock(lambda state: state.handover.found_offsets())
        with self._counters.counted(offsets):
            await self._perform(offsets, lambda number: ev.CommitBeforeRevokingAsked(number, offsets, timeout_s, found))

    async def committed(self, partitions: Collection[TopicPartition], timeout_s: float) -> Found:
        """Return the committed offsets of ``partitions``, None for one without; unknown partitions are left out.

        Raises a BrokerError, or RequestTimeoutError.
        """
        wanted = frozenset(partitions)
        return await self._perform(wanted, lambda number: ev.LookupAsked(number, wanted, timeout_s))

    async def _perform(
        self,
        partitions: Collection[TopicPartition],
        event: Callable[[int], E],
        feed: Callable[[E], None] | None = None,
    ) -> Found:
        number = next(self._numbers)
        ended: asyncio.Future[Found] = asyncio.get_running_loop().create_future()
        self._operations[number] = _Operation(format_partitions(partitions), ended)
        (feed or self.feed)(event(number))
        try:
            return await ended
        finally:
            if self._operations.pop(number, None) is not None:  # cancelled: the caller is no longer waiting
                self.feed(ev.Withdrawn(number))

    # ---- the machine

    def feed(self, event: ev.OffsetEvent) -> None:
        """Feed an event, after all commits requested earlier, and carry out the effects."""
        if not isinstance(event, _BY_ITSELF):
            self._feed_commits(len(self._soon))
        self._feed_now(event)

    def _feed_soon(self, event: ev.CommitAsked) -> None:
        """Feed a commit in one of the next iterations of the loop: thousands of commits do not delay a heartbeat."""
        if not self._soon:
            asyncio.get_running_loop().call_soon(self._go_on)
        self._soon.append(event)

    def _go_on(self) -> None:
        self._feed_commits(_COMMITS_IN_A_TURN)
        if self._soon:
            asyncio.get_running_loop().call_soon(self._go_on)

    def _feed_commits(self, most: int) -> None:
        for _ in range(most):
            if self._soon:  # the effects of one commit may have fed the others
                self._feed_commit(self._soon.popleft())

    def _feed_commit(self, event: ev.CommitAsked) -> None:
        try:
            self._feed_now(event)
        except Exception as bug:  # reported to the caller and the log; later commits continue
            operation = self._operations.pop(event.operation, None)
            if operation is not None and not operation.ended.done():
                operation.ended.set_exception(bug)
            asyncio.get_running_loop().call_exception_handler({"message": "a commit failed", "exception": bug})

    def _feed_now(self, event: ev.OffsetEvent) -> None:
        effects = self._machine.handle(event, clocks.monotonic(), random.random())
        logger.debug("%s: %s -> %s", self._identity.group_id, event, effects)
        for effect in effects:
            self.carry_out[type(effect)](self, effect)
        self._timer.set(None if self._stopped else self._machine.deadline())

    def assigned(self, partitions: Collection[TopicPartition], added: Collection[TopicPartition]) -> None:
        """Note that the member now owns exactly ``partitions``; those ``added`` are new."""
        self.feed(ev.AssignmentApplied(frozenset(partitions), frozenset(added)))

    def stopped(self, partitions: frozenset[TopicPartition]) -> None:
        """Note that no more records of these partitions are handed over."""
        self.feed(ev.PartitionsStopped(partitions))

    def sought(self, partitions: frozenset[TopicPartition]) -> None:
        """Note that the application has called ``seek`` for these partitions."""
        self.feed(ev.Sought(partitions))

    def stop(self) -> None:
        """Stop the timer."""
        self._stopped = True
        self._timer.set(None)

    # ---- effects

    async def _commit_once(self, effect: fx.SendCommit) -> None:
        try:
            answer = await self._requests.commit(effect)
            if isinstance(answer, ev.CommitAnswered):
                committed = {tp: effect.offsets[tp] for tp, code in answer.codes.items() if not code}
                self._fetches.under_lock(lambda state: state.handover.uncommitted.note_committed(committed))
            self.feed(answer)
        except (BrokerError, AuthenticationError) as error:
            self._feed_raised(ev.CommitAnswered(effect.number, dict.fromkeys(effect.offsets, error.code)), error)
        except Exception as bug:  # reported to the application; the caller must not wait forever
            self.feed(ev.CommitLost(effect.number, describe_error(bug)))
            raise

    async def _look_up_once(self, effect: fx.SendLookup) -> None:
        try:
            self.feed(await self._requests.look_up(effect))
        except (BrokerError, AuthenticationError) as error:
            self._feed_raised(ev.LookupAnswered(effect.number, code=error.code), error)
        except Exception as bug:
            self.feed(ev.LookupLost(effect.number, describe_error(bug)))
            raise

    def _feed_raised(self, event: ev.OffsetEvent, error: BrokerError | AuthenticationError) -> None:
        self._raised = error
        try:
            self.feed(event)
        finally:
            self._raised = None

    def _read_consumed(self, effect: fx.ReadConsumed) -> None:
        self._looked_at, self._seen = clocks.monotonic(), self._consumed()
        self.feed(ev.ConsumedRead(effect.number, self._seen))

    def _consumed(self) -> dict[TopicPartition, OffsetAndMetadata]:
        return self._fetches.under_lock(lambda state: state.handover.consumed_offsets())

    def _tell_member(self, effect: fx.TellMember) -> None:
        if self.on_refusal is not None:  # called in the next iteration, because it may feed events
            asyncio.get_running_loop().call_soon(self.on_refusal, effect.code, effect.member_epoch)

    def _end_commit(self, effect: fx.CommitEnded) -> None:
        if effect.operation == INTERVAL_COMMIT:
            self._note_interval(effect.failure)
            return
        operation = self._operations.pop(effect.operation, None)
        if operation is None or operation.ended.done():
            return
        if effect.failure is None:
            operation.ended.set_result({})
        else:
            operation.ended.set_exception(self._raised or commit_error(effect.failure, operation.what, self._identity))

    def _note_interval(self, failure: fx.Failure | None) -> None:
        if failure is None:
            self._failure_log.recovered()
            self._counters.note(self._seen, self._looked_at, None)
            return
        error = self._raised or commit_error(failure, format_partitions(self._seen), self._identity)
        self._failure_log.failed(error)
        self._counters.note(self._seen, self._looked_at, error)

    def _end_lookup(self, effect: fx.LookupEnded) -> None:
        operation = self._operations.pop(effect.operation, None)
        if operation is None or operation.ended.done():
            return
        if effect.failure is None:
            operation.ended.set_result(effect.offsets)
        else:
            operation.ended.set_exception(self._raised or lookup_error(effect.failure, operation.what, self._identity))

    # an effect that is missing from this table fails when it first occurs
    carry_out: Mapping[type, Callable[[Any, Any], None]] = {
        fx.SendCommit: lambda self, effect: self._tasks.start(self._commit_once(effect)),
        fx.SendLookup: lambda self, effect: self._tasks.start(self._look_up_once(effect)),
        fx.ReadConsumed: _read_consumed,
        FindCoordinator: lambda self, _: self._requests.forget_coordinator(),
        fx.TellMember: _tell_member,
        fx.CommitEnded: _end_commit,
        fx.LeftOut: lambda self, effect: logger.warning("%s", left_out_text(effect.codes, self._identity)),
        fx.LookupEnded: _end_lookup,
    }

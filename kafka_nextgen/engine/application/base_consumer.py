"""What ``Consumer`` and ``AsyncConsumer`` share: the calls that never wait, and the guard of those that do."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

from kafka_nextgen.config import ConsumerConfig, GroupProtocol
from kafka_nextgen.engine.application.arguments import Topics, checked_seconds
from kafka_nextgen.engine.application.call_guard import CallGuard, CallTracker, calling_frame
from kafka_nextgen.engine.application.core import ConsumerCore
from kafka_nextgen.engine.application.rebalance_listener import is_in_callback
from kafka_nextgen.engine.application.wakeup import Wakeup
from kafka_nextgen.engine.observability.health import Health
from kafka_nextgen.engine.observability.hooks import HookList, Hooks
from kafka_nextgen.engine.observability.rebalance import Rebalance
from kafka_nextgen.errors import ConcurrentUseError, MisuseError
from kafka_nextgen.fetching import FetchState
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.text import describe_error
from kafka_nextgen.types import JoinReason, OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.metrics.consumer_metrics import Metrics

__all__ = ["BaseConsumer", "check_max_records"]

#: Why a rebalance is not enforced, by the protocol of the group.
_NOTHING_ENFORCED = {
    GroupProtocol.CONSUMER: (
        "enforce_rebalance() does nothing: with the consumer group protocol the coordinator decides, and reassigns "
        "when a member changes, for example its subscription"
    ),
    None: (
        "enforce_rebalance() does nothing: with group.protocol=auto this member does not know yet which protocol the "
        "cluster has; it is about to join, which rebalances the group anyway"
    ),
}


class _Call:
    """The context of a call by the one caller; a call from a callback is part of the call that runs the callback.

    A class, as it is cheaper than a generator and there may be thousands of polls a second. It has no state of its own,
    so all calls of one name share an instance, even if a signal handler makes one inside another.
    """

    def __init__(self, core: ConsumerCore, guard: CallGuard, calls: CallTracker, name: str, is_part: bool) -> None:
        self._check_usable = _check_of(core, is_part)
        self._guard = guard
        self._calls = calls
        self._name = name
        self._is_part = is_part

    def __enter__(self) -> None:
        frame = calling_frame()
        self._calls.enter(frame)
        try:
            self._check_usable()
            if not self._is_part and not self._guard.try_enter(self._name, frame):
                raise self._guard.refusal(self._name)
        except BaseException as error:
            self._calls.leave(frame, error)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        frame = calling_frame()
        if not self._is_part:
            self._guard.leave(frame)
        self._calls.leave(frame, error)


def _check_of(core: ConsumerCore, is_part: bool) -> Callable[[], None]:
    """The check that raises MisuseError; calls from a callback are allowed while the consumer closes."""
    return core.engine.thread.check_usable if is_part else core.check_open


class BaseConsumer:
    """A consumer without the calls that wait. ``whoami`` and ``is_inside`` are those of ``CallGuard``."""

    def __init__(
        self,
        config: ConsumerConfig,
        wakeup: Wakeup,
        whoami: Callable[[], object],
        is_inside: Callable[[FrameType, object], bool],
        calls: CallTracker,
    ) -> None:
        self._core = ConsumerCore(config, wakeup, whoami)
        # Nothing else refers to the consumer, so that this runs when the application drops it.
        weakref.finalize(self, self._core.engine.abandon).atexit = False
        self._guard = CallGuard(whoami, is_inside)
        self._calls = calls
        self._alone: dict[str, _Call] = {}  # calls that run callbacks, by name
        self._runs = False  # whether run() goes on, also between its calls

    def _attach(self, make: Callable[[], Hooks]) -> None:
        """Add hooks that are made on the I/O thread: a signal handler that raises can't leave them half made."""
        hooks = self.hooks
        self._core.engine.thread.call(lambda: hooks.add(make())).result()

    @property
    def hooks(self) -> HookList:
        """The hooks of this consumer: ``consumer.hooks.add(...)`` takes a ``Hooks``."""
        return self._core.hooks

    @property
    def config(self) -> ConsumerConfig:
        """The configuration in force."""
        return self._core.config

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions this consumer has now. Raises MisuseError once closed, as every method does."""
        with self._calls:
            return self._usable().fetches.assignment()

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        with self._calls:
            return self._usable().fetches.under_lock(FetchState.paused)

    def finished(self) -> frozenset[TopicPartition]:
        """The partitions of which ``assign`` was given a range, and all of that was handed over.

        Once these are all that are assigned, loops end and ``poll`` returns no records, at once.
        """
        with self._calls:
            core = self._usable()
            given_out = core.cursor.given_out()
            return core.fetches.look(lambda state: state.finished(given_out))

    def lag(self) -> dict[TopicPartition, int | None]:
        """How many offsets each assigned partition is behind its high watermark, as of its last fetch.

        None where nothing was fetched yet, or the position is still being looked up.
        """
        with self._calls:
            core = self._usable()
            given_out = core.cursor.given_out()
            progress = core.fetches.look(lambda state: state.progress(given_out))
            return {tp: standing.lag for tp, standing in progress.partitions.items()}

    def rebalances(self) -> tuple[Rebalance, ...]:
        """What this member went through, oldest first: the last fifty rebalances that are over.

        Each says when and why, by its cause and in words, the epochs before and after, what was assigned, revoked,
        lost and kept, how many milliseconds each phase took, and what failed.
        """
        with self._calls:
            return self._usable().engine.rebalances()

    def health(self) -> Health:
        """The health of this consumer: status, last heartbeat and poll, current rebalance, stalled partitions.

        Never blocks, so a probe may call it at any time from any thread; ``problem`` is None if all is well.
        """
        with self._calls:
            return self._usable().engine.health()

    def metrics(self) -> Metrics:
        """What this consumer has counted and measured until now: reading, commits, the group, polls, connections.

        Never blocks, so an exporter may call it at any time from any thread, also after ``close``. Raises
        MisuseError in a process forked off.
        """
        with self._calls:
            return self._core.metrics()

    @property
    def group_protocol(self) -> GroupProtocol | None:
        """The protocol of the group: as configured or, with auto, the one found; None until then."""
        return self._usable().engine.membership.protocol

    def enforce_rebalance(self, reason: str | None = None, join_reason: JoinReason = JoinReason.UNKNOWN) -> None:
        """Make the group rebalance at the next ``poll``, and tell its coordinator ``reason`` (KIP-568, KIP-800).

        Where the coordinator has extensions it is told ``join_reason``, too: with UPGRADE the group rebalances even if
        this member does not lead it.

        Only members of the classic protocol can do that. With the consumer group protocol the coordinator alone
        decides, when what it knows of a member changes, such as its subscription: there is a UserWarning, and nothing
        happens; nor does it with ``auto`` as long as the protocol is not found. Raises MisuseError without a
        subscription.
        """
        with self._use("enforce_rebalance"):
            if self._core.topics is None:
                raise MisuseError("enforce_rebalance() needs a group to rebalance: subscribe() first")
            engine = self._core.engine
            protocol = engine.membership.protocol
            if protocol is GroupProtocol.CLASSIC:
                why = reason or "the application enforced a rebalance"
                engine.thread.call(lambda: engine.membership.enforce_rebalance(why, join_reason))
            else:
                warnings.warn(_NOTHING_ENFORCED[protocol], UserWarning, stacklevel=2)

    def group_metadata(self) -> ConsumerGroupMetadata:
        """Who this member is, for ``send_offsets_to_transaction`` of a transactional producer (KIP-447).

        confluent-kafka's and kafka-python's producers take it as it is. Ask for it anew in each transaction: the epoch
        changes with every rebalance. A member that was thrown out of its group keeps its last epoch until the
        application polls again, so that the coordinator refuses the offsets of what it lost. Epoch -1 and no id,
        which no coordinator refuses, is a consumer that has not joined yet or reads partitions assigned by hand.
        ``docs/use/transactions.md`` shows the whole loop. Raises MisuseError without ``group.id``.
        """
        identity = self._usable().engine.identity
        if not identity.group_id:
            raise MisuseError("group_metadata() needs group.id")
        return identity.as_metadata()

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Let one ``run`` in at a time, and tell ``health`` of the error that ends it."""
        if self._runs:
            raise ConcurrentUseError(
                "run() was called while another run() of this consumer is under way; stop that one first"
            )
        try:
            self._runs = True
            yield
        except ConcurrentUseError:  # another call goes on
            raise
        except Exception as error:
            self._core.engine.counters.polls.run_error = describe_error(error)
            raise
        finally:
            self._runs = False

    def _topics_to_run(self, topics: Topics | None) -> Topics | None:
        """What ``run`` is to subscribe to: ``topics``, or what was subscribed to without a listener.

        None if it reads what was assigned by hand. Raises MisuseError if it can't run.
        """
        core = self._usable()
        if not self.config.group_id:
            raise MisuseError("run() commits offsets, which needs a group: set group.id")
        if topics is None and core.fetches.has_ranges:
            raise MisuseError(
                "run() does not end by itself: read ranges in a loop, or assign partitions without an end"
            )
        if topics is not None or core.manual_assignment:
            return topics
        if core.topics is None:
            raise MisuseError("run() has nothing to read: give it topics, or subscribe() or assign() first")
        if core.has_listener:
            raise MisuseError(
                "run() has a rebalance listener of its own: subscribe() without a listener, or give it topics"
            )
        return core.topics

    def _positions(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The position of each partition that has one and is not being given up, behind all that was handed over."""
        return self._usable().fetches.under_lock(lambda state: state.handover.positions_to_keep())

    def _usable(self) -> ConsumerCore:
        """The core, if it may be used now."""
        _check_of(self._core, is_in_callback(self._core))()
        return self._core

    def _use(self, call: str) -> AbstractContextManager[None]:
        """Enter a call that runs no callbacks; it may be made from a callback."""
        return _Call(self._core, self._guard, self._calls, call, is_in_callback(self._core))

    def _use_alone(self, call: str) -> AbstractContextManager[None]:
        """Enter a call that runs callbacks; it can't be made from a callback."""
        if is_in_callback(self._core):
            raise MisuseError(f"{call}() would wait for the rebalance callback it is called from; call it after poll()")
        known = self._alone.get(call)
        if known is None:
            known = self._alone[call] = _Call(self._core, self._guard, self._calls, call, False)
        return known

    def _limit_s(self, timeout: float | None) -> float:
        return self.config.default_api_timeout_ms / 1000 if timeout is None else checked_seconds(timeout)


def check_max_records(max_records: int | None) -> None:
    """Raise ValueError for a number of records that can't be asked for."""
    if max_records is not None and max_records < 1:
        raise ValueError(f"max_records must be at least 1, not {max_records}")

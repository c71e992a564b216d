"""The common base of ``Consumer`` and ``AsyncConsumer``: calls that never wait, and the guard for those that do."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import TYPE_CHECKING

from kafka_nextgen.engine.application.arguments import Offsets, Topics, checked_seconds
from kafka_nextgen.engine.application.call_guard import Call, CallGuard, CallTracker
from kafka_nextgen.engine.application.rebalance_listener import (
    AsyncRebalanceListener,
    RebalanceListener,
    is_in_callback,
    loads_as_standby,
)
from kafka_nextgen.errors import ConcurrentUseError, MisuseError
from kafka_nextgen.properties.value_types import GroupProtocol
from kafka_nextgen.text import describe_error
from kafka_nextgen.types import JoinReason, OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig
    from kafka_nextgen.engine.application.core import ConsumerCore
    from kafka_nextgen.engine.application.wakeup import Wakeup
    from kafka_nextgen.engine.observability.health import Health
    from kafka_nextgen.engine.observability.hooks import HookList, Hooks
    from kafka_nextgen.engine.observability.rebalance import Rebalance
    from kafka_nextgen.group_metadata import ConsumerGroupMetadata
    from kafka_nextgen.metrics.consumer_metrics import Metrics

__all__ = ["BaseConsumer", "check_max_records"]

#: Why a rebalance can't be enforced, by group protocol.
_NOTHING_ENFORCED = {
    GroupProtocol.CONSUMER: (
        "enforce_rebalance() does nothing: with the consumer group protocol the coordinator decides, and reassigns "
        "when something about a member changes, for example its subscription"
    ),
    None: (
        "enforce_rebalance() does nothing: with group.protocol=auto this member does not know yet which protocol the "
        "cluster has; it is about to join, which rebalances the group anyway"
    ),
}


def _check_of(core: ConsumerCore, is_part: bool) -> Callable[[], None]:
    """Return the check that raises MisuseError; calls from a callback are allowed while the consumer is closing."""
    return core.engine.thread.check_usable if is_part else core.check_open


class BaseConsumer:
    """A consumer without the calls that wait. See ``CallGuard`` for ``whoami`` and ``is_inside``."""

    def __init__(
        self,
        config: ConsumerConfig,
        wakeup: Wakeup,
        whoami: Callable[[], object],
        is_inside: Callable[[FrameType, object], bool],
        calls: CallTracker,
    ) -> None:
        # Most of the library is imported only here, so that a process that creates no consumer starts fast.
        from kafka_nextgen.engine.application.core import ConsumerCore
        from kafka_nextgen.engine.application.ends import ReachedEnds
        from kafka_nextgen.engine.application.idle import IdleLimit
        from kafka_nextgen.engine.engine import Engine

        engine = Engine(config, wakeup)
        # Nothing else refers to the consumer, so this runs when the application drops it, even if it is still
        # incomplete: a signal handler may raise from here on.
        weakref.finalize(self, engine.abandon).atexit = False
        self._core = ConsumerCore(config, engine, wakeup, whoami)
        self._idle = IdleLimit(self._core)
        self._ends = ReachedEnds(self._core)
        self._guard = CallGuard(whoami, is_inside)
        self._guard.waiting = self._core.cursor.waiting
        self._calls = calls
        self._alone: dict[str, Call] = {}  # calls that run callbacks, by name
        self._runs = False  # whether run() is in progress, even between its calls

    def _attach(self, make: Callable[[], Hooks]) -> None:
        """Add hooks, created on the I/O thread so that a signal handler that raises can't leave them half created."""
        hooks = self.hooks
        self._core.engine.thread.call(lambda: hooks.add(make())).result()

    @property
    def hooks(self) -> HookList:
        """The hooks of this consumer; add one with ``consumer.hooks.add(...)``, which takes a ``Hooks``."""
        return self._core.hooks

    @property
    def config(self) -> ConsumerConfig:
        """The configuration of this consumer."""
        return self._core.config

    def __repr__(self) -> str:
        from kafka_nextgen.engine.application.showing import as_text

        return as_text(type(self).__name__, getattr(self, "_core", None))

    def _repr_html_(self) -> str:
        """Show the state of this consumer in a notebook: its group, its partitions and their positions."""
        from kafka_nextgen.engine.application.showing import as_html

        return as_html(type(self).__name__, getattr(self, "_core", None))

    def subscription(self) -> frozenset[str]:
        """The topics that this consumer subscribes to; empty without a subscription, and with ``assign``.

        With a pattern, which the coordinator resolves, these are the topics of the assigned partitions, as in Java.
        """
        with self._calls:
            core = self._usable()
            if core.topics is None:
                return frozenset()
            names = core.engine.membership.topics
            return names or frozenset(tp.topic for tp in core.fetches.assignment())

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are assigned now. Like every method, raises MisuseError after ``close``."""
        with self._calls:
            return self._usable().fetches.assignment()

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        with self._calls:
            return self._usable().fetches.under_lock(lambda state: state.paused())

    def finished(self) -> frozenset[TopicPartition]:
        """The partitions assigned with a range whose records have all been handed over.

        When no other partitions are assigned, loops end, and ``poll`` returns immediately without records.
        """
        with self._calls:
            core = self._usable()
            given_out = core.cursor.given_out()
            return core.fetches.look(lambda state: state.finished(given_out))

    def lag(self) -> dict[TopicPartition, int | None]:
        """The lag of each assigned partition: from its position to the high watermark of its last fetch, or with
        ``read_committed`` to the last stable offset.

        None if nothing has been fetched yet, or while the position is being looked up.
        """
        with self._calls:
            core = self._usable()
            given_out = core.cursor.given_out()
            progress = core.fetches.look(lambda state: state.progress(given_out))
            return {tp: standing.lag for tp, standing in progress.partitions.items()}

    def reached_end(self) -> dict[TopicPartition, int]:
        """The partitions that have been read to their end since the last call, each with the offset of that end.

        Call it after ``poll``. A partition is returned once for each end: again when records were added and read, when
        it was read again after a ``seek``, or when it is assigned again. The end is the one of the last fetch, so an
        empty partition is returned after its first fetch; with ``isolation.level=read_committed`` it is the beginning
        of the first open transaction. Never waits. ``lag()`` tells at any time which partitions are at their end.
        """
        with self._use("reached_end"):
            return self._ends.new()

    def store_offsets(self, offsets: Offsets) -> None:
        """Mark records as processed. Auto-commit, and ``commit()`` without arguments, then commit these offsets.

        ``offsets`` has the same form as for ``commit``: a ``Record`` means that it and all earlier records of its
        partition are processed. Never waits. Any thread may call it at any time, for example a thread that processes
        records. Each call replaces the stored offsets of its partitions. Threads that finish records out of order must
        therefore store the first offset that is not processed. Store offsets before the next ``on_partitions_revoked``:
        auto-commit commits before that callback.

        Without a stored offset no record is lost: the next owner starts where this consumer started. ``seek`` moves the
        stored offset back, but never forward over records that are not stored; ``commit(offsets)`` moves it forward.

        Raises MisuseError unless ``enable.auto.offset.store`` is false, or if a partition is not, or no longer,
        assigned: another member may process its records, so nothing is stored. Raises TypeError or ValueError for
        invalid offsets.
        """
        with self._calls:
            self._usable().store_offsets(offsets)

    def rebalances(self) -> tuple[Rebalance, ...]:
        """The last fifty completed rebalances of this member, oldest first.

        Each has its time, its cause and a description, the epochs before and after, the partitions that were assigned,
        revoked, lost and kept, the duration of each phase in milliseconds, and the error, if any.
        """
        with self._calls:
            return self._usable().engine.rebalances()

    def health(self) -> Health:
        """The health of this consumer: status, last heartbeat and poll, current rebalance, stalled partitions.

        Never blocks, so a probe may call it at any time from any thread. ``problem`` is None if there is no problem.
        """
        with self._calls:
            return self._usable().engine.health()

    def metrics(self) -> Metrics:
        """All counters and measurements of this consumer so far: reading, commits, the group, polls, connections.

        Never blocks, so an exporter may call it at any time from any thread, even after ``close``. Raises MisuseError
        in a forked process.
        """
        with self._calls:
            return self._core.metrics()

    @property
    def group_protocol(self) -> GroupProtocol | None:
        """The protocol of the group: as configured or, with ``auto``, as detected; None until then."""
        return self._usable().engine.membership.protocol

    def standby_ready(self, partitions: Iterable[TopicPartition] | None = None) -> None:
        """Mark this standby as ready to take over, after ``on_standby`` returned ``StandbyState.LOADING``.

        Never blocks, so the thread or task that loads may call it. ``partitions`` are the partitions of the
        ``on_standby`` call for which they were loaded: if it has been called with others since, or is about to be,
        nothing happens. Without ``partitions``, the call is for the latest ``on_standby``. It also has no effect if the
        member is active or not in its group, if the consumer is closed, or if the coordinator has no standbys, like all
        releases of Apache Kafka. Raises TypeError or ValueError for invalid partitions, and MisuseError in a forked
        process.
        """
        with self._calls:
            self._core.standby_ready(partitions)

    def _subscribe(self, topics: Topics, listener: RebalanceListener | AsyncRebalanceListener | None) -> Future[None]:
        return self._core.subscribe(
            topics, has_listener=listener is not None, loads_as_standby=loads_as_standby(listener)
        )

    def enforce_rebalance(self, reason: str | None = None, join_reason: JoinReason = JoinReason.UNKNOWN) -> None:
        """Make the group rebalance at the next ``poll``; its coordinator gets ``reason`` (KIP-568, KIP-800).

        A coordinator with extensions gets ``join_reason``, too: with UPGRADE the group rebalances even if this member
        is not its leader.

        Only members of the classic protocol can enforce a rebalance. With the consumer group protocol only the
        coordinator decides, for example when a member's subscription changes: this call then only issues a UserWarning.
        With ``auto`` it only issues the warning until the protocol has been detected. Raises MisuseError without a
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
        """Identify this member for ``send_offsets_to_transaction`` of a transactional producer (KIP-447).

        confluent-kafka's and kafka-python's producers accept the result directly. Call this again in each transaction:
        the epoch changes with every rebalance. A member that was removed from its group keeps its last epoch until the
        application polls again, so the coordinator refuses offsets of partitions that it lost. A consumer that has not
        joined yet, or reads partitions assigned manually, has epoch -1 and no id, which every coordinator accepts.
        ``docs/guides/transactions.md`` shows the whole loop. Raises MisuseError without ``group.id``.
        """
        identity = self._usable().engine.identity
        if not identity.group_id:
            raise MisuseError("group_metadata() needs group.id")
        return identity.as_metadata()

    @contextmanager
    def _running(self) -> Iterator[None]:
        """Allow only one ``run`` at a time, and report the error that ends it in ``health``."""
        if self._runs:
            raise ConcurrentUseError(
                "run() was called while another run() of this consumer is in progress; stop that one first"
            )
        try:
            self._runs = True
            yield
        except ConcurrentUseError:  # another call is still in progress
            raise
        except Exception as error:
            self._core.engine.counters.polls.run_error = describe_error(error)
            raise
        finally:
            self._runs = False

    def _topics_to_run(self, topics: Topics | None) -> Topics | None:
        """Return the topics ``run`` subscribes to: ``topics``, or the current subscription if it has no listener.

        Returns None with a manual assignment. Raises MisuseError if ``run`` is not possible.
        """
        core = self._usable()
        if not self.config.group_id:
            raise MisuseError("run() commits offsets, which needs a group: set group.id")
        if topics is None and core.fetches.has_ranges:
            raise MisuseError(
                "run() never ends, so it can't read ranges: read them in a loop, or assign partitions without an end"
            )
        if topics is not None or core.manual_assignment:
            return topics
        if core.topics is None:
            raise MisuseError("run() has nothing to read: pass topics to it, or call subscribe() or assign() first")
        if core.has_listener:
            raise MisuseError(
                "run() uses its own rebalance listener: call subscribe() without a listener, or pass the topics to "
                "run()"
            )
        return core.topics

    def _positions(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The positions, after all records handed over, of partitions that have one and are not being revoked."""
        return self._usable().fetches.under_lock(lambda state: state.handover.positions_to_keep())

    def _is_poll_awaited(self) -> bool:
        """Whether a rebalance, or another callback, waits for the next poll."""
        core = self._usable()
        return core.engine.mailbox.wants_poll or core.callbacks.has_any

    def _ends_idle(self) -> bool:
        """Whether a loop ends because no record has come for ``consumer.timeout.ms``, after a poll of the loop."""
        if self._core.fetches.offer.parts:
            self._idle.note_records()
            return False
        return self._idle.is_over()

    def _usable(self) -> ConsumerCore:
        """Return the core, or raise MisuseError if it can't be used now."""
        _check_of(self._core, is_in_callback(self._core))()
        return self._core

    def _use(self, call: str) -> AbstractContextManager[None]:
        """Enter a call that runs no callbacks; a callback may make such a call."""
        is_part = is_in_callback(self._core)
        return Call(_check_of(self._core, is_part), self._guard, self._calls, call, is_part)

    def _use_alone(self, call: str) -> AbstractContextManager[None]:
        """Enter a call that runs callbacks; a callback can't make such a call."""
        if is_in_callback(self._core):
            raise MisuseError(f"{call}() would wait for the rebalance callback it is called from; call it after poll()")
        known = self._alone.get(call)
        if known is None:
            known = self._alone[call] = Call(self._core.check_open, self._guard, self._calls, call, False)
        return known

    def _limit_s(self, timeout: float | None) -> float:
        return self.config.default_api_timeout_ms / 1000 if timeout is None else checked_seconds(timeout)


def check_max_records(max_records: int | None) -> None:
    """Raise ValueError for an invalid number of records."""
    if max_records is not None and max_records < 1:
        raise ValueError(f"max_records must be at least 1, not {max_records}")

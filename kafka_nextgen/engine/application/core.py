"""The common part of ``Consumer`` and ``AsyncConsumer``: everything except waiting.

Calls that need the network return a future of the I/O thread; each consumer waits for it in its own way. Calls about
records run immediately, under the lock of the fetch state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from typing import TYPE_CHECKING, Any, TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.engine.application.arguments import (
    Offsets,
    ToAssign,
    Topics,
    checked_offset,
    checked_offsets,
    checked_partitions,
    checked_ranges,
    checked_timestamps,
    checked_topic_names,
    checked_topics,
)
from kafka_nextgen.engine.application.callbacks import Callbacks
from kafka_nextgen.engine.application.cursor import Cursor
from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.engine.application.deserializing_poll import DeserializingPoll
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.mailbox import CallbackKind, CommitCallback, PendingCall
from kafka_nextgen.engine.member.manual_assignment import refusal
from kafka_nextgen.engine.observability.hooks import wall_s
from kafka_nextgen.errors import ConfigError, MisuseError
from kafka_nextgen.types import OffsetAndMetadata, TopicDescription, TopicPartition, format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.config import ConsumerConfig
    from kafka_nextgen.engine.application.wakeup import Wakeup
    from kafka_nextgen.engine.engine import Engine
    from kafka_nextgen.engine.reading.locked_fetches import PollOffer
    from kafka_nextgen.groups.partition_results import PartitionResults
    from kafka_nextgen.metrics.consumer_metrics import Metrics
    from kafka_nextgen.properties.offset_reset import OffsetReset
    from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp
    from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["ConsumerCore"]

T = TypeVar("T")

#: The application's polls are reported to the member at least this often (seconds), as max.poll.interval.ms is measured
#: from these reports.
POLL_NOTE_INTERVAL_S = 1.0


class ConsumerCore:
    """The part of a consumer that does not depend on how its calls wait."""

    def __init__(self, config: ConsumerConfig, engine: Engine, wakeup: Wakeup, whoami: Callable[[], object]) -> None:
        self.config = config
        self.wakeup = wakeup
        self.engine = engine
        self.now = self.engine.now
        self.fetches = self.engine.fetches
        self.closing = False
        self.note_interval_s = min(POLL_NOTE_INTERVAL_S, config.max_poll_interval_ms / 10_000)
        self._deserializers = Deserializers.of(config).needed
        self.hooks = self.engine.hooks
        self.polls = self.engine.counters.polls
        self.cursor = Cursor(
            self.fetches,
            self.engine.mailbox,
            self._deserializers,
            whoami,
            self._handed_over,
            self._put_back,
            wakeup,
            self.polls.note_waits,
            self.now,
        )
        self.is_reminded = False  # whether iteration has been reminded to poll
        self.note_at_s = 0.0  # when the next poll must be reported to the member
        self.topics: Topics | None = None  # the subscription
        self.has_listener = False  # whether the subscription has a listener
        self.callbacks = Callbacks(self.engine)
        self._all_is_processed = True

    # ---- subscribing

    def subscribe(self, topics: Topics, *, has_listener: bool, loads_as_standby: bool) -> Future[None]:
        """Subscribe to topics by name, or to all that match a pattern."""
        subscribed = checked_topics(topics)
        if not self.config.group_id:
            raise ConfigError("subscribe() needs group.id; assign() reads partitions without one", key="group.id")
        if self.manual_assignment:
            raise refusal("subscribe", self.manual_assignment)
        self.engine.mailbox.raise_fatal()
        self.topics, self.has_listener = topics, has_listener
        work = self.engine.membership.subscribe(
            subscribed, has_listener=has_listener, loads_as_standby=loads_as_standby
        )
        return self.engine.thread.submit(work)

    def unsubscribe(self, timeout_s: float) -> Future[None]:
        """Start leaving the group and end the subscription."""
        self.cursor.finish_run()
        self.fetches.let_go()
        self.topics = None
        return self.engine.unsubscribe(timeout_s)

    @property
    def manual_assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are assigned manually."""
        return self.engine.manual_assignment.partitions

    def assign(self, partitions: ToAssign, timeout_s: float) -> Future[None]:
        """Read only these partitions, or ranges, without being a member of a group."""
        wanted, ranges = frozenset(checked_partitions(partitions)), checked_ranges(partitions)
        if self.topics is not None:
            raise refusal("assign", wanted)
        self.engine.mailbox.raise_fatal()
        self.cursor.mark_processed()
        self.cursor.finish_run()
        self.fetches.let_go()
        return self.engine.thread.submit(self.engine.manual_assignment.assign(wanted, ranges, timeout_s))

    # ---- polls; ``polling`` has their steps

    def check_open(self) -> None:
        """Raise MisuseError if the consumer is closed, or was created before this process was forked."""
        self.engine.thread.check_usable()
        if self.closing:
            raise MisuseError("this consumer is closed")

    def find(self, max_records: int | None, only: Collection[TopicPartition] = ()) -> PollOffer:
        """Offer at most ``max_records`` of the records that have arrived; taking the offer advances the positions.

        With ``only``, it is at most one record, of these partitions.
        """
        offer = self.fetches.find(max_records or self.config.max_poll_records, only=only)
        self.note_found(offer)
        return offer

    def records(self, offer: PollOffer) -> Records[Any, Any]:
        """Return the records of an offer, as ``poll`` returns them."""
        parts = offer.parts
        if self._deserializers is None:
            return Records(parts)
        hand_over = self.cursor.hand_over = DeserializingPoll(parts, self._put_back, self.fetches.hand_over)
        return Records(parts, self._deserializers, hand_over)

    def _put_back(self, parts: Iterable[ColumnSlice], last: TopicPartition) -> None:
        if not self.engine.thread.is_foreign:  # the locks of a forked process may be held forever
            self.fetches.put_back(parts, last)

    def note_found(self, offer: PollOffer) -> None:
        """Call the hooks for the records found by a poll."""
        self._handed_over(offer.parts, self.polls.began_at, self.now())

    def use(self, deserializers: Deserializers | None) -> None:
        """Deserialize the next records with these; None leaves them as bytes."""
        self._deserializers = self.cursor.deserializers = deserializers

    def _handed_over(self, parts: Sequence[ColumnSlice], began: float | None, ended: float) -> None:
        """Call the hooks for the result of a poll that lasted from ``began`` to ``ended`` (monotonic seconds)."""
        if self.hooks and parts and began is not None:
            records = Records(parts, self._deserializers and self._deserializers.lenient)
            began_at, took_s = wall_s(began), ended - began
            self.hooks.each(lambda hooks: hooks.received(records, began_at, took_s))

    def metrics(self) -> Metrics:
        """All counters and measurements so far. Raises MisuseError in a forked process."""
        self.engine.thread.refuse_foreign()
        return self.engine.metrics(self.cursor.given_out())

    # ---- positions

    def commit(self, offsets: Offsets | None, timeout_s: float, callback: CommitCallback | None = None) -> Future[None]:
        """Commit ``offsets``, or the positions after all records handed over; ``poll`` runs ``callback``.

        A commit of the positions fails if partitions were lost before their records were committed. In a rebalance
        callback it does not fail, as ``on_partitions_lost`` reports these partitions.
        """
        to_commit = self._to_commit(offsets)
        is_bare = offsets is None and self.callbacks.current is None
        lost = self.fetches.under_lock(lambda state: state.handover.uncommitted.partitions) if is_bare else frozenset()
        ended = self.engine.commit(to_commit, timeout_s, lost)
        if callback is not None:
            ended.add_done_callback(lambda _: self._post_committed(callback, to_commit, ended))
        return ended

    def _post_committed(
        self, callback: CommitCallback, offsets: Mapping[TopicPartition, OffsetAndMetadata], ended: Future[None]
    ) -> None:
        error = CancelledError() if ended.cancelled() else ended.exception()
        self.engine.mailbox.post_callback(PendingCall(CallbackKind.COMMITTED, run=lambda: callback(offsets, error)))

    def _to_commit(self, offsets: Offsets | None) -> Mapping[TopicPartition, OffsetAndMetadata]:
        if offsets is None:
            self.cursor.advance_positions()
            self.fetches.mark_consumed()  # a later auto-commit must not commit less
            return self.fetches.offsets_to_commit()
        given = checked_offsets(offsets)
        if not self.config.enable_auto_offset_store:
            self.fetches.under_lock(lambda state: state.handover.note_commit(given))
        return given

    def store_offsets(self, offsets: Offsets) -> None:
        """Store the offsets of processed records, for auto-commit and ``commit()``."""
        if self.config.enable_auto_offset_store:
            raise MisuseError(
                "store_offsets() needs enable.auto.offset.store=false: otherwise each poll stores what the one before "
                "returned"
            )
        stored = checked_offsets(offsets)
        self.fetches.under_lock(lambda state: state.store(stored))

    def find_position(self, partition: TopicPartition, timeout_s: float) -> Future[int]:
        """The offset of the next record to be handed over, once it is known."""
        self.require_assigned([partition])
        self.cursor.check_hand_over()
        given_out = self.cursor.given_out()
        position = self.fetches.look(lambda state: state.position(partition, given_out))
        if position is not None:
            return _completed(position)
        return self.engine.query(lambda: self.engine.fetcher.find_position(partition, timeout_s))

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Continue reading at ``offset``."""
        target = checked_offset(partition, offset)
        self.cursor.finish_run()
        self.require_assigned([partition])
        self.fetches.change(lambda state: state.seek(partition, target.offset, target.leader_epoch))
        self.engine.note_seek(frozenset({partition}))

    def seek_to(self, partitions: Collection[TopicPartition] | None, where: OffsetReset) -> None:
        """Continue reading at the beginning or the end, in all partitions if ``partitions`` is None."""
        self.cursor.finish_run()
        chosen = self.fetches.assignment() if partitions is None else self.require_assigned(partitions)
        self.fetches.change(lambda state: state.seek_to(chosen, where))
        self.engine.note_seek(frozenset(chosen))

    def pause(self, partitions: Collection[TopicPartition]) -> None:
        """Stop handing over records of these partitions until they are resumed."""
        self.cursor.finish_run()
        chosen = self.require_assigned(partitions)
        self.fetches.change(lambda state: state.pause(chosen))

    def resume(self, partitions: Collection[TopicPartition]) -> None:
        """Undo ``pause``."""
        chosen = self.require_assigned(partitions)
        self.fetches.change(lambda state: state.resume(chosen))

    def require_assigned(self, partitions: Iterable[TopicPartition]) -> tuple[TopicPartition, ...]:
        """Return ``partitions``; raises MisuseError naming those that are not assigned."""
        wanted, owned = checked_partitions(partitions), self.fetches.assignment()
        foreign = set(wanted) - owned
        if foreign:
            message = (
                f"{format_partitions(foreign)} not assigned to this consumer, which has {format_partitions(owned)}"
            )
            raise MisuseError(message)
        return wanted

    # ---- queries

    def committed(
        self, partitions: Iterable[TopicPartition], timeout_s: float
    ) -> Future[dict[TopicPartition, OffsetAndMetadata | None]]:
        """Return the committed offsets of these partitions, None for a partition that has none or does not exist."""
        wanted = checked_partitions(partitions)
        return self.engine.query(lambda: self._committed(wanted, timeout_s))

    async def _committed(
        self, partitions: Collection[TopicPartition], timeout_s: float
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        found = await self.engine.offsets.committed(partitions, timeout_s)
        return {tp: found.get(tp) for tp in partitions}

    def group_lag(
        self, partitions: Iterable[TopicPartition] | None, timeout_s: float
    ) -> Future[PartitionResults[int | None]]:
        """Return the group's lag in these partitions; None means all assigned or, for a standby, all it may get."""
        wanted = checked_partitions(self._own_partitions() if partitions is None else partitions)
        return self.engine.query(lambda: self._group_lag(wanted, clocks.monotonic() + timeout_s))

    def standby_ready(self, partitions: Iterable[TopicPartition] | None) -> None:
        """Note on the I/O thread that these partitions are loaded; None means those of the latest ``on_standby``.

        Raises MisuseError in a forked process.
        """
        self.engine.thread.refuse_foreign()
        loaded = None if partitions is None else checked_partitions(partitions)
        self.engine.thread.call_soon(lambda: self.engine.membership.standby_ready(loaded))

    def _own_partitions(self) -> Collection[TopicPartition]:
        return self.engine.membership.standby_partitions or self.fetches.assignment()

    async def _group_lag(self, partitions: Collection[TopicPartition], deadline: float) -> PartitionResults[int | None]:
        committed = await self._committed(partitions, max(0.0, deadline - clocks.monotonic()))
        return await self.engine.cluster_queries.lag(committed, max(0.0, deadline - clocks.monotonic()))

    def list_offsets(
        self, timestamps: Mapping[TopicPartition, int], timeout_s: float
    ) -> Future[PartitionResults[OffsetAndTimestamp]]:
        """Return the offsets at these timestamps (milliseconds; -1 for the end, -2 for the beginning)."""
        wanted = checked_timestamps(timestamps)
        return self.engine.query(lambda: self.engine.cluster_queries.reachable_offsets(wanted, timeout_s))

    def describe_topics(self, topics: Collection[str] | None, timeout_s: float) -> Future[dict[str, TopicDescription]]:
        """Describe these topics, or all; topics that do not exist are left out."""
        names = None if topics is None else checked_topic_names(topics, "describe_topics")
        return self.engine.query(lambda: self.engine.cluster_queries.describe_topics(names, timeout_s))

    def partitions_for(self, topic: str, timeout_s: float) -> Future[tuple[int, ...]]:
        """Return the partitions of a topic, empty if it does not exist."""
        return self.engine.query(lambda: self.engine.cluster_queries.partitions_for(topic, timeout_s))

    def cluster_topics(self, timeout_s: float) -> Future[tuple[str, ...]]:
        """Return the topics of the cluster that this principal may see."""
        return self.engine.query(lambda: self.engine.cluster_queries.topics(timeout_s))

    # ---- closing

    def begin_closing(self, all_is_processed: bool) -> bool:
        """Refuse new calls from now on; False if the consumer is already closed or this process was forked.

        Auto-commit covers all records handed over. If an error interrupted processing (not ``all_is_processed``), it
        covers only records handed over before the last poll.
        """
        if self.closing or self.engine.thread.is_foreign:
            return False
        self._all_is_processed = all_is_processed
        self.closing = True
        self.engine.mailbox.note_news()
        return True

    def finish_reading(self) -> None:
        """Advance the positions for the last time; only valid when no other call is in progress."""
        self.cursor.mark_processed()
        self.cursor.finish_run()
        if self._all_is_processed:
            self.fetches.mark_consumed()


def _completed(result: T) -> Future[T]:
    future: Future[T] = Future()
    future.set_result(result)
    return future

"""Writes a consumer's activity as events of its group's history.

Enable it with ``consumer.hooks.add(EventLog(FileSink("billing.jsonl")))`` or the key ``history.log.dir``. Events are
created on the thread where they happen (the I/O thread or the application's) and passed to a sink, which never blocks.

The events of a rebalance are written when it is over, with the times of its steps. Giving up a partition starts when
fetching stops (``ms`` before ``at``) and ends when the revocation callback returns (``at``). A new partition counts as
assigned when the assignment callback returns.
"""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve

from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.engine.observability.hooks import Hooks
from kafka_nextgen.engine.observability.rebalance import MemberName, Rebalance, RebalanceCause, RebalanceStep
from kafka_nextgen.history.events import Event, EventKind, SourceKind, partitions_by_topic
from kafka_nextgen.history.file_sink import FileSink
from kafka_nextgen.history.queued_sink import CLOSE_TIMEOUT_S, Sink
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["EventLog"]

#: Steps during which revoked partitions are no longer fetched.
_GIVING_UP = frozenset({"committing", "revoking", "losing", "leaving", "prepare_leaving"})
#: The maximum number of events that are waiting for the cluster's id.
MOST_WAITING = 1_000
#: The event for a member that is out of its group, by the cause of its last rebalance.
_OUT: Mapping[RebalanceCause, EventKind] = {
    RebalanceCause.CLOSED: EventKind.LEFT,
    RebalanceCause.UNSUBSCRIBED: EventKind.LEFT,
    RebalanceCause.POLL_TIMEOUT: EventKind.FENCED,
    RebalanceCause.FENCED: EventKind.FENCED,
    RebalanceCause.FAILED: EventKind.FENCED,
}


class EventLog(Hooks):
    """Writes the events of one consumer to ``sink``, and closes it with the consumer."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._name: Callable[[], MemberName] = MemberName
        self._number = uuid.uuid4().hex[:12]  # distinguishes runs with the same client id
        self._seq = 0
        self._member_id = ""  # the last known id, for events after the member has left
        self._lock = threading.RLock()  # events come from two threads; a signal handler may commit in between
        self._positions: dict[TopicPartition, int] = {}
        self._waiting: list[Event] | None = []  # until the cluster's id is known, possibly only after a join

    def attached(self, name: Callable[[], MemberName]) -> None:
        """Store the consumer's name."""
        self._name = name

    def reached(self) -> None:
        """Write the events from before the cluster's id was known."""
        self._wait_no_more(self._name().cluster_id)

    def detached(self, timeout_s: float) -> None:
        """Write the waiting events, and close the sink."""
        self._wait_no_more(self._name().cluster_id)
        self._sink.close(min(timeout_s, CLOSE_TIMEOUT_S))

    @staticmethod
    def in_directory(directory: Path, client_id: str) -> EventLog:
        """Write to a new file in ``directory``, named after the client id and a unique number."""
        name = re.sub(r"[^A-Za-z0-9._-]+", "_", client_id)[:100]
        return EventLog(FileSink(directory / f"{name}-{uuid.uuid4().hex[:12]}.jsonl"))

    # ---- hooks

    def received(self, records: Records, began_at: float, took_s: float) -> None:
        """Record each partition's position, for the event if the partition is lost."""
        self._positions.update(records.next_offsets())

    def committed(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        """Write one event per partition, or one for the error."""
        member, at = self._name(), began_at + took_s
        if error is not None:
            self._write(member, EventKind.ERROR, at, ms=_ms(took_s), cause=type(error).__name__, reason=str(error))
            return
        for partition, committed in offsets.items():
            topic, number = partition
            self._write(
                member,
                EventKind.COMMITTED,
                at,
                topic=topic,
                partitions=(number,),
                offset=committed.offset,
                ms=_ms(took_s),
            )

    def called_back(
        self,
        callback: str,
        partitions: Sequence[TopicPartition],
        began_at: float,
        took_s: float,
        error: BaseException | None,
    ) -> None:
        """Write one event, and one for the error."""
        member, at = self._name(), began_at + took_s
        reason = None if error is None else f"{type(error).__name__}: {error}"
        self._write(member, EventKind.CALLBACK, at, ms=_ms(took_s), cause=callback, reason=reason)
        if error is not None:
            self._write(member, EventKind.ERROR, at, cause=type(error).__name__, reason=str(error))

    def polled_late(self, began_at: float, took_s: float) -> None:
        """Write one event."""
        self._write(self._name(), EventKind.POLL_GAP, began_at + took_s, ms=_ms(took_s))

    def rebalanced(self, rebalance: Rebalance) -> None:
        """Write which partitions were revoked, lost and assigned, and whether the member is in the group."""
        self._tell_end_of(rebalance)
        self._tell_what_came(rebalance)
        for partition in {*rebalance.revoked, *rebalance.lost}.difference(rebalance.assigned):
            self._positions.pop(partition, None)  # another member continues there

    def _tell_end_of(self, rebalance: Rebalance) -> None:
        member, epoch, cause = rebalance.member, rebalance.epoch_before, rebalance.cause.value
        given_at, stood_ms = _given_up(rebalance)
        for topic, numbers in partitions_by_topic(rebalance.revoked).items():
            self._write(
                member,
                EventKind.REVOKED,
                given_at,
                epoch=epoch,
                topic=topic,
                partitions=numbers,
                ms=stood_ms,
                cause=cause,
            )
        for partition in rebalance.lost:
            topic, number = partition
            self._write(
                member,
                EventKind.LOST,
                rebalance.began_at,
                epoch=epoch,
                topic=topic,
                partitions=(number,),
                offset=self._positions.get(partition),
                cause=cause,
            )
        if rebalance.cause in _OUT:
            at = _ended_at(rebalance) if _OUT[rebalance.cause] is EventKind.LEFT else rebalance.began_at
            self._write(member, _OUT[rebalance.cause], at, epoch=epoch, cause=cause, reason=rebalance.reason or None)

    def _tell_what_came(self, rebalance: Rebalance) -> None:
        member, epoch = rebalance.member, rebalance.epoch_after
        if epoch < 0:
            return
        if rebalance.cause is RebalanceCause.JOINED:
            self._write(member, EventKind.JOINED, rebalance.began_at, epoch=epoch, reason=rebalance.reason or None)
        at = _flow_at(rebalance)
        if not rebalance.assigned:
            self._write(member, EventKind.ASSIGNED, at, epoch=epoch, partitions=())
        for topic, numbers in partitions_by_topic(rebalance.assigned).items():
            self._write(member, EventKind.ASSIGNED, at, epoch=epoch, topic=topic, partitions=numbers)

    def _write(self, member: MemberName, kind: EventKind, at_s: float, **details: Any) -> None:
        """Write an event of ``member`` at ``at_s`` (seconds since the epoch); ``details`` contains its other fields."""
        if not member.group_id:
            return
        with self._lock:
            self._seq += 1
            self._member_id = member.member_id or self._member_id
            event = Event(
                _ms(at_s),
                self._seq,
                f"{SourceKind.CONSUMER.value}:{member.client_id}/{self._number}",
                member.cluster_id or self._name().cluster_id,
                member.group_id,
                kind,
                protocol=member.protocol or None,
                member=self._member_id or None,
                instance=member.instance_id,
                client=member.client_id,
                **details,
            )
            if event.cluster or self._waiting is None or len(self._waiting) >= MOST_WAITING:
                self._wait_no_more(event.cluster)
                self._sink.write(event)
            else:
                self._waiting.append(event)

    def _wait_no_more(self, cluster: str) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, None
            for event in waiting or ():
                self._sink.write(evolve(event, cluster=cluster))


def _ms(seconds: float) -> int:
    return max(round(seconds * 1000), 0)


def _ended_at(rebalance: Rebalance) -> float:
    return rebalance.steps[-1].ended_at if rebalance.steps else rebalance.began_at


def _given_up(rebalance: Rebalance) -> tuple[float, int]:
    """When the revoked partitions were given up, and for how long (ms) they had gone without being fetched by then."""
    giving: list[RebalanceStep] = [step for step in rebalance.steps if step.name in _GIVING_UP]
    if not giving:
        return rebalance.began_at, 0
    ended_at = giving[-1].ended_at
    return ended_at, _ms(ended_at - giving[0].began_at)


def _flow_at(rebalance: Rebalance) -> float:
    """When fetching of the new partitions started: before the acknowledgement, which does not delay it."""
    return next(
        (step.began_at for step in reversed(rebalance.steps) if step.name == "acknowledging"), _ended_at(rebalance)
    )

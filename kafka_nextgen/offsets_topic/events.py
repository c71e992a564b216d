"""Derives the events of consumer groups and classic groups from the records of ``__consumer_offsets``.

| record | events |
|---|---|
| a member's first metadata | joined |
| a member's tombstone | revoked, left or fenced |
| a group's epoch, if it has changed | group epoch |
| a member's target; the target's epoch | target, once for each topic and once for the epoch |
| the partitions a member owns | revoked, assigned; assigned with no partitions if it reached an epoch unchanged |
| the same with epoch -2: a static member left temporarily | revoked, left |
| a generation of a classic group | revoked, left or fenced, group epoch, joined, assigned |
| an offset | committed; in a transaction, when the transaction is committed |

The reason for a member's departure comes from the reference broker's record of the rebalance [10000], or from the
caller (``Known``). Kafka's records do not say whether a member left or was fenced. It is then reported as ``left`` with
the cause ``unknown``, but as ``fenced`` with the cause ``member restarted`` if another member took over its instance
id. A tombstone is reported even if its member was never seen. If the log lacks a group's beginning, its members are
``joined`` with the cause ``begins in the middle``: they may have joined long before.

Causes and epochs are written after their effects, so the rows of a batch must be processed together. Coordinators give
all records of a batch the same timestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from kafka_nextgen.groups import records as r
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.offsets_topic.ahead import Row, look_ahead
from kafka_nextgen.offsets_topic.group_story import GroupStories
from kafka_nextgen.offsets_topic.story_state import Departure, Telling
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["Departure", "Known", "RecordStory", "Row"]


@frozen
class Known:
    """Information that is not in the rows: how the removed members left, and which member committed."""

    departure: Departure | None = None
    member: str | None = None


class RecordStory:
    """Derives events from the records of one partition, in the order of its log.

    ``seq`` of an event is ``offset << 20 | index``: the index counts the events of one record. Memory grows with groups
    x members x partitions, and with the offsets in open transactions.

    Args:
        source: The events' source, such as ``offsets:17``.
        cluster: The cluster's id, empty if unknown.
        names: The names of topics by id; ``know`` adds more. A topic without a name is reported by its id.
    """

    def __init__(self, source: str, cluster: str = "", names: Mapping[TopicId, str] | None = None) -> None:
        self._source = source
        self._cluster = cluster
        self._names: dict[TopicId, str] = dict(names or {})
        self._stories = GroupStories(self._names)
        self._pending: dict[int, dict[tuple[str, TopicPartition], r.PendingOffsetCommitted]] = {}
        self._known = Known()
        self._telling = Telling(source, cluster)
        self._rules: Mapping[type, Callable[[Any], None]] = {
            r.OffsetCommitted: self._on_offset,
            r.OffsetRemoved: self._forget_pending,
            r.PendingOffsetCommitted: self._on_pending,
            r.TransactionEnded: self._on_transaction_ended,
        }

    def know(self, names: Mapping[TopicId, str]) -> None:
        """Add names of topics."""
        self._names.update(names)

    def members(self, group_id: str) -> frozenset[str]:
        """The members of a group after the last record."""
        group = self._stories.groups.get(group_id)
        return frozenset() if group is None else frozenset(group.members)

    def note_gone(self, group_id: str, member_id: str, how: Departure) -> None:
        """Note how a member of a classic group left before a record reports that it is gone. The first note counts."""
        group = self._stories.groups.get(group_id)
        if group is not None and member_id in group.members:
            group.gone.setdefault(member_id, how)

    def tell(self, rows: Iterable[Row], known: Known | None = None) -> list[Event]:
        """Return the events of these rows: one or several whole batches, in the order of the log.

        Successive rows with the same timestamp count as one batch.
        """
        self._known = known or Known()
        self._telling = Telling(self._source, self._cluster)
        for _, batch in groupby(rows, key=lambda row: row.at):
            self._tell_batch(tuple(batch))
        return self._telling.events

    def _tell_batch(self, rows: Sequence[Row]) -> None:
        for row, ahead in zip(rows, look_ahead(rows), strict=True):
            self._telling.begin(row)
            rule = self._rules.get(type(row.record))
            if rule is not None:
                rule(row.record)
            else:
                self._stories.take_in(row.record, ahead, self._telling, self._known.departure)

    def end_transaction(self, producer_id: int, is_commit: bool, offset: int, at: int) -> list[Event]:
        """Return the events of a transaction's end marker, which was written at this offset and time (ms)."""
        self._telling = Telling(self._source, self._cluster)
        self._telling.begin(Row(offset, at, r.TransactionEnded("", producer_id, is_commit)))
        for record in self._pending.pop(producer_id, {}).values():
            if is_commit:
                self._tell_commit(record, None)
        return self._telling.events

    def _on_offset(self, record: r.OffsetCommitted) -> None:
        if record.topic_id is not None:
            self._names[record.topic_id] = record.partition.topic
        self._forget_pending(record)
        self._tell_commit(record, self._known.member)

    def _forget_pending(self, record: r.OffsetCommitted | r.OffsetRemoved) -> None:
        for pending in self._pending.values():
            pending.pop((record.group_id, record.partition), None)

    def _on_pending(self, record: r.PendingOffsetCommitted) -> None:
        self._pending.setdefault(record.producer_id, {})[record.group_id, record.partition] = record

    def _on_transaction_ended(self, record: r.TransactionEnded) -> None:
        pending = self._pending.get(record.producer_id, {})
        for key in [key for key in pending if key[0] == record.group_id]:
            ended = pending.pop(key)
            if record.is_commit:
                self._tell_commit(ended, None)
        if not pending:
            self._pending.pop(record.producer_id, None)

    def _tell_commit(self, record: r.OffsetCommitted | r.PendingOffsetCommitted, member: str | None) -> None:
        group = self._stories.groups.get(record.group_id)
        self._telling.tell(
            EventKind.COMMITTED,
            record.group_id,
            None if group is None else group.protocol,
            member=member,
            topic=record.partition.topic,
            partitions=(record.partition.partition,),
            offset=record.offset.offset,
        )

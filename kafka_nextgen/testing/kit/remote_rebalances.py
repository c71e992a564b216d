"""The rebalances of a group from its records in ``__consumer_offsets``.

Kafka's coordinators record epochs and members, but no causes. These are derived from the changes of an epoch; see
``kafka_nextgen.offsets_topic``.
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from kafka_nextgen.admin.history import PastRebalance
from kafka_nextgen.admin.values import GroupType
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.offsets_topic.events import RecordStory, Row
from kafka_nextgen.offsets_topic.extensions import Skipped, decode
from kafka_nextgen.types import JoinReason, RebalanceReason, Record

__all__ = ["rebalances_in"]

_REASONS = {reason.name.lower().replace("_", " "): reason for reason in RebalanceReason}


def rebalances_in(records: Iterable[Record[bytes, bytes]], group_id: str) -> tuple[PastRebalance, ...]:
    """Return the group's rebalances, oldest first; ``records`` are the records of its partition of the topic."""
    found: list[PastRebalance] = []
    for event in RecordStory("offsets:0").tell(_rows(records)):
        if event.group != group_id:
            continue
        if event.kind is EventKind.GROUP_EPOCH and event.epoch is not None:
            found.append(_rebalance(event, event.epoch, len(found) + 1))
        elif event.kind is EventKind.TARGET and event.member is None and event.epoch is not None:
            found = [_assigned(each, event, event.epoch) for each in found]
    return tuple(found)


def _rows(records: Iterable[Record[bytes, bytes]]) -> list[Row]:
    rows = []
    for record in records:
        try:
            decoded = decode(record.key or b"", record.value)
        except DecodeError:  # of a later release
            continue
        if not isinstance(decoded, Skipped):
            rows.append(Row(record.offset, record.timestamp, decoded))
    return rows


def _rebalance(event: Event, epoch: int, number: int) -> PastRebalance:
    return PastRebalance(
        number=number,
        reason=_REASONS.get(event.cause or "", RebalanceReason.UNKNOWN),
        member_id=event.member,
        instance_id=event.instance,
        stated=JoinReason.UNKNOWN,
        text=event.reason or "",
        type=GroupType.CLASSIC if event.protocol == "classic" else GroupType.CONSUMER,
        epoch=epoch,
        target_epoch=None,
        caused_at=event.at / 1000,
        assigned_at=None,
    )


def _assigned(rebalance: PastRebalance, event: Event, epoch: int) -> PastRebalance:
    """The same rebalance with the first target that takes its cause into account."""
    if rebalance.target_epoch is not None or epoch < rebalance.epoch:
        return rebalance
    return evolve(rebalance, target_epoch=epoch, assigned_at=event.at / 1000)

"""The places that are kept for instances to come: an extension, whose type Kafka's coordinators skip."""

from __future__ import annotations

from kafka_nextgen.bridge.offsets_topic.kind import RecordKind
from kafka_nextgen.coordinator.extensions.records import ExpectedMembers, ExpectedMembersRemoved, Place
from kafka_nextgen.wire.schemas.offsets_topic import ExpectedMembersKey, ExpectedMembersValue

__all__ = ["PLACES"]

_Place = ExpectedMembersValue.Place


def _to_key(record: ExpectedMembers | ExpectedMembersRemoved) -> ExpectedMembersKey:
    return ExpectedMembersKey(group_id=record.group_id)


def _to_value(record: ExpectedMembers) -> ExpectedMembersValue:
    return ExpectedMembersValue(
        places=[
            _Place(
                instance_id=place.instance_id,
                kept_until=place.until_ms,
                rebalance_timeout_ms=place.rebalance_timeout_ms,
                assignor=place.assignor,
            )
            for place in record.places
        ]
    )


def _from_messages(key: ExpectedMembersKey, value: ExpectedMembersValue) -> ExpectedMembers:
    places = (
        Place(place.instance_id, place.kept_until, place.rebalance_timeout_ms, place.assignor) for place in value.places
    )
    return ExpectedMembers(key.group_id, tuple(places))


def _removed_from(key: ExpectedMembersKey) -> ExpectedMembersRemoved:
    return ExpectedMembersRemoved(key.group_id)


PLACES = RecordKind(
    number=10_001,
    key=ExpectedMembersKey,
    value=ExpectedMembersValue,
    record=ExpectedMembers,
    removed=ExpectedMembersRemoved,
    to_key=_to_key,
    to_value=_to_value,
    from_messages=_from_messages,
    removed_from=_removed_from,
)

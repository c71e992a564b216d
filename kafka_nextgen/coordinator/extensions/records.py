"""The facts about a group that Kafka's records have no place for. The number in brackets is the version of the key,
beyond all of Kafka's, whose coordinators skip what they don't know.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.coordinator.extensions.history.records import RebalanceRecorded, RebalanceRecordedRemoved

__all__ = [
    "ExpectedMembers",
    "ExpectedMembersRemoved",
    "ExtensionRecord",
    "Place",
    "RebalanceRecorded",
    "RebalanceRecordedRemoved",
]


@frozen
class Place:
    """What is kept for an instance that is to come: until when (milliseconds since the epoch), and what stands in for
    what it does not say itself.
    """

    instance_id: str
    until_ms: int
    rebalance_timeout_ms: int = -1
    assignor: str | None = None


@frozen
class ExpectedMembers:
    """[10001] The instances that the group waits for, and those that have come and wait with it."""

    group_id: str
    places: tuple[Place, ...]


@frozen
class ExpectedMembersRemoved:
    """[10001] Nobody is expected any more."""

    group_id: str


ExtensionRecord = RebalanceRecorded | RebalanceRecordedRemoved | ExpectedMembers | ExpectedMembersRemoved

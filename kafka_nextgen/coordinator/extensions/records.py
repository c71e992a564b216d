"""The facts about a group that Kafka's records have no place for. The number in brackets is the version of the key,
beyond all of Kafka's, whose coordinators skip what they don't know.
"""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.coordinator.extensions.history_records import RebalanceRecorded, RebalanceRecordedRemoved
from kafka_nextgen.coordinator.extensions.requests import ExpectedMember

__all__ = [
    "ExpectedMembers",
    "ExpectedMembersRemoved",
    "ExtensionRecord",
    "RebalanceRecorded",
    "RebalanceRecordedRemoved",
]


@frozen
class ExpectedMembers:
    """[10001] The instances that are still to join, and until when (milliseconds) the group waits for them."""

    group_id: str
    members: tuple[ExpectedMember, ...]
    deadline_ms: int


@frozen
class ExpectedMembersRemoved:
    """[10001] Nobody is expected any more."""

    group_id: str


ExtensionRecord = RebalanceRecorded | RebalanceRecordedRemoved | ExpectedMembers | ExpectedMembersRemoved

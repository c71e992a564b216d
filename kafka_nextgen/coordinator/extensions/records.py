"""The facts about a group that Kafka's records have no place for. The number in brackets is the version of the key,
beyond all of Kafka's, whose coordinators skip what they don't know.
"""

from __future__ import annotations

from enum import IntEnum

from attrs import frozen

from kafka_nextgen.coordinator.extensions.requests import ExpectedMember

__all__ = [
    "ExpectedMembers",
    "ExpectedMembersRemoved",
    "ExtensionRecord",
    "RebalanceReason",
    "RebalanceRecorded",
    "RebalanceRecordedRemoved",
]


class RebalanceReason(IntEnum):
    """Why the coordinator began a rebalance."""

    UNKNOWN = 0
    MEMBER_JOINED = 1
    MEMBER_RESTARTED = 2
    MEMBER_LEFT = 3
    MEMBER_EXPIRED = 4
    MEMBER_FENCED = 5
    SUBSCRIPTION_CHANGED = 6
    TOPIC_METADATA_CHANGED = 7
    PATTERN_RESOLVED = 8
    ASSIGNOR_REQUESTED = 9
    ADMIN = 10
    MIGRATION = 11


@frozen
class RebalanceRecorded:
    """[10000] A rebalance, in one of the slots that the group's history goes round in.

    ``member_id`` is who caused it, empty if nobody did; ``detail`` says more, such as a member's own reason. Times are
    in milliseconds: of the cause, and of the target assignment that came of it, -1 as long as there is none.
    """

    group_id: str
    slot: int
    group_epoch: int
    reason: RebalanceReason
    member_id: str
    detail: str
    cause_timestamp_ms: int
    rebalance_timestamp_ms: int = -1


@frozen
class RebalanceRecordedRemoved:
    """[10000] The slot is empty."""

    group_id: str
    slot: int


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

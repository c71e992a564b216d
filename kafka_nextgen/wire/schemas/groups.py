"""Administration of groups."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID  # noqa: TID251  (only the type; no id is made here)

from kafka_nextgen.wire.schema import Message, Structure, field
from kafka_nextgen.wire.schemas.consumer_group import ClientAssignor


class ExpectedMember(Structure):
    """An expected member, an extension."""

    instance_id: str = field("string", "0+")
    has_joined: bool = field("bool", "0+")
    expected_until: int = field("int64", "0+")


class LeavingMember(Structure):
    """A member that is announced to leave, an extension."""

    member_id: str = field("string", "0+")
    instance_id: str | None = field("string", "0+", nullable="0+", default=None)
    has_left: bool = field("bool", "0+")
    expected_until: int = field("int64", "0+")


class ListGroupsRequest(Message, api_key=16, versions="0-5", flexible="3+"):
    """List the groups that this broker coordinates."""

    states_filter: Sequence[str] = field(["string"], "4+")
    types_filter: Sequence[str] = field(["string"], "5+")


class ListGroupsResponse(Message, api_key=16, versions="0-5", flexible="3+"):
    """The groups, with their states and types."""

    class ListedGroup(Structure):
        group_id: str = field("string", "0+")
        protocol_type: str = field("string", "0+")
        group_state: str = field("string", "4+")
        group_type: str = field("string", "5+")

    throttle_time_ms: int = field("int32", "1+")
    error_code: int = field("int16", "0+")
    groups: Sequence[ListedGroup] = field([ListedGroup], "0+")


class DescribeGroupsRequest(Message, api_key=15, versions="0-6", flexible="5+"):
    """Describe classic groups."""

    groups: Sequence[str] = field(["string"], "0+")
    include_authorized_operations: bool = field("bool", "3+")


class DescribeGroupsResponse(Message, api_key=15, versions="0-6", flexible="5+"):
    """Classic groups and their members. From version 5 on, custom tags carry the members that are expected to join
    and to leave.
    """

    class DescribedGroup(Structure):
        class DescribedGroupMember(Structure):
            member_id: str = field("string", "0+")
            group_instance_id: str | None = field("string", "4+", nullable="4+", default=None)
            client_id: str = field("string", "0+")
            client_host: str = field("string", "0+")
            member_metadata: bytes = field("bytes", "0+")
            member_assignment: bytes = field("bytes", "0+")

        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "6+", nullable="6+", default=None)
        group_id: str = field("string", "0+")
        group_state: str = field("string", "0+")
        protocol_type: str = field("string", "0+")
        protocol_data: str = field("string", "0+")
        members: Sequence[DescribedGroupMember] = field([DescribedGroupMember], "0+")
        authorized_operations: frozenset[int] | None = field("bitfield", "3+")
        expected_members: Sequence[ExpectedMember] = field([ExpectedMember], "5+", tag=10000)
        leaving_members: Sequence[LeavingMember] = field([LeavingMember], "5+", tag=10001)

    throttle_time_ms: int = field("int32", "1+")
    groups: Sequence[DescribedGroup] = field([DescribedGroup], "0+")


class ConsumerGroupDescribeRequest(Message, api_key=69, versions="0-1", flexible="0+"):
    """KIP-848, "ConsumerGroupDescribe API": describe consumer groups."""

    group_ids: Sequence[str] = field(["string"], "0+")
    include_authorized_operations: bool = field("bool", "0+")


class ConsumerGroupDescribeResponse(Message, api_key=69, versions="0-1", flexible="0+"):
    """KIP-848, "ConsumerGroupDescribe API": the groups and their members; version 1 adds the members' types."""

    class DescribedGroup(Structure):
        class Member(Structure):
            class Assignment(Structure):
                class TopicPartitions(Structure):
                    topic_id: UUID | None = field("uuid", "0+")
                    topic_name: str = field("string", "0+")
                    partitions: Sequence[int] = field(["int32"], "0+")

                topic_partitions: Sequence[TopicPartitions] = field([TopicPartitions], "0+")
                error: int = field("int8", "0+", tag=10000)
                metadata_version: int = field("int16", "0+", tag=10002)
                metadata_bytes: bytes | None = field("bytes", "0+", nullable="0+", tag=10003, default=None)

            member_id: str = field("string", "0+")
            instance_id: str | None = field("string", "0+", nullable="0+", default=None)
            rack_id: str | None = field("string", "0+", nullable="0+", default=None)
            member_epoch: int = field("int32", "0+")
            client_id: str = field("string", "0+")
            client_host: str = field("string", "0+")
            subscribed_topic_names: Sequence[str] = field(["string"], "0+")
            subscribed_topic_regex: str | None = field("string", "0+", nullable="0+", default=None)
            assignment: Assignment = field(Assignment, "0+")
            target_assignment: Assignment = field(Assignment, "0+")
            member_type: int = field("int8", "1+", default=-1)
            client_assignors: Sequence[ClientAssignor] = field([ClientAssignor], "0+", tag=10000)
            standby_place: int = field("int32", "0+", tag=10001)
            standby_state: int = field("int8", "0+", tag=10002)

        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "0+", nullable="0+", default=None)
        group_id: str = field("string", "0+")
        group_state: str = field("string", "0+")
        group_epoch: int = field("int32", "0+")
        assignment_epoch: int = field("int32", "0+")
        assignor_name: str = field("string", "0+")
        members: Sequence[Member] = field([Member], "0+")
        authorized_operations: frozenset[int] | None = field("bitfield", "0+")
        expected_members: Sequence[ExpectedMember] = field([ExpectedMember], "0+", tag=10000)
        leaving_members: Sequence[LeavingMember] = field([LeavingMember], "0+", tag=10001)

    throttle_time_ms: int = field("int32", "0+")
    groups: Sequence[DescribedGroup] = field([DescribedGroup], "0+")


class DeleteGroupsRequest(Message, api_key=42, versions="0-3", flexible="2+"):
    """Delete empty groups."""

    groups_names: Sequence[str] = field(["string"], "0+")


class DeleteGroupsResponse(Message, api_key=42, versions="0-3", flexible="2+"):
    """Whether each of them was deleted."""

    class DeletableGroupResult(Structure):
        group_id: str = field("string", "0+")
        error_code: int = field("int16", "0+")
        error_message: str | None = field("string", "3+", nullable="3+", default=None)

    throttle_time_ms: int = field("int32", "0+")
    results: Sequence[DeletableGroupResult] = field([DeletableGroupResult], "0+")

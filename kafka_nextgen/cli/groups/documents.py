"""Groups, members and offsets as JSON has them: the names of ``GroupAdmin``'s values, partitions as in logs."""

from __future__ import annotations

from kafka_nextgen.admin import GroupDescription, GroupOffset, MemberDescription
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["group_document", "member_document", "offset_document"]


def group_document(group: GroupDescription) -> dict[str, object]:
    """A group without its members."""
    return {
        "group": group.group_id,
        "type": group.type.value,
        "state": group.state.value,
        "protocol_type": group.protocol_type,
        "assignor": group.assignor,
        "group_epoch": group.group_epoch,
        "assignment_epoch": group.assignment_epoch,
        "member_count": len(group.members),
        "coordinator": {
            "node_id": group.coordinator.node_id,
            "host": group.coordinator.host,
            "port": group.coordinator.port,
        },
    }


def member_document(member: MemberDescription) -> dict[str, object]:
    """A member."""
    return {
        "member_id": member.member_id,
        "type": member.type.value,
        "instance_id": member.instance_id,
        "rack_id": member.rack_id,
        "client_id": member.client_id,
        "client_host": member.client_host,
        "member_epoch": member.member_epoch,
        "subscribed_topics": list(member.subscribed_topics),
        "subscribed_pattern": member.subscribed_pattern,
        "assignment": _partitions(member.assignment),
        "target": _partitions(member.target),
    }


def offset_document(partition: TopicPartition, offset: GroupOffset) -> dict[str, object]:
    """A partition of a group."""
    return {
        "topic": partition.topic,
        "partition": partition.partition,
        "committed": None if offset.committed is None else offset.committed.offset,
        "leader_epoch": None if offset.committed is None else offset.committed.leader_epoch,
        "metadata": None if offset.committed is None else offset.committed.metadata,
        "end_offset": offset.end_offset,
        "lag": offset.lag,
        "member_id": offset.member_id,
        "error": None if offset.error is None else str(offset.error),
    }


def _partitions(partitions: frozenset[TopicPartition] | None) -> str | None:
    return None if partitions is None else format_partitions(partitions)

"""Groups, members, offsets and rebalances as JSON, with the names of ``GroupAdmin``'s values."""

from __future__ import annotations

from kafka_nextgen.admin import GroupDescription, GroupOffset, MemberDescription, PastRebalance
from kafka_nextgen.assignors import ClientAssignor, Metadata
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["group_document", "member_document", "offset_document", "rebalance_document"]


def group_document(group: GroupDescription) -> dict[str, object]:
    """Return a group without its members."""
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
        "expected": [
            {"instance_id": each.instance_id, "until_ms": each.until_ms, "has_joined": each.has_joined}
            for each in group.expected
        ],
    }


def member_document(member: MemberDescription) -> dict[str, object]:
    """Return a member."""
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
        "client_assignors": [_assignor(assignor) for assignor in member.client_assignors],
        "assignment_error": member.assignment_error,
        "assignment_metadata": None if member.assignment_metadata is None else _metadata(member.assignment_metadata),
    }


def _assignor(assignor: ClientAssignor) -> dict[str, object]:
    return {
        "name": assignor.name,
        "minimum_version": assignor.minimum_version,
        "maximum_version": assignor.maximum_version,
        "reason": assignor.reason,
        "metadata": _metadata(assignor.metadata),
    }


def _metadata(metadata: Metadata) -> dict[str, object]:
    """Return metadata; its payload is opaque, and shown in hexadecimal."""
    return {"version": metadata.version, "payload": metadata.payload.hex()}


def offset_document(partition: TopicPartition, offset: GroupOffset) -> dict[str, object]:
    """Return a partition with its committed offset."""
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


def rebalance_document(rebalance: PastRebalance) -> dict[str, object]:
    """Return a rebalance; times are in seconds since the Unix epoch."""
    return {
        "number": rebalance.number,
        "reason": rebalance.reason.name.lower(),
        "member_id": rebalance.member_id,
        "instance_id": rebalance.instance_id,
        "stated": rebalance.stated.name.lower(),
        "text": rebalance.text,
        "type": rebalance.type.value,
        "epoch": rebalance.epoch,
        "target_epoch": rebalance.target_epoch,
        "caused_at": rebalance.caused_at,
        "assigned_at": rebalance.assigned_at,
        "delay_s": rebalance.delay_s,
    }


def _partitions(partitions: frozenset[TopicPartition] | None) -> str | None:
    return None if partitions is None else format_partitions(partitions)

"""DescribeGroups: the description of a classic group.

Members' metadata and assignments belong to a generation, so they are shown only while the group is stable. A group id
with offsets alone is an empty group without a type.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.coordinator.classic.responses import DescribedClassicGroup, DescribedClassicMember
from kafka_nextgen.coordinator.group import Group

__all__ = ["describe_classic_group"]


def describe_classic_group(group: Group) -> DescribedClassicGroup:
    """The group and its members, in the order they joined."""
    if group.is_consumer_group or not group.exists:
        why = "is not a classic group." if group.exists else "not found."
        message = f"Group {group.group_id} {why}"
        return DescribedClassicGroup(group.group_id, ErrorCode.GROUP_ID_NOT_FOUND, message)
    classic = group.classic or ClassicGroup(group.group_id)
    is_stable = classic.is_in(ClassicStatus.STABLE)
    shown = classic.protocol if is_stable else None
    return DescribedClassicGroup(
        group.group_id,
        state=classic.status.value,
        protocol_type=classic.protocol_type or "",
        protocol_name=shown or "",
        members=tuple(
            DescribedClassicMember(
                member_id=member.member_id,
                instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                metadata=member.metadata(shown),
                assignment=member.assignment,
            )
            for member in classic.in_order()
        ),
        expected=group.hooks.expected(group),
    )

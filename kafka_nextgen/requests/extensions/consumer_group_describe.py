"""ConsumerGroupDescribe with extension fields: client-side assignors (KIP-848), standbys, and members that
are expected to join and to leave.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from kafka_nextgen.groups.described import ConsumerGroupDescribed, DescribedGroup, DescribedMember
from kafka_nextgen.requests import consumer_group_describe as plain
from kafka_nextgen.requests.extensions.describe_groups import EXPECTED, LEAVING
from kafka_nextgen.wire.extensions.fields import ASSIGNOR, METADATA, standby_state
from kafka_nextgen.wire.messages import ConsumerGroupDescribeResponse

__all__ = ["from_response"]

_Group = ConsumerGroupDescribeResponse.DescribedGroup
_Member = _Group.Member


def from_response(message: ConsumerGroupDescribeResponse, asked: Sequence[str]) -> ConsumerGroupDescribed:
    """Read the groups of ``asked``, in the same order. Raises ``DecodeError`` like the version without tags."""
    described, told = plain.from_response(message, asked), {group.group_id: group for group in message.groups}
    return evolve(described, groups=tuple(_read(group, told[group.group_id]) for group in described.groups))


def _read(group: DescribedGroup, told: _Group) -> DescribedGroup:
    members = tuple(_read_member(*pair) for pair in zip(group.members, told.members, strict=True))
    return evolve(
        group,
        members=members,
        expected=tuple(map(EXPECTED.from_structure, told.expected_members)),
        leaving=tuple(map(LEAVING.from_structure, told.leaving_members)),
    )


def _read_member(member: DescribedMember, told: _Member) -> DescribedMember:
    target = told.target_assignment
    return evolve(
        member,
        client_assignors=tuple(map(ASSIGNOR.from_structure, told.client_assignors)),
        assignment_error=target.error,
        assignment_metadata=METADATA.read(target),
        standby_place=told.standby_place,
        standby_state=standby_state(told.standby_state),
    )

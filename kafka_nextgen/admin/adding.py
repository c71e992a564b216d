"""Announcing members before they come, so that the group rebalances once for all of them (KIP-345, "Future Works").

No release of Apache Kafka can do this: only coordinators with extensions are asked. The request may be put again when
its answer is lost, for an instance that is expected already is announced once more and no error.
"""

from __future__ import annotations

from collections.abc import Collection
from math import ceil

from kafka_nextgen.admin.asking import Asking, Question, refused
from kafka_nextgen.admin.values import AddedMember, NewMember
from kafka_nextgen.bridge.extensions import consumer_group_add_members
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.extensions.requests import AddMembers, ExpectedMember
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.wire.apis import CONSUMER_GROUP_ADD_MEMBERS
from kafka_nextgen.wire.messages import ConsumerGroupAddMembersResponse

__all__ = ["add_members"]

_NOT_STATED = -1


async def add_members(
    asking: Asking, group_id: str, members: Collection[NewMember], within_s: float, deadline: Deadline
) -> tuple[AddedMember, ...]:
    """What became of each instance."""
    expected = tuple(_expected(member) for member in members)
    request = AddMembers(group_id, expected, _milliseconds(within_s))
    question = Question(
        about=f"group {group_id}: adding members",
        target=Coordinator(group_id),
        api=CONSUMER_GROUP_ADD_MEMBERS,
        build=lambda version: consumer_group_add_members.to_request(request),
        answer=ConsumerGroupAddMembersResponse,
        refusal=lambda answer: (answer.error_code, answer.error_message),
    )
    answer = consumer_group_add_members.from_response(await asking.ask(question, deadline))
    return tuple(_added(group_id, instance_id, *result) for instance_id, result in answer.results.items())


def _expected(member: NewMember) -> ExpectedMember:
    return ExpectedMember(
        member.instance_id,
        _milliseconds(member.session_timeout),
        _milliseconds(member.rebalance_timeout),
        member.assignor,
    )


def _milliseconds(seconds: float | None) -> int:
    return _NOT_STATED if seconds is None else ceil(1000 * seconds)


def _added(group_id: str, instance_id: str, code: ErrorCode, message: str | None) -> AddedMember:
    about = f"group {group_id}: instance {instance_id}"
    return AddedMember(instance_id, refused(about, code, message, group_id) if code else None)

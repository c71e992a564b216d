"""Removing members, and whole groups.

A member is named by its instance id or by its member id (KIP-345, "Admin API"; by member id since KIP-848's
coordinator). It hears of it with its next heartbeat, and a consumer that still runs then joins again: who must stay
out has to be stopped. Neither request is put again if its answer is lost.
"""

from __future__ import annotations

from collections.abc import Collection

from kafka_nextgen.admin.asking import Asking, Question, Refusal, refused
from kafka_nextgen.admin.values import RemovedMember
from kafka_nextgen.bridge import delete_groups, leave_group
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import REMOVED_BY_ADMIN, LeaveGroup, LeavingMember
from kafka_nextgen.coordinator.classic.responses import LeftMember
from kafka_nextgen.transport.cluster import Coordinator
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.wire.apis import DELETE_GROUPS, LEAVE_GROUP
from kafka_nextgen.wire.messages import DeleteGroupsResponse, LeaveGroupResponse

__all__ = ["delete_group", "remove_members"]

_WITH_A_LIST = 3


async def remove_members(
    asking: Asking,
    group_id: str,
    instance_ids: Collection[str],
    member_ids: Collection[str],
    reason: str,
    deadline: Deadline,
) -> tuple[RemovedMember, ...]:
    """What became of each: first those named by instance id, then the others, each once."""
    told = f"{REMOVED_BY_ADMIN}: {reason}" if reason else REMOVED_BY_ADMIN
    by_instance = [LeavingMember("", instance_id, told) for instance_id in dict.fromkeys(instance_ids)]
    by_member = [LeavingMember(member_id, None, told) for member_id in dict.fromkeys(member_ids)]
    request = LeaveGroup(group_id, (*by_instance, *by_member))
    question = Question(
        about=f"group {group_id}: removing members",
        target=Coordinator(group_id),
        api=LEAVE_GROUP.at_least(_WITH_A_LIST),
        build=lambda version: leave_group.removal(request),
        answer=LeaveGroupResponse,
        refusal=lambda answer: (leave_group.from_response(answer, request).error, None),
        is_repeatable=False,
    )
    left = leave_group.from_response(await asking.ask(question, deadline), request)
    return tuple(_removed(member, group_id) for member in left.members)


def _removed(member: LeftMember, group_id: str) -> RemovedMember:
    who = f"instance {member.instance_id}" if member.instance_id else f"member {member.member_id}"
    error = refused(f"group {group_id}: {who}", member.error, None, group_id) if member.error else None
    if error is not None:
        error.member = member.member_id or None
    return RemovedMember(member.member_id or None, member.instance_id, error)


async def delete_group(asking: Asking, group_id: str, deadline: Deadline) -> None:
    """Forget the group and what it has committed. Raises GroupNotEmptyError or GroupNotFoundError."""

    def refusal(answer: DeleteGroupsResponse) -> Refusal:
        return delete_groups.from_response(answer, [group_id]).results.get(group_id, ErrorCode.NONE), None

    question = Question(
        about=f"group {group_id}: deleting it",
        target=Coordinator(group_id),
        api=DELETE_GROUPS,
        build=lambda version: delete_groups.to_request([group_id]),
        answer=DeleteGroupsResponse,
        refusal=refusal,
        is_repeatable=False,
    )
    await asking.ask(question, deadline)

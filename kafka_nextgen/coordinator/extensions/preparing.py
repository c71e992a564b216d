"""ConsumerGroupPrepareAssignment: the member that is to compute learns what there is to assign (KIP-848).

| what must hold, of an installation too | else |
|---|---|
| the coordinator has extensions | UNSUPPORTED_VERSION |
| GroupId and MemberId are not empty, MemberEpoch is not negative | INVALID_REQUEST |
| there is a consumer group of that name | GROUP_ID_NOT_FOUND |
| the member is in it | UNKNOWN_MEMBER_ID |
| the member's epoch is the one it was given last | STALE_MEMBER_EPOCH: again after the next heartbeat |
| it is the member that is to compute | UNKNOWN_MEMBER_ID: it gives up this computation, and stays a member |

What it is told is kept, to judge by what it installs. So it may prepare again, and then gets the group as it is then.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.draft import Draft, Outcome, Refusal
from kafka_nextgen.coordinator.extensions.computing_state import Prepared
from kafka_nextgen.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.coordinator.extensions.responses import AssignmentPrepared, PreparedMember
from kafka_nextgen.coordinator.target import group_spec

__all__ = ["prepare_assignment", "refuse_to_compute"]


def prepare_assignment(draft: Draft, request: PrepareAssignment) -> Outcome:
    """Tell the group as it is now."""
    if refusal := refuse_to_compute(draft, request):
        return Outcome(AssignmentPrepared(refusal.error, refusal.message))
    group, computing = draft.group, draft.group.computing
    assert computing.assignor is not None, "whoever is to compute is to do it by some assignor"
    spec = group_spec(draft, computing.assignor)
    group.computing = evolve(computing, prepared=Prepared(group.epoch, spec))
    members = {
        member_id: PreparedMember(group.current(member_id).member_epoch, member)
        for member_id, member in spec.members.items()
    }
    return draft.outcome(
        AssignmentPrepared(
            group_epoch=group.epoch, assignor=computing.assignor, members=members, topics=dict(spec.topics)
        )
    )


def refuse_to_compute(draft: Draft, request: PrepareAssignment | InstallAssignment) -> Refusal | None:
    """Why this member may not take part in the computation now, or None."""
    group, member_id = draft.group, request.member_id
    if not draft.settings.extensions:
        return Refusal(ErrorCode.UNSUPPORTED_VERSION, "this coordinator has no client-side assignors")
    if not request.group_id or not member_id or request.member_epoch < 0:
        return Refusal(ErrorCode.INVALID_REQUEST, "GroupId or MemberId is empty, or MemberEpoch below 0")
    if not group.is_consumer_group:
        return Refusal(ErrorCode.GROUP_ID_NOT_FOUND, f"there is no consumer group {group.group_id!r}")
    if member_id not in group.members:
        return Refusal(ErrorCode.UNKNOWN_MEMBER_ID, f"group {group.group_id!r} has no member {member_id!r}")
    epoch = group.current(member_id).member_epoch
    if request.member_epoch != epoch:
        return Refusal(
            ErrorCode.STALE_MEMBER_EPOCH,
            f"member {member_id} of group {group.group_id!r} came with epoch {request.member_epoch} but is at {epoch}; "
            "try again with the epoch of the next heartbeat's answer",
        )
    if group.computing.member_id != member_id:
        who = group.computing.member_id or "nobody at the moment"
        return Refusal(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"member {member_id} is not to compute an assignment of group {group.group_id!r}: {who} is",
        )
    return None

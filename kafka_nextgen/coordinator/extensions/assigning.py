"""The member that is to compute learns what there is to assign, and brings the assignment (KIP-848,
"ConsumerGroupPrepareAssignment API", "ConsumerGroupInstallAssignment API").

| what must hold of both | else |
|---|---|
| the coordinator has extensions | UNSUPPORTED_VERSION |
| GroupId and MemberId are not empty, MemberEpoch is not negative | INVALID_REQUEST |
| there is a consumer group of that name | GROUP_ID_NOT_FOUND |
| the member is in it | UNKNOWN_MEMBER_ID |
| the member's epoch is the one it was given last | STALE_MEMBER_EPOCH: again after the next heartbeat |
| it is the member that is to compute | UNKNOWN_MEMBER_ID: it gives up this computation, and stays a member |

What it is told is kept, to judge by what it installs. So it may prepare again, and then gets the group as it is then.

After these checks, the assignment is judged by the group it was computed for, as it was prepared:

| what the member brings | answer | then |
|---|---|---|
| a message: its assignor failed | none | another member is to be found |
| it did not prepare with this coordinator, which has just begun | UNKNOWN_MEMBER_ID | it is told again to compute |
| another epoch than it prepared, unknown members or partitions, one partition twice or, without an error, to nobody, \
metadata in another version than the member itself wrote | INVALID_ASSIGNMENT | another member is to be found |
| anything else | none | it is the target of the epoch it was prepared at |

That may not be the group's epoch any more. Then it is installed all the same, for the epoch it was computed for, and
the next computation begins at once.

Static members may have gone on to another process meanwhile, which gets what is its instance's. Whoever has left gets
nothing, and whoever has come waits for the next target.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment
from kafka_nextgen.assignors.validation import flaw_of
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.draft import Draft, Outcome, Refusal
from kafka_nextgen.coordinator.extensions.computing import end_computation, fail
from kafka_nextgen.coordinator.extensions.history import note_assignment
from kafka_nextgen.coordinator.extensions.offers import said_by
from kafka_nextgen.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.coordinator.extensions.responses import AssignmentInstalled, AssignmentPrepared, PreparedMember
from kafka_nextgen.coordinator.extensions.state import COMPUTING, Prepared
from kafka_nextgen.coordinator.records import TargetAssignmentMetadata
from kafka_nextgen.coordinator.target import group_spec, write_shares

__all__ = ["install_assignment", "prepare_assignment"]


def prepare_assignment(draft: Draft, request: PrepareAssignment) -> Outcome:
    """Tell the group as it is now."""
    if refusal := _refuse(draft, request):
        return Outcome(AssignmentPrepared(refusal.error, refusal.message))
    group, computing = draft.group, COMPUTING.of(draft.group)
    assert computing.assignor is not None, "whoever is to compute is to do it by some assignor"
    spec = _spec(draft, computing.assignor)
    COMPUTING.put(group, evolve(computing, prepared=Prepared(group.epoch, spec)))
    members = {
        member_id: PreparedMember(group.current(member_id).member_epoch, member)
        for member_id, member in spec.members.items()
    }
    return draft.outcome(
        AssignmentPrepared(
            group_epoch=group.epoch, assignor=computing.assignor, members=members, topics=dict(spec.topics)
        )
    )


def _spec(draft: Draft, assignor: str) -> AssignmentSpec:
    """The group, with what its members told this assignor."""
    spec = group_spec(draft)
    members = dict(spec.members)
    for member_id, member in members.items():
        said = said_by(draft.group.members[member_id], assignor)
        members[member_id] = evolve(member, reason=said.reason, metadata=said.metadata)
    return evolve(spec, members=members)


def _refuse(draft: Draft, request: PrepareAssignment | InstallAssignment) -> Refusal | None:
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
    computing_id = COMPUTING.of(group).member_id
    if computing_id != member_id:
        who = computing_id or "nobody at the moment"
        return Refusal(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"member {member_id} is not to compute an assignment of group {group.group_id!r}: {who} is",
        )
    return None


def install_assignment(draft: Draft, request: InstallAssignment) -> Outcome:
    """Judge the assignment, and let it be the target."""
    if refusal := _refuse(draft, request):
        return Outcome(AssignmentInstalled(refusal.error, refusal.message))
    if request.message is not None:
        fail(draft, f"failed: {request.message}")
        return draft.outcome(AssignmentInstalled())
    prepared = COMPUTING.of(draft.group).prepared
    if prepared is None:
        message = f"member {request.member_id} has not prepared an assignment with this coordinator: prepare it anew"
        return Outcome(AssignmentInstalled(ErrorCode.UNKNOWN_MEMBER_ID, message))
    if flaw := _flaw(request, prepared):
        return draft.outcome(AssignmentInstalled(ErrorCode.INVALID_ASSIGNMENT, fail(draft, flaw)))
    _install(draft, request, prepared)
    return draft.outcome(AssignmentInstalled())


def _flaw(request: InstallAssignment, prepared: Prepared) -> str | None:
    """What is wrong, to be read after "the assignor"."""
    if request.group_epoch != prepared.group_epoch:
        return f"installed something for epoch {request.group_epoch}, and epoch {prepared.group_epoch} was prepared"
    return request.flaw or flaw_of(GroupAssignment(request.members, request.error), prepared.spec)


def _install(draft: Draft, request: InstallAssignment, prepared: Prepared) -> None:
    group, assignor = draft.group, COMPUTING.of(draft.group).assignor
    present = _holders(draft, prepared.spec)
    given = {present[member_id]: share for member_id, share in request.members.items() if member_id in present}
    write_shares(draft, {*present.values(), *group.targets}, given)
    draft.write(TargetAssignmentMetadata(group.group_id, prepared.group_epoch, draft.now_ms, assignor, request.error))
    note_assignment(draft)
    end_computation(draft)
    COMPUTING.put(group, evolve(COMPUTING.of(group), is_urgent=prepared.group_epoch < group.epoch))


def _holders(draft: Draft, spec: AssignmentSpec) -> dict[str, str]:
    """Who has the place now of those whom the assignor was shown, by their ids then."""
    group = draft.group
    holders = {
        member_id: group.instances.get(member.instance_id or "", member_id)
        for member_id, member in spec.members.items()
    }
    return {member_id: holder for member_id, holder in holders.items() if holder in group.members}

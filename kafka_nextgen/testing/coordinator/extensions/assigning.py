"""The computing member fetches the group to assign, and installs the assignment (KIP-848,
"ConsumerGroupPrepareAssignment API", "ConsumerGroupInstallAssignment API").

| what must hold for both requests | else |
|---|---|
| the coordinator has extensions | UNSUPPORTED_VERSION |
| GroupId and MemberId are not empty, MemberEpoch is not negative | INVALID_REQUEST |
| the consumer group exists | GROUP_ID_NOT_FOUND |
| the member is in it | UNKNOWN_MEMBER_ID |
| the request has the current member epoch | STALE_MEMBER_EPOCH: the member retries after its next heartbeat |
| it is the computing member | UNKNOWN_MEMBER_ID: it gives up this computation, and stays a member |

The prepared group is kept, to validate the installed assignment. The member may prepare again, and then gets the
current group.

After these checks the assignment is validated against the prepared group:

| the member sends | answer | then |
|---|---|---|
| a message: its assignor failed | none | another member is chosen |
| an assignment it did not prepare with this (new) coordinator | UNKNOWN_MEMBER_ID | it is told again to compute |
| an epoch that it did not prepare, unknown members or partitions, a partition twice, an unassigned partition without \
an error code, metadata in another version than the member wrote | INVALID_ASSIGNMENT | another is chosen |
| anything else | none | the assignment is the target of the prepared epoch |

If the group epoch has increased since, the assignment is still installed for the epoch it was computed for, and the
next computation begins immediately.

If another process has taken a static member's place in the meantime, it gets its instance's assignment. Members that
left get nothing, and new members wait for the next target.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment
from kafka_nextgen.assignors.validation import flaw_of
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.records import TargetAssignmentMetadata
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome, Refusal
from kafka_nextgen.testing.coordinator.extensions.assignor_selection import metadata_for
from kafka_nextgen.testing.coordinator.extensions.computing import end_computation, fail
from kafka_nextgen.testing.coordinator.extensions.history import note_assignment
from kafka_nextgen.testing.coordinator.extensions.requests import InstallAssignment, PrepareAssignment
from kafka_nextgen.testing.coordinator.extensions.responses import (
    AssignmentInstalled,
    AssignmentPrepared,
    PreparedMember,
)
from kafka_nextgen.testing.coordinator.extensions.state import COMPUTING, Prepared
from kafka_nextgen.testing.coordinator.target import group_spec, write_shares

__all__ = ["install_assignment", "prepare_assignment"]


def prepare_assignment(draft: Draft, request: PrepareAssignment) -> Outcome:
    """Return the current group, and keep it to validate the assignment."""
    if refusal := _refuse(draft, request):
        return Outcome(AssignmentPrepared(refusal.error, refusal.message))
    group, computing = draft.group, COMPUTING.of(draft.group)
    assert computing.assignor is not None, "a computing member has an assignor"
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
    """The group, with its members' metadata for this assignor."""
    spec = group_spec(draft)
    members = dict(spec.members)
    for member_id, member in members.items():
        said = metadata_for(draft.group.members[member_id], assignor)
        members[member_id] = evolve(member, reason=said.reason, metadata=said.metadata)
    return evolve(spec, members=members)


def _refuse(draft: Draft, request: PrepareAssignment | InstallAssignment) -> Refusal | None:
    """Why this member may not prepare or install now, or None."""
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
            f"member {member_id} of group {group.group_id!r} sent epoch {request.member_epoch} but is at {epoch}; "
            "try again with the epoch from the response to the next heartbeat",
        )
    computing_id = COMPUTING.of(group).member_id
    if computing_id != member_id:
        who = computing_id or "no member"
        return Refusal(
            ErrorCode.UNKNOWN_MEMBER_ID,
            f"member {member_id} does not compute the assignment of group {group.group_id!r} at the moment: {who} does",
        )
    return None


def install_assignment(draft: Draft, request: InstallAssignment) -> Outcome:
    """Validate the assignment, and make it the target."""
    if refusal := _refuse(draft, request):
        return Outcome(AssignmentInstalled(refusal.error, refusal.message))
    if request.message is not None:
        fail(draft, f"failed: {request.message}")
        return draft.outcome(AssignmentInstalled())
    prepared = COMPUTING.of(draft.group).prepared
    if prepared is None:
        message = f"member {request.member_id} has not prepared an assignment with this coordinator: prepare it again"
        return Outcome(AssignmentInstalled(ErrorCode.UNKNOWN_MEMBER_ID, message))
    if flaw := _flaw(request, prepared):
        return draft.outcome(AssignmentInstalled(ErrorCode.INVALID_ASSIGNMENT, fail(draft, flaw)))
    _install(draft, request, prepared)
    return draft.outcome(AssignmentInstalled())


def _flaw(request: InstallAssignment, prepared: Prepared) -> str | None:
    """What is wrong with the assignment, worded to follow "the assignor"; or None."""
    if request.group_epoch != prepared.group_epoch:
        return f"installed an assignment for epoch {request.group_epoch}, but epoch {prepared.group_epoch} was prepared"
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
    """The member that now holds each prepared member's place, by the prepared member's id."""
    group = draft.group
    holders = {
        member_id: group.instances.get(member.instance_id or "", member_id)
        for member_id, member in spec.members.items()
    }
    return {member_id: holder for member_id, holder in holders.items() if holder in group.members}

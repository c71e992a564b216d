"""ConsumerGroupInstallAssignment: what a member computed becomes the group's target (KIP-848).

After the checks of ``preparing``, the assignment is judged by the group it was computed for, as it was prepared:

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

from kafka_nextgen.assignors.checking import flaw_of
from kafka_nextgen.assignors.spec import AssignmentSpec, GroupAssignment
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.extensions.computing import end_computation, fail
from kafka_nextgen.coordinator.extensions.computing_state import Prepared
from kafka_nextgen.coordinator.extensions.history.noting import note_assignment
from kafka_nextgen.coordinator.extensions.preparing import refuse_to_compute
from kafka_nextgen.coordinator.extensions.requests import InstallAssignment
from kafka_nextgen.coordinator.extensions.responses import AssignmentInstalled
from kafka_nextgen.coordinator.records import TargetAssignmentMetadata
from kafka_nextgen.coordinator.target import write_shares

__all__ = ["install_assignment"]


def install_assignment(draft: Draft, request: InstallAssignment) -> Outcome:
    """Judge the assignment, and let it be the target."""
    if refusal := refuse_to_compute(draft, request):
        return Outcome(AssignmentInstalled(refusal.error, refusal.message))
    if request.message is not None:
        fail(draft, f"failed: {request.message}")
        return draft.outcome(AssignmentInstalled())
    prepared = draft.group.computing.prepared
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
    group, assignor = draft.group, draft.group.computing.assignor
    present = _holders(draft, prepared.spec)
    given = {present[member_id]: share for member_id, share in request.members.items() if member_id in present}
    write_shares(draft, {*present.values(), *group.targets}, given)
    draft.write(TargetAssignmentMetadata(group.group_id, prepared.group_epoch, draft.now_ms, assignor, request.error))
    note_assignment(draft)
    end_computation(draft)
    group.computing = evolve(group.computing, is_urgent=prepared.group_epoch < group.epoch)


def _holders(draft: Draft, spec: AssignmentSpec) -> dict[str, str]:
    """Who has the place now of those whom the assignor was shown, by their ids then."""
    group = draft.group
    holders = {
        member_id: group.instances.get(member.instance_id or "", member_id)
        for member_id, member in spec.members.items()
    }
    return {member_id: holder for member_id, holder in holders.items() if holder in group.members}

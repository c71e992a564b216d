"""Which member computes the next target assignment, and when another takes its place (KIP-848, "Client Side Mode").

The member is the *first one to send a heartbeat*, from the moment on that there is something to compute, that has the
assignor, has not failed at this group epoch, and waits for nobody who is expected. It is certainly alive, and nobody
has to be waited for. It is told in the answer (ShouldComputeAssignment), and in each further one until it prepares.
From when it was first told it has its rebalance timeout to install something.

| what happens to the member | then |
|---|---|
| it installs | the assignment is judged (``assigning``) |
| its assignor failed; what it installed is invalid | it has failed at this epoch |
| its time is over | it is asked again if all others have failed or were late, too, at this epoch |
| it leaves, is taken out, leaves for a while, or another process takes its place | as if nobody had been chosen |
| not all members have that assignor any more | as if there had been nothing to compute |

Nobody is fenced for any of it, and the last target stands meanwhile. When all have failed, the group waits for a new
epoch: another member, other metadata, other topics. It does not wait for one because a member was late: a lost request
or a slow moment may pass, and partitions without a reader would stay so. Members with assignors of their own are told
once of each failure.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.extensions.offers import common_assignor
from kafka_nextgen.coordinator.extensions.registration.places import waits
from kafka_nextgen.coordinator.extensions.state import COMPUTING, Computing
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.records import GroupMetadata, TargetAssignmentMetadata
from kafka_nextgen.coordinator.timers import TimerKind

__all__ = [
    "choose",
    "end_computation",
    "fail",
    "forget_computation",
    "give_up_computing",
    "have_computed",
    "is_computing",
    "is_urgent",
    "let_go_of_computation",
    "take_complaint",
]

#: As much as is told of a failure: an assignor may say anything, and everybody hears it.
_LONGEST = 1_000


def have_computed(draft: Draft) -> bool:
    """A target assignment is due: have a member compute it if all have an assignor in common; whether they do."""
    if assignor := common_assignor(draft.group, draft.settings):
        _call_for_computation(draft, assignor)
        return True
    end_computation(draft)
    return False


def is_urgent(group: Group) -> bool:
    """Whether there is a reason to compute that no interval puts off any more."""
    return COMPUTING.of(group).is_urgent or is_computing(group)


def is_computing(group: Group) -> bool:
    """Whether there is something to compute."""
    return COMPUTING.of(group).assignor is not None


def _call_for_computation(draft: Draft, assignor: str) -> None:
    computing = COMPUTING.of(draft.group)
    if computing.assignor == assignor:
        return
    end_computation(draft)
    COMPUTING.put(draft.group, evolve(COMPUTING.of(draft.group), assignor=assignor, is_urgent=computing.is_urgent))
    _begin_at_one(draft)


def _begin_at_one(draft: Draft) -> None:
    """Until there is a target, members have an empty one of epoch 1: who is at 0 would still be joining. Where a
    group's first epoch is 1 (since Kafka 4.3), so it is anyway.
    """
    group = draft.group
    if group.assignment_epoch == 0:
        draft.write(GroupMetadata(group.group_id, group.epoch + 1, group.metadata_hash))
        draft.write(TargetAssignmentMetadata(group.group_id, 1))


def choose(draft: Draft, member_id: str) -> bool:
    """Choose the member whose heartbeat this is, if one is to be found; whether it is to be told to compute."""
    computing = COMPUTING.of(draft.group)
    if computing.assignor is None:
        return False
    if computing.member_id is None and _may_compute(draft, computing, member_id):
        computing = evolve(computing, member_id=member_id)
        COMPUTING.put(draft.group, computing)
        draft.arm(TimerKind.COMPUTE, "", draft.group.members[member_id].rebalance_timeout_ms / 1000)
    return computing.member_id == member_id and computing.prepared is None


def _may_compute(draft: Draft, computing: Computing, member_id: str) -> bool:
    group = draft.group
    member = group.members[member_id]
    names = {assignor.name for assignor in member.client_assignors}
    return computing.assignor in names and _may_be_asked(group, computing, member_id) and not waits(group, member)


def _may_be_asked(group: Group, computing: Computing, member_id: str) -> bool:
    tried = computing.failed | computing.late
    if computing.failed_epoch != group.epoch or member_id not in tried:
        return True
    candidates = {each for each, member in group.members.items() if member.client_assignors}
    return member_id in computing.late and candidates <= tried


def end_computation(draft: Draft) -> None:
    """There is nothing to compute any more. What members are still to be told stays."""
    computing = COMPUTING.of(draft.group)
    if computing.member_id is not None:
        draft.cancel(TimerKind.COMPUTE)
    COMPUTING.put(draft.group, Computing(complaint=computing.complaint, untold=computing.untold))


def forget_computation(draft: Draft) -> None:
    """The group is gone, or another one now."""
    if COMPUTING.of(draft.group).member_id is not None:
        draft.cancel(TimerKind.COMPUTE)
    COMPUTING.put(draft.group, COMPUTING.empty)


def let_go_of_computation(draft: Draft, member_id: str) -> None:
    """The member is gone. If it was the one to compute, another is to be found."""
    computing = COMPUTING.of(draft.group)
    if computing.member_id == member_id:
        draft.cancel(TimerKind.COMPUTE)
        COMPUTING.put(draft.group, evolve(computing, member_id=None, prepared=None))


def fail(draft: Draft, why: str, *, is_late: bool = False) -> str:
    """The member that computes did not succeed: how that is told. ``why`` is read after "assignor of member"."""
    group, computing = draft.group, COMPUTING.of(draft.group)
    member_id = computing.member_id
    assert member_id is not None, "somebody computes"
    complaint = (
        f"assignor {computing.assignor!r} of member {member_id} {why[:_LONGEST]}: group {group.group_id!r} keeps the "
        f"target of epoch {group.assignment_epoch}"
    )
    if computing.failed_epoch != group.epoch:
        computing = evolve(computing, failed=frozenset(), late=frozenset(), failed_epoch=group.epoch)
    draft.cancel(TimerKind.COMPUTE)
    computing = evolve(
        computing,
        member_id=None,
        prepared=None,
        failed=computing.failed if is_late else computing.failed | {member_id},
        late=computing.late | {member_id} if is_late else computing.late - {member_id},
        complaint=complaint,
        untold=frozenset(each for each, member in group.members.items() if member.client_assignors),
    )
    COMPUTING.put(group, computing)
    draft.note(complaint)
    return complaint


def give_up_computing(draft: Draft) -> None:
    """The member that was to compute installed nothing in time. It stays a member (KIP-848, "Client Side Mode")."""
    member_id = COMPUTING.of(draft.group).member_id
    if member_id is None:
        draft.cancel(TimerKind.COMPUTE)  # it was taken out by another timer that ran out with this one
        return
    timeout_s = draft.group.members[member_id].rebalance_timeout_ms / 1000
    fail(draft, f"gave nothing within its rebalance timeout of {timeout_s:g} s", is_late=True)


def take_complaint(draft: Draft, member_id: str) -> str | None:
    """What this member is still to be told of the last failure, if anything."""
    computing = COMPUTING.of(draft.group)
    if member_id not in computing.untold:
        return None
    COMPUTING.put(draft.group, evolve(computing, untold=computing.untold - {member_id}))
    return computing.complaint

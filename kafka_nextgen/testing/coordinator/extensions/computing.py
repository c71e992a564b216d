"""Which member computes the next target assignment, and when another one replaces it (KIP-848, "Client Side Mode").

Once an assignment is due, the coordinator chooses the *first member to send a heartbeat* that has the assignor, has not
failed at this group epoch, and does not wait for expected instances or stand by. That member has just sent a heartbeat,
so there is no delay. The answer instructs it to compute (ShouldComputeAssignment); each later answer repeats this until
it prepares. It must install an assignment within its rebalance timeout, counted from the first such answer.

| event | effect |
|---|---|
| the member installs an assignment | the assignment is validated (``assigning``) |
| its assignor failed, or the assignment is invalid | it has failed at this epoch |
| it misses its deadline | it is chosen again if all others have also failed or been late at this epoch |
| it leaves, is removed, leaves temporarily, or is replaced by another process | another member is chosen |
| not all members still have that assignor, or no member is left | the computation ends |

None of this fences a member, and the last target stays in effect. When all have failed, the group waits for a new
epoch: a new member, new metadata, or changed topics. Late members do not make it wait, because a lost request or a
pause may be temporary, and partitions without an owner would remain without one. Members with client-side assignors are
told once about each failure.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.groups.records import GroupMetadata, TargetAssignmentMetadata
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.extensions.assignor_selection import common_assignor
from kafka_nextgen.testing.coordinator.extensions.state import COMPUTING, Computing
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.timers import TimerKind

__all__ = [
    "choose",
    "end_computation",
    "fail",
    "forget_computation",
    "forget_if_empty",
    "give_up_computing",
    "is_computing",
    "is_urgent",
    "replace_computing_member",
    "retarget_by_member",
    "take_failure_message",
]

#: The maximum length of a failure message, which an assignor chooses and all members get.
_LONGEST = 1_000


def retarget_by_member(draft: Draft) -> bool:
    """Let a member compute the due target if all members share an assignor; return whether they do."""
    if assignor := common_assignor(draft.group, draft.settings):
        _call_for_computation(draft, assignor)
        return True
    end_computation(draft)
    return False


def is_urgent(group: Group) -> bool:
    """Whether the next computation must not wait for the assignment interval."""
    return COMPUTING.of(group).is_urgent or is_computing(group)


def is_computing(group: Group) -> bool:
    """Whether a member should compute an assignment."""
    return COMPUTING.of(group).assignor is not None


def _call_for_computation(draft: Draft, assignor: str) -> None:
    if COMPUTING.of(draft.group).assignor == assignor:
        return
    end_computation(draft)
    COMPUTING.put(draft.group, evolve(COMPUTING.of(draft.group), assignor=assignor))
    _begin_at_one(draft)


def _begin_at_one(draft: Draft) -> None:
    """Until there is a target, members have an empty one at epoch 1, because epoch 0 would mean that the member is
    still joining. Since Kafka 4.3 a group's first epoch is 1 anyway.
    """
    group = draft.group
    if group.assignment_epoch == 0:
        draft.write(GroupMetadata(group.group_id, group.epoch + 1, group.metadata_hash))
        draft.write(TargetAssignmentMetadata(group.group_id, 1))


def choose(draft: Draft, member_id: str) -> bool:
    """Choose the member of this heartbeat if none is chosen yet; return whether to instruct it to compute."""
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
    is_left_out = member_id in group.hooks.members_waiting(group)
    return computing.assignor in names and _may_be_asked(group, computing, member_id) and not is_left_out


def _may_be_asked(group: Group, computing: Computing, member_id: str) -> bool:
    tried = computing.failed | computing.late
    if computing.failed_epoch != group.epoch or member_id not in tried:
        return True
    candidates = {each.member_id for each in group.counted() if each.client_assignors}
    return member_id in computing.late and candidates <= tried


def end_computation(draft: Draft) -> None:
    """End the computation. Failure messages that members have not received yet are kept."""
    computing = COMPUTING.of(draft.group)
    if computing.member_id is not None:
        draft.cancel(TimerKind.COMPUTE)
    COMPUTING.put(draft.group, Computing(complaint=computing.complaint, untold=computing.untold))


def forget_computation(draft: Draft) -> None:
    """Drop the computation: the group was removed or converted."""
    if COMPUTING.of(draft.group).member_id is not None:
        draft.cancel(TimerKind.COMPUTE)
    COMPUTING.put(draft.group, COMPUTING.empty)


def forget_if_empty(draft: Draft) -> None:
    """Drop the computation of a consumer group without members, which has nothing left to assign."""
    if draft.group.is_consumer_group and not draft.group.members:
        forget_computation(draft)


def replace_computing_member(draft: Draft, member_id: str) -> None:
    """A member was removed. If it was computing, choose another."""
    computing = COMPUTING.of(draft.group)
    if computing.member_id == member_id:
        draft.cancel(TimerKind.COMPUTE)
        COMPUTING.put(draft.group, evolve(computing, member_id=None, prepared=None))


def fail(draft: Draft, why: str, *, is_late: bool = False) -> str:
    """Record that the computing member failed; return the message. ``why`` follows "assignor of member" in it."""
    group, computing = draft.group, COMPUTING.of(draft.group)
    member_id = computing.member_id
    assert member_id is not None, "a member computes"
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
    """The computing member installed nothing in time. It stays a member (KIP-848, "Client Side Mode")."""
    member_id = COMPUTING.of(draft.group).member_id
    if member_id is None:
        draft.cancel(TimerKind.COMPUTE)  # another timer that expired with this one removed the member
        return
    timeout_s = draft.group.members[member_id].rebalance_timeout_ms / 1000
    fail(draft, f"returned nothing within its rebalance timeout of {timeout_s:g} s", is_late=True)


def take_failure_message(draft: Draft, member_id: str) -> str | None:
    """The last failure's message, if this member has not received it yet."""
    computing = COMPUTING.of(draft.group)
    if member_id not in computing.untold:
        return None
    COMPUTING.put(draft.group, evolve(computing, untold=computing.untold - {member_id}))
    return computing.complaint

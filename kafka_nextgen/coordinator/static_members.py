"""Static members: an instance id that outlives the process (KIP-345; KIP-848, "Static Membership").

A static member that goes for a while (-2) keeps its place: it stays in the group at epoch -2, with what it
owned, and nobody is disturbed until its session ends. The process that comes back is a new *member* with the
same *instance*: it takes the old one's place, subscription and partitions, and gets its epoch from the ordinary
reconciliation that follows. It may come back by the other protocol than it went.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.draft import Draft
from kafka_nextgen.coordinator.removal import write_removal
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.timers import TimerKind
from kafka_nextgen.coordinator.validation import JOIN, LEAVE_FOR_A_WHILE

__all__ = ["leave_for_a_while", "replace_member", "take_over_instance"]


def take_over_instance(draft: Draft, request: ConsumerGroupHeartbeat, member_id: str) -> bool:
    """Give the place of the instance's former member to the member that now joins with it; whether there is one."""
    former_id = draft.group.instances.get(request.instance_id or "")
    if request.member_epoch != JOIN or former_id is None:
        return False
    replace_member(draft, former_id, member_id)
    return True


def replace_member(draft: Draft, former_id: str, member_id: str) -> None:
    """Let the member have all that is the former one's, as one that has yet to join."""
    group = draft.group
    member, target, current = group.members[former_id], group.target(former_id), group.current(former_id)
    metadata = group.target_metadata.get(former_id)
    write_removal(draft, former_id)
    draft.write(evolve(member, member_id=member_id))
    draft.write(r.TargetAssignmentMember(group.group_id, member_id, target, metadata))
    draft.write(evolve(current, member_id=member_id, member_epoch=JOIN, previous_member_epoch=JOIN))


def leave_for_a_while(draft: Draft, member_id: str) -> None:
    """Keep the member's place. It has closed, so nothing it was to give back is in use any more, and what it keeps
    counts as granted before all epochs. The session timer runs on; the rebalance timer has nothing to wait for.
    """
    current = draft.group.current(member_id)
    gone = evolve(
        current,
        member_epoch=LEAVE_FOR_A_WHILE,
        previous_member_epoch=current.member_epoch,
        assigned=tuple((partition, 0) for partition, _ in current.assigned),
        pending_revocation=(),
    )
    if current.member_epoch != LEAVE_FOR_A_WHILE:
        draft.write(gone)
        draft.hooks.member_gone(draft, member_id)
        draft.cancel(TimerKind.REBALANCE, member_id)

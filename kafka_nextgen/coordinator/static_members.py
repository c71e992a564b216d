"""Static members: an instance id that outlives the process (KIP-345; KIP-848, "Static Membership").

A static member that leaves temporarily (-2) keeps its place: it stays in the group at epoch -2 with its partitions, and
the group does not rebalance until its session ends. The process that returns is a new *member* with the same
*instance*: it takes the former member's place, subscription and partitions, and ordinary reconciliation gives it its
epoch. It may return by the other protocol.
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
    """Replace the instance's former member with the joining member; return whether there was one."""
    former_id = draft.group.instances.get(request.instance_id or "")
    if request.member_epoch != JOIN or former_id is None:
        return False
    replace_member(draft, former_id, member_id)
    return True


def replace_member(draft: Draft, former_id: str, member_id: str) -> None:
    """Give the former member's state to the new member, which has yet to join."""
    group = draft.group
    member, target, current = group.members[former_id], group.target(former_id), group.current(former_id)
    metadata = group.target_metadata.get(former_id)
    draft.hooks.instance_came_back(draft, former_id, member_id)
    write_removal(draft, former_id)
    draft.write(evolve(member, member_id=member_id))
    draft.write(r.TargetAssignmentMember(group.group_id, member_id, target, metadata))
    draft.write(evolve(current, member_id=member_id, member_epoch=JOIN, previous_member_epoch=JOIN))


def leave_for_a_while(draft: Draft, member_id: str) -> None:
    """Keep the member's place. The member has closed, so its pending revocations are done, and its partitions count as
    granted before all epochs. The session timer runs on; the rebalance timer stops.
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
        draft.hooks.member_absent(draft, draft.group.members[member_id])

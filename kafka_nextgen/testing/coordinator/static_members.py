"""Static members: an instance id that stays the same across restarts (KIP-345; KIP-848, "Static Membership").

A static member that leaves temporarily (-2) keeps its place: it stays in the group at epoch -2 with its partitions, and
the group does not rebalance until its session ends. The process that returns is a new *member* with the same
*instance*: it takes the former member's place, subscription and partitions, and ordinary reconciliation gives it its
epoch. It may return with the other protocol.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.testing.coordinator.admission import JOIN
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.removal import write_removal
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat

__all__ = ["replace_member", "take_over_instance"]


def take_over_instance(draft: Draft, request: ConsumerGroupHeartbeat) -> bool:
    """Replace the instance's former member with the joining member; return whether there was one."""
    former_id = draft.group.instances.get(request.instance_id or "")
    if request.member_epoch != JOIN or former_id is None:
        return False
    replace_member(draft, former_id, request.member_id)
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

"""Static members: a restarted process takes its former place, usually without a rebalance (KIP-345, KIP-814).

It joins with its instance id and without a member id, and gets a new member id. The old id is fenced immediately,
because another process may still use it. The instance keeps its assignment, and its first client id and address. Then:

| the group | effect |
|---|---|
| PreparingRebalance | it has joined, and waits |
| CompletingRebalance | a rebalance: the leader may be assigning to the old id at this moment |
| Stable, but the members would now vote for another protocol | a rebalance |
| Stable, but it returns with another subscription, and states a reason (an extension) | a rebalance |
| Stable | none: the same generation continues, with the new id |

In the last case a follower gets the generation, and fetches its assignment with SyncGroup. A leader also gets the
members, and is instructed to skip the assignment (version 9). An older version lacks that flag, so such a leader gets
an answer with the old id as the leader, and acts as a follower.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.testing.coordinator.classic.admission import can_skip_assignment
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.rebalance import joined, rebalance_or_complete_join, release_parked
from kafka_nextgen.testing.coordinator.classic.recording import record_of
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.reasons import changes_subscription
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["replace_instance"]


def replace_instance(draft: Draft, request: JoinGroup) -> None:
    """Replace the instance's holder with the joining member, and answer or park its request."""
    before = draft.classic
    former_id = before.holder_of(request.instance_id)
    assert former_id is not None
    former = before.members[former_id]
    member = _take_over(draft, request, former)
    group, stated = draft.classic, request.join_reason
    is_changed = draft.hooks.minds_subscription(stated) and changes_subscription(group, former, member)
    keeps_protocol = group.is_in(ClassicStatus.STABLE) and group.chosen_protocol() == group.protocol
    if is_changed or not keeps_protocol or draft.hooks.wants_rebalance(stated, False):
        reason = RebalanceReason.SUBSCRIPTION_CHANGED if is_changed else RebalanceReason.MEMBER_RESTARTED
        cause = Cause(reason, member.member_id, member.instance_id, text=request.reason or "")
        rebalance_or_complete_join(draft, draft.hooks.with_statement(draft, cause, stated))
        return
    draft.group.classic = group.with_member(evolve(member, join=None))
    draft.write(record_of(draft.classic, draft.now_ms))
    draft.release(request.number, _answer(draft.classic, member, request, before.leader_id))


def _take_over(draft: Draft, request: JoinGroup, former: ClassicMember) -> ClassicMember:
    """Fence the former member, and give its state to the new one."""
    release_parked(draft, former, ErrorCode.FENCED_INSTANCE_ID, former.member_id)
    member = evolve(
        former,
        member_id=request.new_member_id,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        session_timeout_ms=request.session_timeout_ms,
        protocols=request.protocols,
        is_new=False,
        owes_sync=former.owes_sync,
        join=request.number,
        sync=None,
    )
    leads = draft.classic.leader_id == former.member_id
    group = draft.classic.without(former.member_id).with_member(member)
    draft.group.classic = evolve(group, leader_id=member.member_id) if leads else group
    draft.cancel(TimerKind.SESSION, former.member_id)
    draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
    return member


def _answer(
    group: ClassicGroup, member: ClassicMember, request: JoinGroup, former_leader_id: str | None
) -> JoinGroupAnswer:
    if not can_skip_assignment(request):
        answer = joined(group, member, tells_members=False)
        return evolve(answer, leader_id=former_leader_id or "")
    leads = group.leader_id == member.member_id
    return evolve(joined(group, member, tells_members=leads), skip_assignment=leads)

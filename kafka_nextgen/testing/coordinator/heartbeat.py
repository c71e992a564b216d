"""One heartbeat, in the order of the KIP (KIP-848, "ConsumerGroupHeartbeat API", request handling).

1. *Admit*: validate the request and check that the member may enter. A classic group becomes a consumer group first
   (``migration``). A returning instance takes its former member's place.
2. *Update* the member's metadata.
3. *Bump the group epoch* if the change requires it.
4. *Retarget*: make a new target assignment if one is due.
5. *Reconcile* this one member towards the target. The others move with their own heartbeats.
6. *Answer* with its epoch, and with its assignment if that changed.

Each step sees the changes of earlier steps. A refusal at any step undoes them all, except that members of a classic
group that were instructed to join again still do so. Extensions attach at ``draft.hooks``.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.groups.records import CurrentMemberAssignment
from kafka_nextgen.testing.coordinator.admission import JOIN, LEAVE, LEAVE_TEMPORARILY, refuse_entry, refuse_malformed
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome, Refusal
from kafka_nextgen.testing.coordinator.migration.upgrade import make_consumer_group
from kafka_nextgen.testing.coordinator.reasons import cause_of_change
from kafka_nextgen.testing.coordinator.reconciliation import reconcile_member
from kafka_nextgen.testing.coordinator.regex import arm_matching, refuse_pattern
from kafka_nextgen.testing.coordinator.removal import leave
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.static_members import take_over_instance
from kafka_nextgen.testing.coordinator.subscriptions import Update, advance_epoch, update_member
from kafka_nextgen.testing.coordinator.target import retarget
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.types import TopicIdPartition

__all__ = ["heartbeat"]


def heartbeat(draft: Draft, request: ConsumerGroupHeartbeat) -> Outcome:
    """Handle a heartbeat on ``draft``."""
    request = draft.hooks.understand(request, draft.settings)
    if refusal := refuse_malformed(request, draft.settings) or draft.hooks.refuse_malformed(request):
        return draft.refused(refusal)
    if request.member_epoch in (LEAVE, LEAVE_TEMPORARILY):
        return leave(draft, request)
    migrates = draft.group.is_classic_with_members
    if refusal := make_consumer_group(draft, request) or _refuse_entry(draft, request):
        return draft.refused(refusal)
    if not request.member_id:
        request = evolve(request, member_id=request.new_member_id)
    request = draft.hooks.admit(draft, request)
    is_back = take_over_instance(draft, request)
    before = draft.group.current(request.member_id)
    update = update_member(draft, request)
    _bump_epoch(draft, request, update, is_back=is_back, migrates=migrates)
    if refusal := retarget(draft):
        return draft.refused(refusal)
    after = reconcile_member(draft, update, before, request.owned)
    draft.arm(TimerKind.SESSION, request.member_id, draft.settings.session_timeout_s)
    answer = _answer(draft, request, before, after)
    return draft.outcome(draft.hooks.answer(draft, request, update.member, after, answer))


def _refuse_entry(draft: Draft, request: ConsumerGroupHeartbeat) -> Refusal | None:
    return (
        refuse_entry(request, draft.group, draft.settings)
        or draft.hooks.refuse_entry(request, draft.group, draft.settings)
        or refuse_pattern(request, draft.group)
    )


def _bump_epoch(
    draft: Draft, request: ConsumerGroupHeartbeat, update: Update, *, is_back: bool, migrates: bool
) -> None:
    arm_matching(draft, request.may_see)
    cause = cause_of_change(draft, update, request.join_reason, is_back=is_back, migrates=migrates)
    if not draft.hooks.sets_aside(draft, update.member, request.standby_state):
        advance_epoch(draft, cause)


def _answer(
    draft: Draft, request: ConsumerGroupHeartbeat, before: CurrentMemberAssignment, after: CurrentMemberAssignment
) -> ConsumerGroupHeartbeatAnswer:
    changed = after is not before and _partitions(after) != _partitions(before)
    is_news = changed or request.member_epoch == JOIN or _is_full(request)
    return ConsumerGroupHeartbeatAnswer(
        member_id=after.member_id,
        member_epoch=after.member_epoch,
        heartbeat_interval_ms=draft.settings.group_consumer_heartbeat_interval_ms,
        assignment=_partitions(after) if is_news else None,
    )


def _is_full(request: ConsumerGroupHeartbeat) -> bool:
    """After a possibly lost answer, a member sends all its fields again and gets its full assignment."""
    subscribes = request.subscribed_topics is not None or request.subscribed_pattern is not None
    return request.rebalance_timeout_ms != -1 and subscribes and request.owned is not None


def _partitions(current: CurrentMemberAssignment) -> frozenset[TopicIdPartition]:
    return frozenset(partition for partition, _ in current.assigned)

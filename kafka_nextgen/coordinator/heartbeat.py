"""One heartbeat, in the order of the KIP (KIP-848, "ConsumerGroupHeartbeat API", request handling).

1. *Admit*: is it well-formed, may the member come in? A returning instance takes its former member's place.
2. *Update* what the group knows of the member.
3. *Retarget*: raise the group epoch if there is reason to, make a new target assignment if one is due.
4. *Reconcile* this one member towards the target. The others move with their own heartbeats.
5. *Answer* with its epoch, and its assignment if that is news to it.

Each step sees what the steps before it did. A refusal at any step undoes them all.
"""

from __future__ import annotations

from kafka_nextgen.coordinator.draft import Draft, Outcome, refused
from kafka_nextgen.coordinator.fencing import refuse_entry
from kafka_nextgen.coordinator.leaving import leave
from kafka_nextgen.coordinator.migration.empty import clear_for_consumer
from kafka_nextgen.coordinator.reconciliation import Course, reconcile
from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.coordinator.regex import arm_matching, refuse_pattern
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.coordinator.static_members import take_over_instance
from kafka_nextgen.coordinator.subscriptions import Update, advance_epoch, update_member
from kafka_nextgen.coordinator.target import retarget
from kafka_nextgen.coordinator.timers import TimerKind
from kafka_nextgen.coordinator.validation import JOIN, LEAVE, LEAVE_FOR_A_WHILE, refuse_malformed
from kafka_nextgen.types import TopicIdPartition

__all__ = ["heartbeat"]


def heartbeat(draft: Draft, request: ConsumerGroupHeartbeat) -> Outcome:
    """Serve a heartbeat on ``draft``."""
    if refusal := refuse_malformed(request, draft.settings):
        return refused(refusal)
    if request.member_epoch in (LEAVE, LEAVE_FOR_A_WHILE):
        return leave(draft, request)
    if refusal := refuse_entry(request, draft.group, draft.settings) or refuse_pattern(request, draft.group):
        return refused(refusal)
    member_id = request.member_id or request.new_member_id
    assert member_id, "whoever passes on a version 0 join names the member"
    clear_for_consumer(draft)
    take_over_instance(draft, request, member_id)
    before = draft.group.current(member_id)

    update = update_member(draft, request, member_id)
    arm_matching(draft)

    advance_epoch(draft, update.calls_for_assignment)
    if refusal := retarget(draft):
        return refused(refusal)

    after = _reconcile_member(draft, request, update, before)
    draft.arm(TimerKind.SESSION, member_id, draft.settings.session_timeout_s)

    return draft.outcome(_answer(draft, request, before, after))


def _reconcile_member(
    draft: Draft, request: ConsumerGroupHeartbeat, update: Update, before: CurrentMemberAssignment
) -> CurrentMemberAssignment:
    group, behaviour = draft.group, draft.settings.behaviour
    course = Course(
        target_epoch=group.assignment_epoch,
        target=group.target(before.member_id),
        subscribed=draft.topics.ids(group.topics_of(update.member)),
        owned=request.owned,
        owners=group.owners,
        trims=update.subscription_changed and behaviour.trims_unsubscribed,
        second_revocation_keeps_epoch=behaviour.second_revocation_keeps_epoch,
    )
    after = reconcile(before, course)
    if after != group.currents.get(before.member_id):
        draft.write(after)
    if after != before:
        _watch_revocation(draft, update, after)
    return after


def _watch_revocation(draft: Draft, update: Update, after: CurrentMemberAssignment) -> None:
    """A member told to give something up has its rebalance timeout to do so (KIP-848, "Group Coordinator")."""
    if after.status is MemberStatus.UNREVOKED_PARTITIONS:
        timeout_s = update.member.rebalance_timeout_ms / 1000
        draft.arm(TimerKind.REBALANCE, after.member_id, timeout_s, after.member_epoch)
    else:
        draft.cancel(TimerKind.REBALANCE, after.member_id)


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
    """A member that fears it missed an answer says everything anew, and is told everything anew."""
    subscribes = request.subscribed_topics is not None or request.subscribed_pattern is not None
    return request.rebalance_timeout_ms != -1 and subscribes and request.owned is not None


def _partitions(current: CurrentMemberAssignment) -> frozenset[TopicIdPartition]:
    return frozenset(partition for partition, _ in current.assigned)

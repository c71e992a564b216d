"""One heartbeat, in the order of the KIP (KIP-848, "ConsumerGroupHeartbeat API", request handling).

1. *Admit*: is it well-formed, may the member come in? A classic group becomes a consumer group first (``migration``). A
   returning instance takes its former member's place.
2. *Update* what the group knows of the member.
3. *Retarget*: raise the group epoch if there is reason to, make a new target assignment if one is due.
4. *Reconcile* this one member towards the target. The others move with their own heartbeats.
5. *Answer* with its epoch, and its assignment if that is news to it.

Each step sees what the steps before it did. A refusal at any step undoes them all; but members of a
classic group that were told to join again will do so.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.coordinator.draft import Draft, Outcome, Refusal
from kafka_nextgen.coordinator.extensions.answering import with_extensions
from kafka_nextgen.coordinator.extensions.history.causes import cause_of_change
from kafka_nextgen.coordinator.extensions.refusing import refuse_malformed_assignors, refuse_unsupported_assignors
from kafka_nextgen.coordinator.extensions.registration.waiting import count_in, on_reserved_terms
from kafka_nextgen.coordinator.fencing import refuse_entry
from kafka_nextgen.coordinator.leaving import leave
from kafka_nextgen.coordinator.migration.empty import is_taken_by_classic
from kafka_nextgen.coordinator.migration.upgrade import make_consumer_group
from kafka_nextgen.coordinator.progress import reconcile_member
from kafka_nextgen.coordinator.records import CurrentMemberAssignment
from kafka_nextgen.coordinator.regex import arm_matching, refuse_pattern
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.coordinator.static_members import take_over_instance
from kafka_nextgen.coordinator.subscriptions import update_member
from kafka_nextgen.coordinator.target import retarget
from kafka_nextgen.coordinator.timers import TimerKind
from kafka_nextgen.coordinator.validation import JOIN, LEAVE, LEAVE_FOR_A_WHILE, refuse_malformed
from kafka_nextgen.types import JoinReason, TopicIdPartition

__all__ = ["heartbeat"]


def heartbeat(draft: Draft, request: ConsumerGroupHeartbeat) -> Outcome:
    """Serve a heartbeat on ``draft``."""
    request = _as_understood(request, draft.settings)
    if refusal := refuse_malformed(request, draft.settings) or refuse_malformed_assignors(request):
        return draft.refused(refusal)
    if request.member_epoch in (LEAVE, LEAVE_FOR_A_WHILE):
        return leave(draft, request)
    migrates = is_taken_by_classic(draft.group)
    if refusal := make_consumer_group(draft, request) or _refuse(draft, request):
        return draft.refused(refusal)
    member_id = request.member_id or request.new_member_id
    assert member_id, "whoever passes on a version 0 join names the member"
    request = on_reserved_terms(draft, request)
    is_back = take_over_instance(draft, request, member_id)
    before = draft.group.current(member_id)

    update = update_member(draft, request, member_id)
    arm_matching(draft, request.may_see)

    cause = cause_of_change(draft, update, request.join_reason, is_back=is_back, migrates=migrates)
    count_in(draft, update.member, cause)
    if refusal := retarget(draft):
        return draft.refused(refusal)

    after = reconcile_member(draft, update, before, request.owned)
    draft.arm(TimerKind.SESSION, member_id, draft.settings.session_timeout_s)

    answer = _answer(draft, request, before, after)
    return draft.outcome(with_extensions(draft, request, update.member, after, answer))


def _as_understood(request: ConsumerGroupHeartbeat, settings: CoordinatorSettings) -> ConsumerGroupHeartbeat:
    """Without extensions a coordinator does not see what Kafka's does not."""
    if settings.extensions or (request.client_assignors is None and request.join_reason is JoinReason.UNKNOWN):
        return request
    return evolve(request, client_assignors=None, join_reason=JoinReason.UNKNOWN)


def _refuse(draft: Draft, request: ConsumerGroupHeartbeat) -> Refusal | None:
    return (
        refuse_entry(request, draft.group, draft.settings)
        or refuse_unsupported_assignors(request, draft.group, draft.settings)
        or refuse_pattern(request, draft.group)
    )


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

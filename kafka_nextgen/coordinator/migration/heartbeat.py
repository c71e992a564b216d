"""Heartbeat of a classic member of a consumer group: keep its session, and tell it whether it has to join again
(KIP-848, "Classic Members").

Other members reconcile with each heartbeat. The answer to a classic heartbeat has no assignment, so a classic member
reconciles by JoinGroup. It is told to join again when

* it is not at the target's epoch; before Kafka 4.3 also when it is not at the group's, unless a member computes,
* it has partitions to revoke, because only a JoinGroup can acknowledge that,
* all partitions that it waits for are free.

It then has its rebalance timeout to join.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.requests import Heartbeat
from kafka_nextgen.coordinator.classic.responses import HeartbeatAnswer
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.migration.identity import classic_member_error
from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.coordinator.timers import TimerKind
from kafka_nextgen.coordinator.topic_partitions import flatten

__all__ = ["expect_join", "is_behind", "keep_session", "member_heartbeat"]


def member_heartbeat(draft: Draft, request: Heartbeat) -> Outcome:
    """Handle a heartbeat."""
    error = classic_member_error(draft.group, request.member_id, request.instance_id, request.generation)
    if error is not ErrorCode.NONE:
        return Outcome(HeartbeatAnswer(error))
    keep_session(draft, request.member_id)
    if not _has_to_join(draft, draft.group.current(request.member_id)):
        return draft.outcome(HeartbeatAnswer())
    expect_join(draft, request.member_id)
    return draft.outcome(HeartbeatAnswer(ErrorCode.REBALANCE_IN_PROGRESS))


def _has_to_join(draft: Draft, current: CurrentMemberAssignment) -> bool:
    if is_behind(draft, current) or current.status is MemberStatus.UNREVOKED_PARTITIONS:
        return True
    return current.status is MemberStatus.UNRELEASED_PARTITIONS and not _waits(draft.group, current)


def is_behind(draft: Draft, current: CurrentMemberAssignment) -> bool:
    """Whether the member is behind the epoch it should reach."""
    group, awaits_target = draft.group, draft.settings.behaviour.classic_members_await_target
    awaits_target = awaits_target or draft.hooks.is_computing(group)
    return current.member_epoch < (group.assignment_epoch if awaits_target else group.epoch)


def _waits(group: Group, current: CurrentMemberAssignment) -> bool:
    """Whether another member still owns a partition of the member's target."""
    holders = (group.owners.get(partition) for partition in flatten(group.target(current.member_id)))
    return any(holder not in (None, current.member_id) for holder in holders)


def expect_join(draft: Draft, member_id: str) -> None:
    """Set the timer that removes the member if it does not join in its rebalance timeout after it was first told to."""
    draft.arm_unless_running(TimerKind.JOIN, member_id, draft.group.members[member_id].rebalance_timeout_ms / 1000)


def keep_session(draft: Draft, member_id: str) -> None:
    """Restart a classic member's session timer, with the session timeout it asked for."""
    classic = draft.group.members[member_id].classic
    assert classic is not None, f"{member_id} speaks the consumer protocol"
    draft.arm(TimerKind.SESSION, member_id, classic.session_timeout_ms / 1000)

"""Heartbeat and SyncGroup of a classic member of a consumer group (KIP-345; KIP-848, "Classic Members").

| what must hold | else |
|---|---|
| the member is identified (``classic.admission``) | UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID |
| it speaks the classic protocol | UNKNOWN_MEMBER_ID |
| its generation is its member epoch | ILLEGAL_GENERATION |

Other members reconcile with each heartbeat. The answer to a classic heartbeat has no assignment, so a classic member
reconciles with JoinGroup. It is told to join again when

* it is not at the target's epoch; before Kafka 4.3 also when it is not at the group's, unless a member computes,
* it has partitions to revoke, because only a JoinGroup can acknowledge that,
* all partitions that it waits for are free.

It then has its rebalance timeout to join. With SyncGroup it fetches the assignment that its JoinGroup led to. There is
no leader and no wait for other members: the member gets its current assignment, in the version of its own embedded
protocol. If there is a newer target, it is told to join again, unless it has partitions to revoke: then it first needs
the assignment without them.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, encode_assignment, version_of
from kafka_nextgen.groups.records import ClassicProtocols, CurrentMemberAssignment, MemberStatus
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.testing.coordinator.classic.admission import identity_error
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import HeartbeatAnswer, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.reconciliation import has_other_owner
from kafka_nextgen.testing.coordinator.timers import TimerKind

__all__ = ["keep_session", "member_heartbeat", "member_sync"]


def member_heartbeat(draft: Draft, request: Heartbeat) -> Outcome:
    """Handle a heartbeat."""
    if error := _generation_error(draft.group, request):
        return Outcome(HeartbeatAnswer(error))
    keep_session(draft, request.member_id)
    if not _has_to_join(draft, draft.group.current(request.member_id)):
        return draft.outcome(HeartbeatAnswer())
    _expect_join(draft, request.member_id)
    return draft.outcome(HeartbeatAnswer(ErrorCode.REBALANCE_IN_PROGRESS))


def member_sync(draft: Draft, request: SyncGroup) -> Outcome:
    """Handle a SyncGroup, without parking it."""
    group, member_id = draft.group, request.member_id
    if error := _generation_error(group, request):
        return Outcome(SyncGroupAnswer(error))
    current, protocols = group.current(member_id), _protocols(group, member_id)
    if not _is_consistent(group, request, protocols):
        return Outcome(SyncGroupAnswer(ErrorCode.INCONSISTENT_GROUP_PROTOCOL))
    if _is_behind(draft, current) and current.status is not MemberStatus.UNREVOKED_PARTITIONS:
        _expect_join(draft, member_id)
        return draft.outcome(SyncGroupAnswer(ErrorCode.REBALANCE_IN_PROGRESS))
    draft.cancel(TimerKind.SYNC, member_id)
    keep_session(draft, member_id)
    assigned = draft.topics.with_names(partition for partition, _ in current.assigned)
    protocol = request.protocol_name or draft.hooks.protocol_for(group, protocols.supported)
    user_data = draft.hooks.user_data(group, member_id, protocol, protocols.supported)
    assignment = encode_assignment(assigned, version_of(protocols.supported[0].metadata), user_data)
    return draft.outcome(
        SyncGroupAnswer(protocol_type=request.protocol_type, protocol_name=request.protocol_name, assignment=assignment)
    )


def _is_consistent(group: Group, request: SyncGroup, protocols: ClassicProtocols) -> bool:
    """Whether the request's protocol, if it has one, is the same as in the JoinGroup answer."""
    told = group.hooks.protocols_told(group, [offered.name for offered in protocols.supported])
    return request.protocol_type in (None, PROTOCOL_TYPE) and request.protocol_name in (None, *told)


def _generation_error(group: Group, request: Heartbeat | SyncGroup) -> ErrorCode:
    if error := identity_error(group, request.member_id, request.instance_id):
        return error
    if not group.is_classic_member(request.member_id):
        return ErrorCode.UNKNOWN_MEMBER_ID
    is_current = request.generation == group.current(request.member_id).member_epoch
    return ErrorCode.NONE if is_current else ErrorCode.ILLEGAL_GENERATION


def _has_to_join(draft: Draft, current: CurrentMemberAssignment) -> bool:
    if _is_behind(draft, current) or current.status is MemberStatus.UNREVOKED_PARTITIONS:
        return True
    return current.status is MemberStatus.UNRELEASED_PARTITIONS and not _waits(draft.group, current)


def _is_behind(draft: Draft, current: CurrentMemberAssignment) -> bool:
    """Whether the member is behind the epoch it should reach."""
    group, awaits_target = draft.group, draft.settings.behaviour.classic_members_await_target
    awaits_target = awaits_target or draft.hooks.is_computing(group)
    return current.member_epoch < (group.assignment_epoch if awaits_target else group.epoch)


def _waits(group: Group, current: CurrentMemberAssignment) -> bool:
    """Whether another member still owns a partition of this member's target. This member has nothing left to revoke, so
    ``takes_back_at_once`` makes no difference: it keeps the partitions of the target that it owns.
    """
    target, member_id = flatten(group.target(current.member_id)), current.member_id
    return any(has_other_owner(partition, member_id, group.owners) for partition in target)


def _expect_join(draft: Draft, member_id: str) -> None:
    """Set the timer that removes the member if it does not join within its rebalance timeout."""
    draft.arm_unless_running(TimerKind.JOIN, member_id, draft.group.members[member_id].rebalance_timeout_ms / 1000)


def keep_session(draft: Draft, member_id: str) -> None:
    """Restart a classic member's session timer, with the session timeout that it requested."""
    draft.arm(TimerKind.SESSION, member_id, _protocols(draft.group, member_id).session_timeout_ms / 1000)


def _protocols(group: Group, member_id: str) -> ClassicProtocols:
    classic = group.members[member_id].classic
    assert classic is not None, f"{member_id} speaks the consumer protocol"
    return classic

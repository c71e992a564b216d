"""What must hold where two protocols meet: a model of its own says what a coordinator has to make of it (KIP-848,
"Classic Members", "Upgrade to the consumer protocol", "Downgrade to the classic protocol").

| rule | when it is looked at |
|---|---|
| a group with members changes its protocol only where the policy says so | before the outcome is in force |
| an upgrade takes over each member, with what it was given last, at its generation, and with all of its session; \
each request that waits is answered | the same |
| a downgrade sets no epoch back, keeps each target, leaves nothing of the consumer group, and rebalances if a member \
is gone | the same |
| a JoinGroup frees what it shows to be gone, and nothing else; its generation is the member's epoch, and it counts \
what it subscribes to | the same |
| a SyncGroup is answered with what the member has | the same |
| a classic member is told to join if there is a later target, something to revoke, or all that it waits for is free; \
it has its rebalance timeout for that, and its session begins anew | the same |
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.consumer_protocol import decode_assignment, decode_subscription
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.requests import Heartbeat, JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import HeartbeatAnswer, JoinGroupAnswer, SyncGroupAnswer
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.requests import Request
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKind
from kafka_nextgen.types import TopicIdPartition

_T = TypeVar("_T", r.CurrentMemberAssignment, r.TargetAssignmentMember)
_ALIVE = (HeartbeatAnswer(), HeartbeatAnswer(ErrorCode.REBALANCE_IN_PROGRESS))


def asked(
    coordinator: Coordinator, group: Group, request: Request | None, outcome: Outcome, now: float
) -> Iterator[str]:
    """What is wrong with the outcome of a request, or of timers that ran out, which is not in force yet."""
    kinds = {type(record) for record in outcome.records}
    if group.classic is not None:
        if group.classic.members and r.ClassicGroupMetadataRemoved in kinds:
            yield from _upgraded(coordinator, group.classic, outcome, now)
    elif r.ClassicGroupMetadata in kinds and group.members:
        yield from _downgraded(coordinator, group, outcome)
    elif isinstance(request, JoinGroup) and isinstance(outcome.response, JoinGroupAnswer) and group.members:
        if outcome.response.error is ErrorCode.NONE:
            yield from _joined(coordinator, group, request, outcome.response, outcome)
    elif isinstance(request, SyncGroup) and isinstance(outcome.response, SyncGroupAnswer):
        if outcome.response.error is ErrorCode.NONE:
            yield from _synced(coordinator, group, request, outcome.response)
    elif isinstance(request, Heartbeat) and outcome.response in _ALIVE:
        yield from _beat(group, request, outcome, now)


def _upgraded(coordinator: Coordinator, classic: ClassicGroup, outcome: Outcome, now: float) -> Iterator[str]:
    if not coordinator.settings.group_consumer_migration_policy.upgrades:
        yield "a classic group is upgraded, and the policy forbids it"
    waiting = {number for member in classic.in_order() for number in (member.join, member.sync)} - {None}
    if waiting - dict(outcome.released).keys():
        yield "a group is upgraded, and requests of its members wait on"
    currents, targets = _first_of(outcome, r.CurrentMemberAssignment), _first_of(outcome, r.TargetAssignmentMember)
    begun = _armed(outcome, TimerKind.SESSION)
    for member in classic.in_order():
        had = coordinator.topics.with_ids(decode_assignment(member.assignment))
        expected = classic.generation, dict.fromkeys(had, classic.generation)
        known, target = currents.get(member.member_id), targets.get(member.member_id)
        if known is None or (known.member_epoch, dict(known.assigned)) != expected:
            yield f"{member.member_id} is not upgraded with {len(had)} partitions at {classic.generation}"
        if target is None or set(flatten(target.partitions)) != had:
            yield f"{member.member_id} is upgraded, and what it has is not its target"
        if begun.get(member.member_id) != now + member.session_timeout_ms / 1000:
            yield f"{member.member_id} is upgraded, and its session does not restart"


def _downgraded(coordinator: Coordinator, group: Group, outcome: Outcome) -> Iterator[str]:
    if not coordinator.settings.group_consumer_migration_policy.downgrades:
        yield "a consumer group is downgraded, and the policy forbids it"
    record = next(each for each in outcome.records if isinstance(each, r.ClassicGroupMetadata))
    if record.generation < group.epoch:
        yield f"a group at epoch {group.epoch} is downgraded to generation {record.generation}"
    removed = {each.member_id for each in outcome.records if isinstance(each, r.TargetAssignmentMemberRemoved)}
    if not group.targets.keys() <= removed:
        yield f"a group is downgraded, and {len(group.targets.keys() - removed)} targets stay"
    given = {each.member_id: each.partitions for each in outcome.records if isinstance(each, r.TargetAssignmentMember)}
    for member in record.members:
        former = group.instances.get(member.instance_id or "", member.member_id)
        target = coordinator.topics.with_names(flatten(given.get(former, group.target(former))))
        if target != decode_assignment(member.assignment):
            yield f"{member.member_id} is downgraded without its target"
    stays = {each.member_id for each in record.members}
    is_stable = outcome.classic and outcome.classic[0].is_in(ClassicStatus.STABLE)
    if is_stable and len(stays) < len(group.members):
        yield f"a group is downgraded, and {len(group.members) - len(stays)} members are gone, and it is stable"


def _joined(
    coordinator: Coordinator, group: Group, request: JoinGroup, answer: JoinGroupAnswer, outcome: Outcome
) -> Iterator[str]:
    who = f"{answer.member_id}, which joins a consumer group,"
    before = group.current(group.instances.get(request.instance_id or "", answer.member_id))
    written = [each for each in outcome.records if isinstance(each, r.CurrentMemberAssignment)]
    after = next((each for each in reversed(written) if each.member_id == answer.member_id), before)
    said = decode_subscription(request.protocols[0].metadata)
    owned, revoking = coordinator.topics.with_ids(said.owned), dict(before.pending_revocation).keys()
    kept: Set[TopicIdPartition] = dict(after.assigned).keys() | dict(after.pending_revocation).keys()
    if owned & ((dict(before.assigned).keys() | revoking) - kept):
        yield f"{who} has not shown that partitions are gone, and they are free"
    if revoking and not owned & revoking and revoking & dict(after.pending_revocation).keys():
        yield f"{who} has shown that partitions are gone, and they are not free"
    if answer.generation != after.member_epoch:
        yield f"{who} is at {after.member_epoch}, and is answered {answer.generation}"
    told = [each for each in outcome.records if isinstance(each, r.MemberMetadata)]
    known = told[-1] if told else group.members[answer.member_id]
    if set(known.subscribed_topics) != said.topics:
        yield f"{who} subscribes to other topics than are counted"


def _synced(coordinator: Coordinator, group: Group, request: SyncGroup, answer: SyncGroupAnswer) -> Iterator[str]:
    has = coordinator.topics.with_names(each for each, _ in group.current(request.member_id).assigned)
    if decode_assignment(answer.assignment) != has:
        yield f"a SyncGroup of {request.member_id} is answered with what it has not"


def _beat(group: Group, request: Heartbeat, outcome: Outcome, now: float) -> Iterator[str]:
    member = group.members.get(request.member_id)
    if member is None or member.classic is None:
        return
    is_told = outcome.response != HeartbeatAnswer()
    current = group.current(request.member_id)
    is_due = current.member_epoch < group.assignment_epoch or _has_a_step(group, current)
    if is_due and not is_told:
        yield f"{request.member_id} has to join again, and is not told so"
    if is_told and not is_due and current.member_epoch >= group.epoch:
        yield f"{request.member_id} is told to join again, for nothing"
    if is_told and request.member_id not in _armed(outcome, TimerKind.JOIN):
        yield f"{request.member_id} is told to join again, and has all the time for it"
    if _armed(outcome, TimerKind.SESSION).get(request.member_id) != now + member.classic.session_timeout_ms / 1000:
        yield f"{request.member_id} is alive, and its session does not restart"


def _has_a_step(group: Group, current: r.CurrentMemberAssignment) -> bool:
    """Whether a member at the target's epoch has to give something up, or can have what it waits for."""
    if current.status is r.MemberStatus.UNRELEASED_PARTITIONS:
        target = flatten(group.target(current.member_id))
        return all(group.owners.get(each, current.member_id) == current.member_id for each in target)
    return current.status is r.MemberStatus.UNREVOKED_PARTITIONS


def _first_of(outcome: Outcome, kind: type[_T]) -> dict[str, _T]:
    """The first record of a kind for each member: what follows an upgrade may write another one."""
    records = (record for record in reversed(outcome.records) if isinstance(record, kind))
    return {record.member_id: record for record in records}


def _armed(outcome: Outcome, kind: TimerKind) -> dict[str, float]:
    """When timers of this kind run out, by the ids of their members."""
    return {
        each.key.member_id: each.deadline for each in outcome.timers if isinstance(each, Arm) and each.key.kind is kind
    }

"""JoinGroup to a consumer group that has members: one classic member reconciles (KIP-848, "Classic Members").

There is no leader and no wait for other members. The embedded subscription has the member's topics and owned
partitions, as a heartbeat of the consumer protocol would, so the request takes the same steps: update, retarget,
reconcile. The answer's generation is the member epoch; SyncGroup returns the assignment. A cooperative member takes two
rounds, one to revoke and one to get partitions. An eager member owns nothing when it joins.

| what must hold | else |
|---|---|
| the policy allows some conversion of groups (since Kafka 4.3.1) | INCONSISTENT_GROUP_PROTOCOL |
| the group has room, or already contains the member or (since Kafka 4.4) its instance | GROUP_MAX_SIZE_REACHED |
| it is a consumer, and offers a protocol that all other classic members offer | INCONSISTENT_GROUP_PROTOCOL |
| its embedded subscription can be decoded | INCONSISTENT_GROUP_PROTOCOL, before Kafka 4.4 UNKNOWN_SERVER_ERROR |
| a dynamic member has an id, not necessarily given by this coordinator | MEMBER_ID_REQUIRED |
| a static one with an id holds its instance | UNKNOWN_MEMBER_ID, FENCED_INSTANCE_ID |

A static member that joins without an id replaces its instance's holder, of either protocol and whether or not the
holder left. If the holder was the last of the consumer protocol, the group becomes a classic one (``downgrade``).
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, MemberSubscription, decode_subscription
from kafka_nextgen.groups.records import ClassicProtocols, MemberMetadata
from kafka_nextgen.testing.coordinator.classic.admission import has_to_come_with_id, instance_error
from kafka_nextgen.testing.coordinator.classic.rebalance import prepare_rebalance
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.classic.responses import JoinGroupAnswer
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.migration.downgrade import downgrade, downgrades_by_return_of
from kafka_nextgen.testing.coordinator.reasons import cause_of_change
from kafka_nextgen.testing.coordinator.reconciliation import reconcile_member
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, MigrationPolicy
from kafka_nextgen.testing.coordinator.static_members import replace_member
from kafka_nextgen.testing.coordinator.subscriptions import Update, advance_epoch, known_or_blank, note_member
from kafka_nextgen.testing.coordinator.target import retarget
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.types import RebalanceReason

__all__ = ["join_consumer_group"]


def join_consumer_group(draft: Draft, request: JoinGroup) -> Outcome:
    """Handle a JoinGroup, without parking it."""
    if error := _refusal(draft.group, request, draft.settings):
        needs_id = error is ErrorCode.MEMBER_ID_REQUIRED
        return Outcome(JoinGroupAnswer(error, request.new_member_id if needs_id else ""))
    try:
        said = decode_subscription(request.protocols[0].metadata)
    except DecodeError:
        is_said = draft.settings.behaviour.garbled_subscription_is_inconsistent
        error = ErrorCode.INCONSISTENT_GROUP_PROTOCOL if is_said else ErrorCode.UNKNOWN_SERVER_ERROR
        return Outcome(JoinGroupAnswer(error))
    return _join(draft, request, said)


def _refusal(group: Group, request: JoinGroup, settings: CoordinatorSettings) -> ErrorCode:
    is_disabled = settings.group_consumer_migration_policy is MigrationPolicy.DISABLED
    if is_disabled and settings.behaviour.disabled_migration_refuses_joins:
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if not _has_room(group, request, settings):
        return ErrorCode.GROUP_MAX_SIZE_REACHED
    if not _is_consistent(group, request):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if has_to_come_with_id(request):
        return ErrorCode.MEMBER_ID_REQUIRED
    return instance_error(group, request.member_id, request.instance_id) if request.member_id else ErrorCode.NONE


def _has_room(group: Group, request: JoinGroup, settings: CoordinatorSettings) -> bool:
    taken = len(group.members) + group.hooks.seats_kept(group, request.instance_id)
    if taken < settings.group_consumer_max_size or request.member_id in group.members:
        return True
    return settings.behaviour.instance_returns_to_full_group and request.instance_id in group.instances


def _is_consistent(group: Group, request: JoinGroup) -> bool:
    """Whether the group could continue as a classic group with this member."""
    offered = {protocol.name for protocol in request.protocols}
    in_common = any(group.classic_support.get(name, 0) == group.num_classic for name in offered)
    return request.protocol_type == PROTOCOL_TYPE and in_common


def _join(draft: Draft, request: JoinGroup, said: MemberSubscription) -> Outcome:
    group, epoch_before = draft.group, draft.group.epoch
    downgrades = downgrades_by_return_of(group, request.instance_id, draft.settings)
    member_id = request.member_id or request.new_member_id
    holder = group.instances.get(request.instance_id or "", member_id)
    is_back = holder != member_id
    if is_back:
        replace_member(draft, holder, member_id)
    before = group.current(member_id)
    update = _update(draft, request, _member(draft, request, said, member_id), is_back=is_back)
    refusal = None if downgrades else retarget(draft)
    if refusal is not None:
        return Outcome(JoinGroupAnswer(refusal.error))
    owned = draft.topics.with_ids(said.owned)
    is_stale = downgrades and group.assignment_epoch < group.epoch
    generation = group.epoch if is_stale else reconcile_member(draft, update, before, owned).member_epoch
    if not downgrades:
        _expect_sync(draft, request, member_id)
    elif _downgrade(draft, update.member, epoch_before, is_stale=is_stale):
        generation = before.member_epoch  # an old generation, so that this member joins again too
    return draft.outcome(_answer(group, request, member_id, generation))


def _update(draft: Draft, request: JoinGroup, member: MemberMetadata, *, is_back: bool) -> Update:
    """Store the member's metadata, and raise the group epoch if that requires it."""
    known = known_or_blank(draft.group, member.member_id)
    update = note_member(draft, member)
    update = evolve(update, asks_for_assignment=draft.hooks.asks_by_protocols(draft.group, known, member))
    cause = cause_of_change(draft, update, request.join_reason, is_back=is_back, text=request.reason or "")
    if not draft.hooks.sets_aside(draft, member):
        advance_epoch(draft, cause)
    return update


def _member(draft: Draft, request: JoinGroup, said: MemberSubscription, member_id: str) -> MemberMetadata:
    known = known_or_blank(draft.group, member_id)
    ends_pattern = draft.settings.behaviour.classic_join_ends_pattern
    return MemberMetadata(
        group_id=request.group_id,
        member_id=member_id,
        instance_id=known.instance_id if request.instance_id is None else request.instance_id,
        rack_id=said.rack_id or known.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        subscribed_topics=tuple(sorted(said.topics)),
        subscribed_pattern=None if ends_pattern else known.subscribed_pattern,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        server_assignor=known.server_assignor,
        classic=ClassicProtocols(request.session_timeout_ms, request.protocols),
    )


def _downgrade(draft: Draft, member: MemberMetadata, epoch_before: int, *, is_stale: bool) -> bool:
    """Make a classic group with the current target, which may be stale; return whether it rebalances."""
    downgrade(draft, (), epoch_before, member.member_id)
    rebalances = is_stale and draft.settings.behaviour.stale_downgrade_rebalances
    if rebalances:
        prepare_rebalance(draft, Cause(RebalanceReason.SUBSCRIPTION_CHANGED, member.member_id, member.instance_id))
    draft.hooks.settle(draft)
    return rebalances


def _expect_sync(draft: Draft, request: JoinGroup, member_id: str) -> None:
    draft.cancel(TimerKind.JOIN, member_id)
    draft.cancel(TimerKind.REBALANCE, member_id)
    draft.arm(TimerKind.SESSION, member_id, request.session_timeout_ms / 1000)
    draft.arm(TimerKind.SYNC, member_id, request.rebalance_timeout_ms / 1000)


def _answer(group: Group, request: JoinGroup, member_id: str, generation: int) -> JoinGroupAnswer:
    return JoinGroupAnswer(
        member_id=member_id,
        generation=generation,
        protocol_type=PROTOCOL_TYPE,
        protocol_name=group.hooks.protocol_for(group, request.protocols),
    )

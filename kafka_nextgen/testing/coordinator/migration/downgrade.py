"""Convert a consumer group with members to a classic group (KIP-848, "Downgrade to the classic protocol").

This happens when the last member of the consumer protocol leaves, is removed, or reaches its session or rebalance
timeout, or when a static one returns with JoinGroup. The conditions:

* at least one member stays, and all that stay speak the classic protocol,
* the policy allows it,
* the number of members is within a classic group's limit.

Otherwise the group stays a consumer group, and each classic member reconciles separately as before.

The classic group is stable with the *target*, which its members own or are moving to; its generation is the group
epoch. If a member was removed, it rebalances immediately. A returning static member causes no rebalance, unless its
subscription changed (KIP-848; Kafka before 4.3 keeps the old target then).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE, encode_assignment, version_of
from kafka_nextgen.groups.topic_partitions import flatten
from kafka_nextgen.testing.coordinator.classic.group import ClassicGroup, ClassicMember, ClassicStatus
from kafka_nextgen.testing.coordinator.classic.rebalance import prepare_rebalance
from kafka_nextgen.testing.coordinator.classic.recording import record_of
from kafka_nextgen.testing.coordinator.draft import Draft
from kafka_nextgen.testing.coordinator.group import Group
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.timers import TimerKind
from kafka_nextgen.testing.coordinator.topics import Topics
from kafka_nextgen.types import RebalanceReason

__all__ = ["downgrade", "downgrade_without", "downgrades_by_return_of", "downgrades_without"]


def downgrades_without(group: Group, leaving: Collection[str], settings: CoordinatorSettings) -> bool:
    """Whether the group becomes a classic one if these members leave."""
    staying = len(group.members) - len(leaving)
    classic = group.num_classic - sum(group.is_classic_member(member_id) for member_id in leaving)
    return 0 < staying == classic and _allows(settings, staying)


def downgrades_by_return_of(group: Group, instance_id: str | None, settings: CoordinatorSettings) -> bool:
    """Whether the group becomes a classic one if this instance speaks the classic protocol from now on."""
    holder = group.instances.get(instance_id or "")
    if holder is None or group.is_classic_member(holder):
        return False
    return group.num_classic == len(group.members) - 1 and _allows(settings, len(group.members))


def _allows(settings: CoordinatorSettings, size: int) -> bool:
    return settings.group_consumer_migration_policy.downgrades and size <= settings.group_max_size


def downgrade_without(draft: Draft, leaving: Collection[str], cause: Cause) -> None:
    """Downgrade without the leaving members, and rebalance to reassign their partitions."""
    downgrade(draft, leaving, draft.group.epoch)
    text = f"it was a consumer group until {', '.join(sorted(leaving))} left"
    prepare_rebalance(draft, evolve(cause, reason=RebalanceReason.MIGRATION, text=text))


def downgrade(draft: Draft, leaving: Collection[str], generation: int, newest: str | None = None) -> None:
    """Make a classic group of the members that stay, which all use the classic protocol; ``newest`` comes last."""
    staying = sorted(draft.group.members.keys() - set(leaving), key=lambda member_id: (member_id == newest, member_id))
    group = _with_assignments(_classic_group(draft.group, staying, generation), draft.group, draft.topics)
    _write_removal(draft)
    draft.write(record_of(group, draft.now_ms))
    draft.group.classic = group  # it has all protocols, the record only one
    for member in group.in_order():
        draft.arm(TimerKind.SESSION, member.member_id, member.session_timeout_ms / 1000)
    draft.note(f"group {group.group_id} becomes a classic group, at generation {generation}")


def _classic_group(group: Group, staying: Iterable[str], generation: int) -> ClassicGroup:
    members = [_member(group.members[member_id]) for member_id in staying]
    classic = ClassicGroup(group.group_id, ClassicStatus.STABLE, generation, PROTOCOL_TYPE).with_member(*members)
    return evolve(classic, protocol=classic.chosen_protocol()).with_topics()


def _member(member: r.MemberMetadata) -> ClassicMember:
    assert member.classic is not None, f"{member.member_id} speaks the consumer protocol"
    return ClassicMember(
        member_id=member.member_id,
        instance_id=member.instance_id,
        client_id=member.client_id,
        client_host=member.client_host,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        session_timeout_ms=member.classic.session_timeout_ms,
        protocols=member.classic.supported,
    )


def _with_assignments(classic: ClassicGroup, group: Group, topics: Topics) -> ClassicGroup:
    """Encode each member's target in the version of its own subscription."""
    return classic.with_member(
        *(
            evolve(
                member,
                assignment=encode_assignment(
                    topics.with_names(flatten(group.target(member.member_id))),
                    version_of(member.metadata(classic.protocol)),
                    group.hooks.user_data(group, member.member_id, classic.protocol, member.protocols),
                ),
            )
            for member in classic.in_order()
        )
    )


def _write_removal(draft: Draft) -> None:
    """Remove every record of the consumer group, kind by kind, and stop its timers."""
    draft.hooks.group_ended(draft)
    group, group_id = draft.group, draft.group.group_id
    members, patterns = sorted(group.members), sorted(group.patterns)
    for member_id in members:
        draft.write(r.CurrentMemberAssignmentRemoved(group_id, member_id))
    for member_id in members:
        draft.write(r.TargetAssignmentMemberRemoved(group_id, member_id))
    draft.write(r.TargetAssignmentMetadataRemoved(group_id))
    for member_id in members:
        draft.write(r.MemberMetadataRemoved(group_id, member_id))
        for kind in (TimerKind.SESSION, TimerKind.REBALANCE, TimerKind.JOIN, TimerKind.SYNC):
            draft.cancel(kind, member_id)
    for pattern in patterns:
        draft.write(r.RegularExpressionRemoved(group_id, pattern))
    draft.write(r.GroupMetadataRemoved(group_id))
    draft.cancel(TimerKind.PATTERN)

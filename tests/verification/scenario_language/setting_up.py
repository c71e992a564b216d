"""States of a group that a scenario begins with, without the heartbeats that would lead there.

    member A epoch=6 has=orders[0-3]
    epoch 7
    assign A orders[0-2]
    assign C orders[3]

    generation 22 A@one=orders[0-2] B=orders[3]

``member`` puts a member into the group. ``assign`` tells what the next target gives to whom; with ``epoch`` that
target is made at once, and whoever has a share in it is a member. ``generation`` makes a classic group. All of it takes
effect together, with the next command that asks something: halfway there the invariants do not hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, field

from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.consumer_protocol import (
    PROTOCOL_TYPE,
    MemberSubscription,
    encode_assignment,
    encode_subscription,
)
from kafka_nextgen.groups.topic_partitions import to_topic_partitions
from kafka_nextgen.types import TopicIdPartition, TopicPartition
from tests.verification.scenario_language.host import CoordinatorHost
from tests.verification.scenario_language.world import GROUP

Partitions = frozenset[TopicIdPartition]


@define
class Present:
    """A member that is there from the start."""

    epoch: int
    has: Partitions
    instance_id: str | None = None


@define
class PresentClassic:
    """A member of the classic group that is there from the start."""

    member_id: str
    instance_id: str | None
    has: frozenset[TopicPartition]


@define
class Plan:
    """What is to be so when the next question is asked."""

    members: dict[str, Present] = field(factory=dict)
    epoch: int | None = None
    shares: dict[str, Partitions] = field(factory=dict)
    generation: int | None = None
    in_generation: list[PresentClassic] = field(factory=list)


def carry_out(plan: Plan, host: CoordinatorHost) -> None:
    if plan.shares and plan.epoch is None:
        host.assignor.told = plan.shares
    records = [*_members(plan, host), *_target(plan, host), *_classic_group(plan, host)]
    for record in records:
        host.coordinator.apply(record)
    host.log.extend(records)
    if records:
        host.restart()


def _members(plan: Plan, host: CoordinatorHost) -> Iterator[r.Record]:
    for name, member in plan.members.items():
        yield _metadata(name, host, member.instance_id)
        yield r.TargetAssignmentMember(GROUP, name, to_topic_partitions(member.has))
        has = tuple((partition, member.epoch) for partition in sorted(member.has))
        yield r.CurrentMemberAssignment(GROUP, name, member.epoch, 0, r.MemberStatus.STABLE, has, ())
    if plan.members:
        yield from _epochs(max(member.epoch for member in plan.members.values()), host)


def _target(plan: Plan, host: CoordinatorHost) -> Iterator[r.Record]:
    if plan.epoch is None:
        return
    for name, share in plan.shares.items():
        if name not in host.group.members and name not in plan.members:
            yield _metadata(name, host)
        yield r.TargetAssignmentMember(GROUP, name, to_topic_partitions(share))
    yield from _epochs(plan.epoch, host)


def _classic_group(plan: Plan, host: CoordinatorHost) -> Iterator[r.Record]:
    if plan.generation is None:
        return
    said = encode_subscription(MemberSubscription(frozenset(host.topics)))
    members = tuple(
        r.ClassicMemberMetadata(
            each.member_id, each.instance_id, "", "", 60_000, 10_000, said, encode_assignment(each.has)
        )
        for each in plan.in_generation
    )
    leader_id = members[0].member_id
    yield r.ClassicGroupMetadata(GROUP, PROTOCOL_TYPE, plan.generation, "range", leader_id, 0, members)


def _metadata(name: str, host: CoordinatorHost, instance_id: str | None = None) -> r.Record:
    return r.MemberMetadata(GROUP, name, instance_id, None, "", "", _all_topics(host), None, 60_000, None)


def _epochs(epoch: int, host: CoordinatorHost) -> Iterable[r.Record]:
    metadata_hash = host.coordinator.topics.metadata_hash(_all_topics(host))
    return (r.GroupMetadata(GROUP, epoch, metadata_hash), r.TargetAssignmentMetadata(GROUP, epoch))


def _all_topics(host: CoordinatorHost) -> tuple[str, ...]:
    return tuple(sorted(host.topics))

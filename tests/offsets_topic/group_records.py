"""Records of a group, as its coordinator writes them."""

from __future__ import annotations

from uuid import UUID

from kafka_nextgen.groups import records as r
from kafka_nextgen.types import TopicIdPartition

G = "billing"
ORDERS, BILLS = UUID(int=7), UUID(int=8)
NAMES = {ORDERS: "orders"}
STABLE, UNREVOKED = r.MemberStatus.STABLE, r.MemberStatus.UNREVOKED_PARTITIONS


def metadata(member: str, *topics: str, instance: str | None = None, assignor: str | None = None) -> r.MemberMetadata:
    return r.MemberMetadata(G, member, instance, None, f"client-{member}", "/10.0.0.1", topics, None, 5_000, assignor)


def epoch(number: int, metadata_hash: int = 1) -> r.GroupMetadata:
    return r.GroupMetadata(G, number, metadata_hash)


def target(member: str, *numbers: int) -> r.TargetAssignmentMember:
    return r.TargetAssignmentMember(G, member, {ORDERS: frozenset(numbers)} if numbers else {})


def current(
    member: str, number: int, *owned: int, revoking: tuple[int, ...] = (), before: int = 0
) -> r.CurrentMemberAssignment:
    assigned, pending = (
        tuple((TopicIdPartition(ORDERS, each), number) for each in numbers) for numbers in (owned, revoking)
    )
    status = UNREVOKED if revoking else STABLE
    return r.CurrentMemberAssignment(G, member, number, before or number - 1, status, assigned, pending)


def removal(member: str) -> tuple[r.Record, ...]:
    return (
        r.CurrentMemberAssignmentRemoved(G, member),
        r.TargetAssignmentMemberRemoved(G, member),
        r.MemberMetadataRemoved(G, member),
    )

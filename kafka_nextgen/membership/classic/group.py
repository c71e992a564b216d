"""The members of a classic group as one that leads it learns of them, the assignors one can work with, and its part."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.consumer_protocol import MemberSubscription
from kafka_nextgen.types import TopicPartition

__all__ = ["JoinedMember", "MemberPart", "Offer"]


@frozen
class JoinedMember:
    """A member as the leader learns of it."""

    member_id: str
    instance_id: str | None
    subscription: MemberSubscription


@frozen
class Offer:
    """An assignor that a member can work with, and its word to it."""

    strategy: str
    user_data: bytes | None = None


@frozen
class MemberPart:
    """What the leader has for a member, and the assignor's word to it."""

    member_id: str
    partitions: frozenset[TopicPartition]
    user_data: bytes | None = None

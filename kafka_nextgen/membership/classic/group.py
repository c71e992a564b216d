"""What the members of a classic group tell each other through the coordinator, which does not look at it."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.types import TopicPartition

__all__ = ["NO_GENERATION", "PROTOCOL_TYPE", "JoinedMember", "MemberSubscription", "Offer"]

#: The protocol type of every group of consumers.
PROTOCOL_TYPE = "consumer"

#: The generation of whoever is in no group.
NO_GENERATION = -1


@frozen
class MemberSubscription:
    """A member's topics, and what it owns since which generation (KIP-429; the rack is KIP-881).

    ``user_data`` is a word to the assignor, in its own bytes.
    """

    topics: frozenset[str] = frozenset()
    owned: frozenset[TopicPartition] = frozenset()
    generation: int = NO_GENERATION
    rack_id: str | None = None
    user_data: bytes | None = None


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

"""The members of a classic group as one that leads it learns of them, and the assignors one can work with."""

from __future__ import annotations

from attrs import frozen

from kafka_nextgen.embedded import MemberSubscription

__all__ = ["JoinedMember", "Offer"]


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

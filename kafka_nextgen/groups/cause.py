"""Why a group rebalances: the reason, its wording in logs, and the member that caused it."""

from __future__ import annotations

from collections.abc import Mapping

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import JoinReason, RebalanceReason

__all__ = ["Cause", "EpochCause"]

_WORDS: Mapping[RebalanceReason, str] = {
    RebalanceReason.UNKNOWN: "unknown",
    RebalanceReason.MEMBER_JOINED: "{who} joined",
    RebalanceReason.MEMBER_RESTARTED: "{who} returned",
    RebalanceReason.MEMBER_LEFT: "{who} left",
    RebalanceReason.MEMBER_EXPIRED: "the session of {who} ended",
    RebalanceReason.MEMBER_FENCED: "{who} did not respond in time",
    RebalanceReason.SUBSCRIPTION_CHANGED: "{who} changed its subscription",
    RebalanceReason.TOPIC_METADATA_CHANGED: "topics changed",
    RebalanceReason.PATTERN_RESOLVED: "patterns match different topics",
    RebalanceReason.ASSIGNOR_REQUESTED: "the assignor of {who} requested a rebalance",
    RebalanceReason.ASSIGNOR_CHANGED: "{who} changed the assignor of the group",
    RebalanceReason.MEMBER_REQUESTED: "{who} requested a rebalance",
    RebalanceReason.ADMIN: "an administrator changed the group",
    RebalanceReason.MIGRATION: "{who} changed the protocol of the group",
}


@frozen
class Cause:
    """Why a group rebalances, and which member caused it; ``member_id`` is empty if no member did.

    ``text`` is the reason the member gave (KIP-800), or other details; ``stated`` is its join reason (an extension).
    """

    reason: RebalanceReason
    member_id: str = ""
    instance_id: str | None = None
    stated: JoinReason = JoinReason.UNKNOWN
    text: str = ""

    def __str__(self) -> str:
        words = _WORDS[self.reason].format(who=self.member_id or "a member")
        return f"{words} ({self.text})" if self.text else words


@frozen
class EpochCause:
    """Why a group reached an epoch, or a classic group a generation."""

    epoch: int
    is_classic: bool
    cause: Cause

"""A group's history: its latest rebalances, each with its cause, as values and as records.

A rebalance has a number, which counts those of its group. Its record's key has the number modulo how many are kept, so
a later one takes an older one's place, in the group as in a compacted log.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from kafka_nextgen.types import JoinReason, RebalanceReason

__all__ = ["Cause", "History", "Rebalance", "RebalanceRecorded", "RebalanceRecordedRemoved"]

_WORDS: Mapping[RebalanceReason, str] = {
    RebalanceReason.UNKNOWN: "{who} did something",
    RebalanceReason.MEMBER_JOINED: "{who} came",
    RebalanceReason.MEMBER_RESTARTED: "{who} came back",
    RebalanceReason.MEMBER_LEFT: "{who} left",
    RebalanceReason.MEMBER_EXPIRED: "the session of {who} ended",
    RebalanceReason.MEMBER_FENCED: "{who} did not go on in time",
    RebalanceReason.SUBSCRIPTION_CHANGED: "{who} subscribes to something else",
    RebalanceReason.TOPIC_METADATA_CHANGED: "topics changed",
    RebalanceReason.PATTERN_RESOLVED: "patterns match other topics",
    RebalanceReason.ASSIGNOR_REQUESTED: "the assignor in {who} asked for it",
    RebalanceReason.MEMBER_REQUESTED: "{who} asked for it",
    RebalanceReason.ADMIN: "an administrator changed something",
    RebalanceReason.MIGRATION: "{who} has it change its protocol",
}


@frozen
class Cause:
    """Why a group rebalances, and who caused it: nobody, if there is no ``member_id``.

    ``stated`` is what the member stated, ``text`` what it said (KIP-800), or what else is known.
    """

    reason: RebalanceReason
    member_id: str = ""
    instance_id: str | None = None
    stated: JoinReason = JoinReason.UNKNOWN
    text: str = ""

    def __str__(self) -> str:
        words = _WORDS[self.reason].format(who=self.member_id or "somebody")
        return f"{words} ({self.text})" if self.text else words


@frozen
class Rebalance:
    """A rebalance from its cause on. Times are milliseconds.

    ``epoch`` is the group epoch it led to, in a classic group the generation. ``target_epoch`` is that of the first
    assignment that takes it into account, made at ``assigned_at_ms``; both are None until then.
    """

    number: int
    cause: Cause
    caused_at_ms: int
    is_classic: bool
    epoch: int
    target_epoch: int | None = None
    assigned_at_ms: int | None = None


#: Rebalances by the places of their records.
History = Mapping[int, Rebalance]


@frozen
class RebalanceRecorded:
    """[10000] A rebalance began, or was assigned for."""

    group_id: str
    slot: int
    rebalance: Rebalance


@frozen
class RebalanceRecordedRemoved:
    """[10000] There is no rebalance at this place any more."""

    group_id: str
    slot: int

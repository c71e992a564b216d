"""The reasons of joins and rebalances by their numbers. One of a later release is none that is known."""

from __future__ import annotations

from kafka_nextgen.types import JoinReason, RebalanceReason

__all__ = ["join_reason", "rebalance_reason"]

_JOIN = {reason.value: reason for reason in JoinReason}
_REBALANCE = {reason.value: reason for reason in RebalanceReason}


def join_reason(number: int) -> JoinReason:
    """What a member states by this number."""
    return _JOIN.get(number, JoinReason.UNKNOWN)


def rebalance_reason(number: int) -> RebalanceReason:
    """What a rebalance is recorded to have begun with by this number."""
    return _REBALANCE.get(number, RebalanceReason.UNKNOWN)

"""Explanations as JSON has them: the names of the values, partitions as in logs."""

from __future__ import annotations

from kafka_nextgen.assignors import Balance, Explanation, Loads, MemberChange
from kafka_nextgen.types import format_partitions

__all__ = ["explanation_document"]


def explanation_document(explanation: Explanation) -> dict[str, object]:
    """An explanation with its members; moves as what members gain and lose."""
    return {
        "assignor": explanation.assignor,
        "is_valid": explanation.is_valid,
        "failure": explanation.failure,
        "flaws": list(explanation.flaws),
        "error": explanation.error,
        "moves": len(explanation.moves),
        "kept": explanation.kept,
        "stickiness": explanation.stickiness,
        "before": _balance(explanation.before, explanation.loads_before, explanation.across_before),
        "after": _balance(explanation.after, explanation.loads_after, explanation.across_after),
        "members": [_member(member) for member in explanation.members],
    }


def _balance(balance: Balance, loads: Loads | None, across_racks: int) -> dict[str, object]:
    return {
        "fewest": balance.fewest,
        "most": balance.most,
        "spread": balance.spread,
        "least_load": None if loads is None else loads.least,
        "most_load": None if loads is None else loads.most,
        "across_racks": across_racks,
    }


def _member(member: MemberChange) -> dict[str, object]:
    return {
        "member_id": member.member_id,
        "instance_id": member.instance_id,
        "rack_id": member.rack_id,
        "before": format_partitions(member.before),
        "after": format_partitions(member.after),
        "load_before": member.load_before,
        "load_after": member.load_after,
        "gains": format_partitions(member.gains),
        "loses": format_partitions(member.loses),
        "across_racks": format_partitions(member.across_after),
    }

"""Explain what an assignor would do to a group, without a request to a broker and without any change."""

from __future__ import annotations

from kafka_nextgen.assignors.explaining.described_group import DescribedGroup, DescribedMember, spec_of
from kafka_nextgen.assignors.explaining.explain import explain
from kafka_nextgen.assignors.explaining.explanation import Balance, Explanation, Loads, MemberChange, Move

__all__ = [
    "Balance",
    "DescribedGroup",
    "DescribedMember",
    "Explanation",
    "Loads",
    "MemberChange",
    "Move",
    "explain",
    "spec_of",
]

"""Choose a classic group's protocol: the one that most members prefer among those that all offer.

On a tie Kafka chooses the first in the order of a Java hash map, and so does this.
"""

from __future__ import annotations

from collections import Counter

from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.coordinator.hash_map import place

__all__ = ["chosen_protocol"]


def chosen_protocol(group: ClassicGroup) -> str:
    """The protocol with the most votes."""
    common = group.common_protocols()
    votes = Counter(next(name for name in member.names if name in common) for member in group.in_order())
    return min(votes, key=lambda name: (-votes[name], place(name)))

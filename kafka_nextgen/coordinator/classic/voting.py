"""Which protocol a classic group takes: the one that most members prefer among those that all offer.

Of two with as many votes Kafka takes the one that comes first in a Java hash map, and so does this.
"""

from __future__ import annotations

from collections import Counter

from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.coordinator.hash_map import place

__all__ = ["chosen_protocol"]


def chosen_protocol(group: ClassicGroup) -> str:
    """What the members vote for."""
    common = group.common_protocols()
    votes = Counter(next(name for name in member.names if name in common) for member in group.in_order())
    return min(votes, key=lambda name: (-votes[name], place(name)))

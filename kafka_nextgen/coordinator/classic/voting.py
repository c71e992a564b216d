"""Which protocol a classic group takes: the one that most members prefer among those that all offer.

Of two with as many votes Kafka takes the one that comes first in a Java hash map of 16 places. So does this, or members
of a group that is moved from one to the other would not be assigned alike.
"""

from __future__ import annotations

from collections import Counter

from kafka_nextgen.coordinator.classic.group import ClassicGroup

__all__ = ["chosen_protocol"]

_PLACES = 16


def chosen_protocol(group: ClassicGroup) -> str:
    """What the members vote for."""
    common = group.common_protocols()
    votes = Counter(next(name for name in member.names if name in common) for member in group.in_order())
    return min(votes, key=lambda name: (-votes[name], _place(name)))


def _place(name: str) -> int:
    """Where a Java hash map has a key: by ``String.hashCode``, both halves of it."""
    number = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        number = (31 * number + (high << 8 | low)) & 0xFFFFFFFF
    return (number ^ number >> 16) % _PLACES

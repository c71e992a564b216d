"""What must hold of the places that a group keeps, of either protocol.

Each rule yields a sentence for each way it is broken; silence is good.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from kafka_nextgen.coordinator.extensions.registration.places import missing, waiting
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.timers import TimerKey, TimerKind

__all__ = ["registration_violations"]


def registration_violations(group: Group, timers: Set[TimerKey]) -> Iterator[str]:
    """Every rule that ``group`` breaks; ``timers`` are those that run."""
    yield from (f"{member_id} waits, and has a target" for member_id in waiting(group) if group.target(member_id))
    yield from (f"{member_id} waits, and owns something" for member_id in waiting(group) if _owns(group, member_id))
    if (TimerKey(group.group_id, TimerKind.EXPECTED) in timers) is not bool(missing(group)):
        yield "the timer of places runs if somebody is missing, and only then"
    if group.classic is not None and group.classic.held.keys() - group.places.keys():
        yield "a join is held for which there is no place"
    if group.classic is not None and group.classic.held.keys() & group.classic.instances.keys():
        yield "a join is held whose instance is a member"


def _owns(group: Group, member_id: str) -> bool:
    current = group.current(member_id)
    return bool(current.assigned or current.pending_revocation)

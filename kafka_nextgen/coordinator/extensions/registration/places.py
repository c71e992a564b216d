"""Pre-registration: the places a group keeps for instances that are to come, and what follows from who has come.

A *place* is kept for an instance id until its time is over. The instance is *missing* until somebody is in the group
with it; from then on that member *waits* until nobody is missing any more. Who waits does not *count*: it is in the
group, at the epoch of its target, with nothing, and assignments are made of the others (KIP-345, "Future Works": the
server waits until all have joined, and then rebalances once).

All of this follows from the places and from who is in the group, so that nothing else has to be recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import chain

from kafka_nextgen.coordinator.extensions.records import Place
from kafka_nextgen.coordinator.extensions.responses import ExpectedInstance
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.records import MemberMetadata

__all__ = [
    "counted",
    "counted_topics",
    "expected",
    "has_come",
    "is_member",
    "is_overdue",
    "knows_its_topics",
    "missing",
    "seats_kept",
    "seats_taken",
    "waiting",
    "waits",
]


def waits(group: Group, member: MemberMetadata) -> bool:
    """Whether this member of the group waits for others."""
    return member.instance_id in group.places


def waiting(group: Group) -> list[str]:
    """The members of a consumer group that wait for others."""
    return [group.instances[instance_id] for instance_id in group.places if instance_id in group.instances]


def counted(group: Group) -> Iterable[MemberMetadata]:
    """The members that assignments are made of."""
    if not group.places:
        return group.members.values()
    return [member for member in group.members.values() if not waits(group, member)]


def counted_topics(group: Group) -> Set[str]:
    """The names that those who count subscribe to."""
    if not group.places:
        return group.subscribed_topics()
    return set(chain.from_iterable(map(group.topics_of, counted(group))))


def has_come(group: Group, instance_id: str) -> bool:
    """Whether somebody has come with this instance id, by whichever protocol."""
    return is_member(group, instance_id) or (group.classic is not None and instance_id in group.classic.held)


def is_member(group: Group, instance_id: str) -> bool:
    """Whether somebody is in the group with this instance id."""
    return instance_id in group.instances or (group.classic is not None and instance_id in group.classic.instances)


def expected(group: Group) -> tuple[ExpectedInstance, ...]:
    """The places as they are shown."""
    return tuple(
        ExpectedInstance(place.instance_id, place.until_ms, has_come(group, place.instance_id))
        for place in group.places.values()
    )


def missing(group: Group) -> list[Place]:
    """The places of those that have not come."""
    return [place for instance_id, place in group.places.items() if not has_come(group, instance_id)]


def seats_taken(group: Group, instance_id: str | None) -> int:
    """How many members the group has or keeps a place for, but for this instance's own place."""
    members = group.members if group.classic is None else group.classic.members
    return len(members) + seats_kept(group, instance_id)


def seats_kept(group: Group, instance_id: str | None) -> int:
    """How many places there are beside the members, but for this instance's own."""
    return sum(each != instance_id and not is_member(group, each) for each in group.places)


def is_overdue(place: Place, now: float) -> bool:
    """Whether the time of a place is over; ``now`` is in seconds, and timers may be a fraction of a millisecond off."""
    return place.until_ms - 1000 * now < 1


def knows_its_topics(group: Group, member_id: str) -> bool:
    """Whether there is anything to assign to the member yet: the matches of its pattern may not be known."""
    member = group.members[member_id]
    return member.subscribed_pattern is None or member.subscribed_pattern in group.patterns

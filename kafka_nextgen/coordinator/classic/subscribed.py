"""Whether the members of a classic group subscribe to a topic, as far as the coordinator can tell.

What consumers say of themselves in the protocol that was chosen begins with their topics. That is looked at when a
generation begins, so who joins or leaves counts from the next one on. Before one is chosen, and where somebody's bytes
can't be read, they may subscribe to anything.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.consumer_protocol import PROTOCOL_TYPE, decode_subscription
from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.errors import DecodeError

__all__ = ["subscribes", "with_topics"]


def subscribes(group: ClassicGroup, topic: str) -> bool:
    """Whether a member subscribes to the topic, or might."""
    return group.protocol_type == PROTOCOL_TYPE if group.topics is None else topic in group.topics


def with_topics(group: ClassicGroup) -> ClassicGroup:
    """The group as its generation begins, with the topics that its members have named."""
    return evolve(group, topics=_topics(group))


def _topics(group: ClassicGroup) -> frozenset[str] | None:
    if group.protocol_type != PROTOCOL_TYPE or (group.members and group.protocol is None):
        return None
    try:
        named = [decode_subscription(member.metadata(group.protocol)).topics for member in group.in_order()]
    except DecodeError:
        return None
    return frozenset().union(*named)

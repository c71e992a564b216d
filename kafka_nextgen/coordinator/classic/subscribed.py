"""Whether the members of a classic group subscribe to a topic, as far as the coordinator can tell.

Consumers' metadata for the chosen protocol begins with their topics. It is read when a generation begins, so a member
that joins or leaves counts from the next one on. Before a protocol is chosen, and where a member's metadata can't be
decoded, the members may subscribe to any topic.
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
    """The group at the start of its generation, with its members' topics."""
    return evolve(group, topics=_topics(group))


def _topics(group: ClassicGroup) -> frozenset[str] | None:
    if group.protocol_type != PROTOCOL_TYPE or (group.members and group.protocol is None):
        return None
    try:
        named = [decode_subscription(member.metadata(group.protocol)).topics for member in group.in_order()]
    except DecodeError:
        return None
    return frozenset().union(*named)

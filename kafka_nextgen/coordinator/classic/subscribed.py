"""Whether the members of a classic group subscribe to a topic, as far as the coordinator can tell.

What consumers say of themselves in the protocol that was chosen begins with their topics. Before one is chosen, and
where somebody's bytes can't be read, they may subscribe to anything.
"""

from __future__ import annotations

from kafka_nextgen.coordinator.classic.group import ClassicGroup
from kafka_nextgen.embedded import PROTOCOL_TYPE, decode_subscription
from kafka_nextgen.errors import DecodeError

__all__ = ["subscribes"]


def subscribes(group: ClassicGroup, topic: str) -> bool:
    """Whether a member subscribes to the topic, or might."""
    if group.protocol_type != PROTOCOL_TYPE or not group.members:
        return False
    if group.protocol is None:
        return True
    try:
        return any(topic in decode_subscription(member.metadata(group.protocol)).topics for member in group.in_order())
    except DecodeError:
        return True

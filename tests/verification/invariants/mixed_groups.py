"""What must hold of a consumer group with members of the classic protocol, besides what holds of every consumer group.

Each rule yields a sentence for each way it is broken; silence is good.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.groups.consumer_protocol import decode_subscription
from kafka_nextgen.testing.coordinator.group import Group


def mixed_violations(group: Group) -> Iterator[str]:
    offers = {
        member_id: member.classic.supported for member_id, member in group.members.items() if member.classic is not None
    }
    counts = Counter(name for supported in offers.values() for name in {offer.name for offer in supported})
    if len(offers) != group.num_classic or counts != dict(group.classic_support):
        yield "the count of classic members, or of who offers what, is out of step"
    if offers and len(offers) not in counts.values():
        yield "the classic members have no protocol in common, and could never be a classic group again"
    for member_id, supported in sorted(offers.items()):
        yield from _says_what_is_known(group, member_id, supported[0].metadata)


def _says_what_is_known(group: Group, member_id: str, metadata: bytes) -> Iterator[str]:
    """What a classic member embedded in its last JoinGroup is what the group knows of it."""
    try:
        topics = decode_subscription(metadata).topics
    except DecodeError as error:
        yield f"what {member_id} said can't be read: {error}"
        return
    if topics != frozenset(group.members[member_id].subscribed_topics):
        yield f"{member_id} said that it subscribes to other topics than the group knows of"

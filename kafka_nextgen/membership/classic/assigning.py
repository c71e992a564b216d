"""The leader's work with an assignor that comes along: from what the members said and what the topics are like to
everybody's partitions.

The classic protocol has topic names only, but assignors use ids, so each name gets an id for the computation. A topic
that does not exist is not assigned. Every member gets an entry, even an empty one, so that it can tell an empty
assignment from a broken response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka_nextgen.assignors.cooperative_sticky import generation_metadata
from kafka_nextgen.assignors.spec import AssignmentSpec, MemberSpec, Metadata, TopicMetadata
from kafka_nextgen.assignors.strategies import STRATEGIES
from kafka_nextgen.consumer_protocol import NO_GENERATION, MemberSubscription
from kafka_nextgen.membership.classic.computation import ids_of, owned_of, partitions_of
from kafka_nextgen.membership.classic.group import JoinedMember, MemberPart
from kafka_nextgen.types import TopicId

__all__ = ["assign", "topics_of"]


def topics_of(roster: Iterable[JoinedMember]) -> frozenset[str]:
    """Every topic that a member subscribed to."""
    return frozenset(topic for member in roster for topic in member.subscription.topics)


def assign(
    strategy: str | None, roster: Iterable[JoinedMember], topics: Mapping[str, TopicMetadata]
) -> tuple[MemberPart, ...]:
    """Everybody's partitions."""
    assert strategy is not None, "the coordinator chooses among what all members offer"
    ids = ids_of(topics, {})
    members = {member.member_id: _spec(member, ids) for member in roster}
    spec = AssignmentSpec(members, {ids[name]: topic for name, topic in topics.items()})
    names = {topic_id: name for name, topic_id in ids.items()}
    shares = STRATEGIES[strategy].assign(spec).members
    return tuple(MemberPart(member_id, partitions_of(shares[member_id].partitions, names)) for member_id in members)


def _spec(member: JoinedMember, ids: Mapping[str, TopicId]) -> MemberSpec:
    said = member.subscription
    return MemberSpec(said.topics, owned_of(said, ids), member.instance_id, said.rack_id, metadata=_metadata(said))


def _metadata(said: MemberSubscription) -> Metadata:
    """The generation of what is owned: in the subscription itself or, from older clients, in the user data."""
    if said.generation != NO_GENERATION:
        return generation_metadata(said.generation)
    return Metadata(payload=said.user_data or b"")

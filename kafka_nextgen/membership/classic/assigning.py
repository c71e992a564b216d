"""The leader's work: from what the members said and what the topics are like to everybody's partitions.

The classic protocol knows topics by name only, assignors by id: each name gets an id for the time of assigning. A
topic that does not exist is nobody's. Every member gets an entry, even an empty one: without it, it could not tell
nothing from an answer that is broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka_nextgen.assignors.cooperative_sticky import generation_metadata
from kafka_nextgen.assignors.spec import AssignmentSpec, MemberAssignment, MemberSpec, Metadata, TopicMetadata
from kafka_nextgen.assignors.strategies import STRATEGIES
from kafka_nextgen.embedded import NO_GENERATION, MemberSubscription
from kafka_nextgen.membership.classic.group import JoinedMember
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["assign", "topics_of"]

Assignments = tuple[tuple[str, frozenset[TopicPartition]], ...]


def topics_of(roster: Iterable[JoinedMember]) -> frozenset[str]:
    """Every topic that somebody subscribed to."""
    return frozenset(topic for member in roster for topic in member.subscription.topics)


def assign(strategy: str | None, roster: Iterable[JoinedMember], topics: Mapping[str, TopicMetadata]) -> Assignments:
    """Everybody's partitions, by member id."""
    assert strategy is not None, "the coordinator chooses among what all members offer"
    ids = {name: TopicId(int=number) for number, name in enumerate(sorted(topics), start=1)}
    members = {member.member_id: _spec(member, ids) for member in roster}
    spec = AssignmentSpec(members, {ids[name]: topic for name, topic in topics.items()})
    names = {topic_id: name for name, topic_id in ids.items()}
    shares = STRATEGIES[strategy].assign(spec).members
    return tuple((member_id, _by_name(shares[member_id], names)) for member_id in members)


def _spec(member: JoinedMember, ids: Mapping[str, TopicId]) -> MemberSpec:
    said = member.subscription
    owned: dict[TopicId, set[int]] = {}
    for tp in said.owned:
        if tp.topic in ids:
            owned.setdefault(ids[tp.topic], set()).add(tp.partition)
    return MemberSpec(said.topics, owned, member.instance_id, said.rack_id, metadata=_metadata(said))


def _metadata(said: MemberSubscription) -> Metadata:
    """The generation of what is owned: in the subscription itself or, from older clients, in the user data."""
    if said.generation != NO_GENERATION:
        return generation_metadata(said.generation)
    return Metadata(payload=said.user_data or b"")


def _by_name(share: MemberAssignment, names: Mapping[TopicId, str]) -> frozenset[TopicPartition]:
    return frozenset(
        TopicPartition(names[topic_id], number) for topic_id, numbers in share.partitions.items() for number in numbers
    )

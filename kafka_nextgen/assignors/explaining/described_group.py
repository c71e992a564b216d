"""A described group as assignors see it.

What describes a group (``GroupAdmin.describe``, a file) says who is in it, what they subscribe to and what is to be
theirs, by the names of topics. It does not say how many partitions topics have: those of a group at rest all have an
owner, so there are as many as the highest number says that anybody has. Where the cluster's own word for it is at
hand, as for ``GroupAdmin.assignment_spec``, that counts.

A classic group has no target that anybody knows of; what its members have stands in for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Protocol

from kafka_nextgen.assignors.spec import AssignmentSpec, ClientAssignor, MemberSpec, TopicMetadata
from kafka_nextgen.patterns import matching
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["DescribedGroup", "DescribedMember", "spec_of"]


#: What a member says that says nothing.
_SILENCE = ClientAssignor("")


class DescribedMember(Protocol):
    """A member, with what it has and is to have, None where that is not known, and what it says to assignors."""

    @property
    def member_id(self) -> str: ...  # noqa: D102
    @property
    def instance_id(self) -> str | None: ...  # noqa: D102
    @property
    def rack_id(self) -> str | None: ...  # noqa: D102
    @property
    def subscribed_topics(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def subscribed_pattern(self) -> str | None: ...  # noqa: D102
    @property
    def assignment(self) -> frozenset[TopicPartition] | None: ...  # noqa: D102
    @property
    def target(self) -> frozenset[TopicPartition] | None: ...  # noqa: D102
    @property
    def client_assignors(self) -> Sequence[ClientAssignor]: ...  # noqa: D102


class DescribedGroup(Protocol):
    """A group, as ``kafka_nextgen.GroupDescription`` is one."""

    @property
    def members(self) -> Sequence[DescribedMember]: ...  # noqa: D102


def spec_of(
    group: DescribedGroup, topics: Mapping[TopicId, TopicMetadata] | None = None, assignor: str | None = None
) -> AssignmentSpec:
    """The group for the assignor of this name. Without ``topics``, they are as its members know them.

    Raises ``ConfigError`` for a subscription pattern that can't be matched here.
    """
    known = _topics_seen(group) if topics is None else topics
    ids = {topic.name: topic_id for topic_id, topic in known.items()}
    members = {member.member_id: _member(member, ids, assignor) for member in group.members}
    subscribed = {name for member in members.values() for name in member.subscribed_topics}
    return AssignmentSpec(members, {topic_id: topic for topic_id, topic in known.items() if topic.name in subscribed})


def _topics_seen(group: DescribedGroup) -> dict[TopicId, TopicMetadata]:
    """Topics have no ids here, so each is known by its place among the names."""
    sizes = {name: 0 for member in group.members for name in member.subscribed_topics}
    for partition in _partitions_in(group):
        sizes[partition.topic] = max(sizes.get(partition.topic, 0), partition.partition + 1)
    return {
        TopicId(int=place): TopicMetadata(name, size) for place, (name, size) in enumerate(sorted(sizes.items()), 1)
    }


def _partitions_in(group: DescribedGroup) -> Iterator[TopicPartition]:
    for member in group.members:
        yield from member.assignment or ()
        yield from member.target or ()


def _member(member: DescribedMember, ids: Mapping[str, TopicId], assignor: str | None) -> MemberSpec:
    names = {*member.subscribed_topics}
    if member.subscribed_pattern:
        names |= {*matching(member.subscribed_pattern, ids)}
    has = member.assignment if member.target is None else member.target
    said = next((each for each in member.client_assignors if each.name == assignor), _SILENCE)
    return MemberSpec(
        subscribed_topics=frozenset(names),
        target=_by_topic(has or frozenset(), ids),
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        reason=said.reason,
        metadata=said.metadata,
    )


def _by_topic(partitions: Set[TopicPartition], ids: Mapping[str, TopicId]) -> dict[TopicId, frozenset[int]]:
    """Partitions of topics that are gone are nobody's any more."""
    found: dict[TopicId, set[int]] = {}
    for partition in partitions:
        if partition.topic in ids:
            found.setdefault(ids[partition.topic], set()).add(partition.partition)
    return {topic_id: frozenset(numbers) for topic_id, numbers in found.items()}

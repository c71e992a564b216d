"""Convert a described group to the input of assignors.

A description (``GroupAdmin.describe``, a file) has members, subscriptions and targets by topic name. It lacks partition
counts. In a stable group all partitions have an owner, so the highest partition number gives the count. If the
cluster's metadata is available, as in ``GroupAdmin.assignment_spec``, that is used instead.

The target of a classic group is unknown; the owned partitions are used instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Protocol

from kafka_nextgen.assignors.spec import AssignmentSpec, ClientAssignor, MemberSpec, TopicMetadata
from kafka_nextgen.properties.patterns import matching
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["DescribedGroup", "DescribedMember", "spec_of"]


#: A member without metadata for the assignor.
_NO_ASSIGNOR = ClientAssignor("")


class DescribedMember(Protocol):
    """A member with its assignment and target, None where unknown, and its metadata for assignors."""

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
    """A described group, such as a ``kafka_nextgen.GroupDescription``."""

    @property
    def members(self) -> Sequence[DescribedMember]: ...  # noqa: D102


def spec_of(
    group: DescribedGroup, topics: Mapping[TopicId, TopicMetadata] | None = None, assignor: str | None = None
) -> AssignmentSpec:
    """The group as input for the assignor with this name. Without ``topics``, they are derived from the members.

    Raises ``ConfigError`` for a subscription pattern that can't be matched here.
    """
    known = _topics_seen(group) if topics is None else topics
    ids = {topic.name: topic_id for topic_id, topic in known.items()}
    members = {member.member_id: _member(member, ids, assignor) for member in group.members}
    subscribed = {name for member in members.values() for name in member.subscribed_topics}
    return AssignmentSpec(members, {topic_id: topic for topic_id, topic in known.items() if topic.name in subscribed})


def _topics_seen(group: DescribedGroup) -> dict[TopicId, TopicMetadata]:
    """Descriptions have no topic ids, so the index in the sorted names is used instead."""
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
    said = next((each for each in member.client_assignors if each.name == assignor), _NO_ASSIGNOR)
    return MemberSpec(
        subscribed_topics=frozenset(names),
        target=_by_topic(has or frozenset(), ids),
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        reason=said.reason,
        metadata=said.metadata,
    )


def _by_topic(partitions: Set[TopicPartition], ids: Mapping[str, TopicId]) -> dict[TopicId, frozenset[int]]:
    """Partitions by topic id; deleted topics are left out."""
    found: dict[TopicId, set[int]] = {}
    for partition in partitions:
        if partition.topic in ids:
            found.setdefault(ids[partition.topic], set()).add(partition.partition)
    return {topic_id: frozenset(numbers) for topic_id, numbers in found.items()}

"""The leader's assignment: from the members' subscriptions and the topics' metadata to each member's partitions.

``assign`` uses a built-in assignor. A ``Computation`` is for an assignor that the application implements
(``computing``): it holds the assignor's input, and derives each member's part from the result:

* The assignor gets the members whose metadata it can read; the others are *refused*.
* A classic group has no target assignment, so a member's ``target`` is what it owns, minus any partitions that another
  member claims in the same or a later generation.
* Partitions that move to another member are withheld until their owner has revoked them, so any assignor rebalances
  cooperatively. The next rebalance runs the assignor again and assigns these partitions.

The classic protocol has only topic names, but assignors use ids, so each name gets an id for the computation. A topic
that does not exist is not assigned. Every member gets an entry, even if it is empty, so that the member can distinguish
an empty assignment from a broken response.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka_nextgen.assignors.cooperative_sticky import Claim, Claims, generation_metadata
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    Metadata,
    Share,
    TopicMetadata,
)
from kafka_nextgen.assignors.strategies import STRATEGIES
from kafka_nextgen.assignors.user_data import (
    AssignorWord,
    Failure,
    MemberWord,
    read_member_word,
    write_assignor_word,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import NO_GENERATION, MemberSubscription
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.classic.effects import MemberPart
from kafka_nextgen.membership.classic.events import JoinedMember
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["Computation", "assign", "topics_of"]

#: The share of a member that gets no partitions.
_NOTHING = MemberAssignment()


def _ids_of(topics: Mapping[str, TopicMetadata], known: Mapping[str, TopicId]) -> Mapping[str, TopicId]:
    """An id for every topic, by name; it is a temporary number if the brokers have no topic ids."""
    return {name: known.get(name, TopicId(int=number)) for number, name in enumerate(sorted(topics), start=1)}


def _owned_of(said: MemberSubscription, ids: Mapping[str, TopicId]) -> Mapping[TopicId, set[int]]:
    """The partitions that a member reports as owned, of topics that exist."""
    owned: dict[TopicId, set[int]] = {}
    for tp in said.owned:
        if tp.topic in ids:
            owned.setdefault(ids[tp.topic], set()).add(tp.partition)
    return owned


def _partitions_of(share: Share, names: Mapping[TopicId, str]) -> frozenset[TopicPartition]:
    """A member's share, by topic name."""
    return frozenset(
        TopicPartition(names[topic_id], number) for topic_id, numbers in share.items() for number in numbers
    )


def topics_of(roster: Iterable[JoinedMember]) -> frozenset[str]:
    """Every topic that a member subscribed to."""
    return frozenset(topic for member in roster for topic in member.subscription.topics)


def assign(
    strategy: str | None, roster: Iterable[JoinedMember], topics: Mapping[str, TopicMetadata]
) -> tuple[MemberPart, ...]:
    """The partitions of every member."""
    assert strategy is not None, "the coordinator chooses a protocol that all members support"
    ids = _ids_of(topics, {})
    members = {member.member_id: _built_in_spec(member, ids) for member in roster}
    spec = AssignmentSpec(members, {ids[name]: topic for name, topic in topics.items()})
    names = {topic_id: name for name, topic_id in ids.items()}
    shares = STRATEGIES[strategy].assign(spec).members
    return tuple(MemberPart(member_id, _partitions_of(shares[member_id].partitions, names)) for member_id in members)


def _built_in_spec(member: JoinedMember, ids: Mapping[str, TopicId]) -> MemberSpec:
    said = member.subscription
    return MemberSpec(said.topics, _owned_of(said, ids), member.instance_id, said.rack_id, metadata=_metadata(said))


def _metadata(said: MemberSubscription) -> Metadata:
    """The generation of the owned partitions: in the subscription itself or, from older clients, in the user data."""
    if said.generation != NO_GENERATION:
        return generation_metadata(said.generation)
    return Metadata(payload=said.user_data or b"")


@frozen
class Computation:
    """One run of an assignor. ``words`` is the metadata of all members; ``owned`` has the partitions that each member
    can keep."""

    number: int
    group: AssignmentSpec
    names: Mapping[TopicId, str]
    claims: Claims
    owned: Mapping[str, Share]
    words: Mapping[str, MemberWord]
    refused: Mapping[str, Failure]

    @classmethod
    def ask(
        cls,
        number: int,
        own: MemberWord,
        roster: Iterable[JoinedMember],
        topics: Mapping[str, TopicMetadata],
        known_ids: Mapping[str, TopicId],
    ) -> Computation:
        """Prepare a leader's computation, with an assignor that can read the metadata versions in ``own``."""
        ids = _ids_of(topics, known_ids)
        said = {member.member_id: member for member in roster}
        words = {member_id: read_member_word(member.subscription.user_data) for member_id, member in said.items()}
        claimed = {member_id: _owned_of(member.subscription, ids) for member_id, member in said.items()}
        claims = Claims.among(
            {member_id: Claim(claimed[member_id], said[member_id].subscription.generation) for member_id in said}
        )
        owned = {member_id: claims.kept(member_id, share) for member_id, share in claimed.items()}
        refused = {member_id: _refusal(word, own) for member_id, word in words.items() if not own.reads(word.version)}
        members = {
            member_id: _spec(member, owned[member_id], words[member_id])
            for member_id, member in said.items()
            if member_id not in refused
        }
        group = AssignmentSpec(members, {ids[name]: topic for name, topic in topics.items()})
        names = {topic_id: name for name, topic_id in ids.items()}
        return cls(number, group, names, claims, owned, words, refused)

    def parts_of(self, assignment: GroupAssignment) -> tuple[MemberPart, ...]:
        """Each member's part of the assignment."""
        return tuple(self._part(member_id, assignment) for member_id in self.words)

    def _part(self, member_id: str, assignment: GroupAssignment) -> MemberPart:
        if member_id in self.refused:
            return MemberPart(member_id, frozenset(), self._failed(member_id, self.refused[member_id]))
        share = assignment.members.get(member_id, _NOTHING)
        given = _partitions_of(self.claims.withhold(member_id, share.partitions), self.names)
        return MemberPart(member_id, given, write_assignor_word(AssignorWord(assignment.error, share.metadata)))

    def parts_as_they_are(self, failure: Failure) -> tuple[MemberPart, ...]:
        """Each member's part if the assignor failed: the partitions that it owns, and the failure."""
        return tuple(
            MemberPart(member_id, _partitions_of(share, self.names), self._failed(member_id, failure))
            for member_id, share in self.owned.items()
        )

    def _failed(self, member_id: str, failure: Failure) -> bytes | None:
        return None if self.words[member_id].is_foreign else write_assignor_word(AssignorWord(failure=failure))


def _spec(member: JoinedMember, owned: Share, word: MemberWord) -> MemberSpec:
    said = member.subscription
    reason, metadata = word.said.reason, word.said.metadata
    return MemberSpec(said.topics, owned, member.instance_id, said.rack_id, reason, metadata)


def _refusal(word: MemberWord, own: MemberWord) -> Failure:
    versions = f"{own.minimum_version} to {own.maximum_version}"
    text = f"it reads metadata versions {versions}, but this member's metadata has version {word.version}"
    return Failure(ErrorCode.UNSUPPORTED_ASSIGNOR, text)

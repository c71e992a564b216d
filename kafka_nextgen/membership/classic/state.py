"""The state of a member of a classic group. A rule takes one and returns another; there is no other state.

Three sets of partitions must be kept apart: ``assigned`` is what the last SyncGroup told, as long as it is not in
force; for ``owned`` and ``held`` see ``AnyMemberState``.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.groups.consumer_protocol import NO_GENERATION
from kafka_nextgen.membership.any_member import AnyMemberState
from kafka_nextgen.membership.classic.assigning import Computation
from kafka_nextgen.membership.classic.effects import ClassicEffect
from kafka_nextgen.membership.classic.events import JoinedMember
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.types import TopicPartition

__all__ = ["NOTHING", "ClassicState", "Outcome", "topics_wanted"]

NOTHING: frozenset[TopicPartition] = frozenset()


@frozen
class ClassicState(AnyMemberState):
    """The state of one member; the coordinator gives its ``member_id``."""

    status: Status = Status.UNSUBSCRIBED

    generation: int = NO_GENERATION  # the one last joined
    published: int = NO_GENERATION  # what commits carry; the one last synced
    strategy: str | None = None
    leader_id: str = ""
    roster: tuple[JoinedMember, ...] = ()  # the whole group; only its leader knows it
    reason: str = ""  # for the next JoinGroup
    must_rejoin: bool = False

    assigned: frozenset[TopicPartition] | None = None
    owned: frozenset[TopicPartition] = NOTHING
    held: frozenset[TopicPartition] = NOTHING
    giving_up: frozenset[TopicPartition] = NOTHING  # what is being committed and revoked just now

    matching: frozenset[str] | None = None  # topics of the pattern; None if they are to be looked up before joining
    joined_topics: frozenset[str] = frozenset()  # what the last JoinGroup subscribed to
    watched: Mapping[str, TopicMetadata] | None = None  # what the leader last assigned, as it was then
    watched_in: int = NO_GENERATION  # the generation that was in
    words: Mapping[str, MemberWord] = field(factory=dict)  # to the application's own assignors, as of now
    joined_words: Mapping[str, MemberWord] = field(factory=dict)  # as the last JoinGroup said them
    computation: Computation | None = None  # what an assignor of the application's own has been asked
    informed: tuple[int, frozenset[TopicPartition]] | None = None  # what part, in which generation, its assignor knows
    failed_assignor: str | None = None  # that the group has no new assignment for, and this member leads it
    asked: int | None = None  # the number of the question for topics under way

    request: int | None = None  # the number of the JoinGroup, SyncGroup or LeaveGroup under way

    @property
    def is_leader(self) -> bool:
        """Whether this member assigns, and watches the topics of the group."""
        return bool(self.roster)


#: What a rule returns: the new state and the effects, in order.
Outcome = tuple[ClassicState, tuple[ClassicEffect, ...]]


def topics_wanted(state: ClassicState) -> frozenset[str]:
    """The names of the topics subscribed to; those of a pattern must have been looked up."""
    assert state.subscription is not None, "a member joins for what it subscribed to"
    if state.subscription.pattern is None:
        return state.subscription.topics
    assert state.matching is not None, "the topics of a pattern are looked up before joining"
    return state.subscription.topics | state.matching

"""The state of a member of a classic group. A rule takes one and returns another; there is no other state.

Three sets of partitions must be kept apart: ``assigned`` is the last SyncGroup's assignment until it takes effect; for
``owned`` and ``held`` see ``AnyMemberState``.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.assignors.user_data import MemberWord
from kafka_nextgen.groups.consumer_protocol import NO_GENERATION
from kafka_nextgen.lazy_attrs import frozen
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
    """The state of one member; the coordinator assigns its ``member_id``."""

    status: Status = Status.UNSUBSCRIBED

    generation: int = NO_GENERATION  # the generation last joined
    published: int = NO_GENERATION  # the generation in commits: the last one synced
    strategy: str | None = None
    leader_id: str = ""
    roster: tuple[JoinedMember, ...] = ()  # all members of the group; known only to its leader
    reason: str = ""  # for the next JoinGroup
    must_rejoin: bool = False

    assigned: frozenset[TopicPartition] | None = None
    owned: frozenset[TopicPartition] = NOTHING
    held: frozenset[TopicPartition] = NOTHING
    giving_up: frozenset[TopicPartition] = NOTHING  # the partitions being committed and revoked

    matching: frozenset[str] | None = None  # topics of the pattern; None if they must be looked up before joining
    joined_topics: frozenset[str] = frozenset()  # the topics in the last JoinGroup
    watched: Mapping[str, TopicMetadata] | None = None  # the topics' metadata at the leader's last assignment
    watched_in: int = NO_GENERATION  # the generation of that assignment
    words: Mapping[str, MemberWord] = field(factory=dict)  # current metadata for the application's assignors
    joined_words: Mapping[str, MemberWord] = field(factory=dict)  # the metadata in the last JoinGroup
    computation: Computation | None = None  # the running computation of the application's assignor
    informed: tuple[int, frozenset[TopicPartition]] | None = None  # the generation and the part last passed on
    failed_assignor: str | None = None  # for the last assignment, if this member is the leader
    asked: int | None = None  # the number of the topic lookup in flight
    is_back: bool = False  # a static member joined without a member id, and has not synced since
    may_lead: bool = False  # the version of the JoinGroup answer does not say whether the member leads
    is_in_doubt: bool = False  # the assignment must be compared with the topics

    request: int | None = None  # the number of the JoinGroup, SyncGroup or LeaveGroup in flight

    @property
    def is_leader(self) -> bool:
        """Whether this member assigns partitions and watches the topics of the group."""
        return bool(self.roster)


#: What a rule returns: the new state and the effects, in order.
Outcome = tuple[ClassicState, tuple[ClassicEffect, ...]]


def topics_wanted(state: ClassicState) -> frozenset[str]:
    """The names of the subscribed topics; those of a pattern must have been looked up."""
    assert state.subscription is not None, "a member that joins has a subscription"
    if state.subscription.pattern is None:
        return state.subscription.topics
    assert state.matching is not None, "the topics of a pattern are looked up before joining"
    return state.subscription.topics | state.matching

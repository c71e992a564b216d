"""Whether the group's assignment fits the topics and the subscription of a static member that returned.

A static member that returns gets its former assignment (KIP-345), even if it now subscribes to other topics, because
coordinators compare only the assignors (KAFKA-12759). A returning leader must skip the assignment (KIP-814), so it
can't detect that partitions were added while it was away. Partitions that such an assignment lacks have no reader until
the next rebalance. In the draft "JoinReason", a known member with changed metadata makes the group rebalance. A member
achieves that on every broker:

1. *Doubt.* After its first SyncGroup, a returning leader has to verify the assignment. A follower does so if it has no
   partition of a topic in its subscription. In a group that rebalances cooperatively it always does so, because its
   former process may have revoked partitions that are not assigned to any member before the member joins again
   (KIP-429). Before JoinGroup version 9 it always does so too, because a returning leader gets the same response as a
   follower.
2. *Comparison.* A member in doubt requests the group's assignment (DescribeGroups) and the metadata of the topics. The
   assignment does not fit if a partition of a topic that the member watches is not assigned to any member, or if the
   member has less than the assignor would give it (``_is_short``).
3. *Joining again.* The member then joins with its member id. The coordinator rebalances the group: always for a leader,
   and for a follower because its metadata now contains a generation, and so has changed.

A member that has joined with its id does not doubt the assignment. A partition that the leader can't assign therefore
costs only one rebalance. A follower remains in doubt as long as a topic in its subscription does not exist: the leader
does not know that the member subscribes to it, so no other member would notice that it is created.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from kafka_nextgen.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka_nextgen.assignors.range import RangeAssignor
from kafka_nextgen.assignors.roundrobin import RoundRobinAssignor
from kafka_nextgen.assignors.spec import TopicMetadata
from kafka_nextgen.membership.classic.assigning import topics_of
from kafka_nextgen.membership.classic.events import DescribedPart, TopicsDescribed
from kafka_nextgen.membership.classic.state import ClassicState
from kafka_nextgen.types import JoinReason, TopicPartition, format_partitions

__all__ = ["doubts", "rejoin_if_unfit", "remains_in_doubt", "topics_in_doubt"]


def doubts(state: ClassicState, assigned: frozenset[TopicPartition], *, is_cooperative: bool) -> bool:
    """Whether the received assignment can be older than the member's return, and has to be compared."""
    if state.is_leader:
        return state.watched_in != state.generation
    lacks_topic = not state.joined_topics <= {tp.topic for tp in assigned}
    return state.is_back and (is_cooperative or state.may_lead or lacks_topic)


def topics_in_doubt(state: ClassicState) -> frozenset[str]:
    """The topics to compare: those of the whole group for its leader, otherwise those the member subscribes to."""
    return topics_of(state.roster) | state.joined_topics


def rejoin_if_unfit(state: ClassicState, event: TopicsDescribed) -> ClassicState:
    """Join again if the described assignment does not fit. If there is none, the group rebalances anyway.

    A member that joins again for another reason does not compare: its JoinGroup states that reason.
    """
    if event.parts is None or state.must_rejoin:
        return state
    read = frozenset(tp for part in event.parts for tp in part.partitions)
    topics = {name: event.topics[name] for name in topics_in_doubt(state) & event.topics.keys()}
    unread = _all_of(topics) - read
    if unread:
        stated = JoinReason.TOPIC_METADATA_CHANGE if state.is_leader else state.join_reason
        reason = f"no member is assigned {format_partitions(unread)}"
        return evolve(state, must_rejoin=True, reason=reason, join_reason=stated)
    own = next((part for part in event.parts if part.member_id == state.member_id), None)
    if own is not None and _is_short(state.strategy, own, event.parts, topics):
        reason = f"the assignment is not for its subscription to {', '.join(sorted(state.joined_topics))}"
        return evolve(state, must_rejoin=True, reason=reason)
    return state


def remains_in_doubt(state: ClassicState, event: TopicsDescribed) -> bool:
    """Whether a follower has to compare again, because a topic in its subscription does not exist yet."""
    return not state.is_leader and event.parts is not None and not state.joined_topics <= event.topics.keys()


def _all_of(topics: Mapping[str, TopicMetadata]) -> frozenset[TopicPartition]:
    return frozenset(
        TopicPartition(name, number) for name, topic in topics.items() for number in range(topic.num_partitions)
    )


def _is_short(
    strategy: str | None, own: DescribedPart, parts: tuple[DescribedPart, ...], topics: Mapping[str, TopicMetadata]
) -> bool:
    """Whether no assignment for these subscriptions would give the member so few partitions, according to the
    guarantee of the assignor.

    | assignor | guarantee |
    |---|---|
    | range | every subscriber has a partition of a topic that has enough of them |
    | cooperative-sticky | no member has two partitions more, if it has one that this member could take |
    | roundrobin | the same, if all members subscribe to the same topics |
    | any other | none |
    """
    if strategy == RangeAssignor.name:
        missing = own.topics - {tp.topic for tp in own.partitions}
        return any(_subscribers(name, parts) <= topics[name].num_partitions for name in missing & topics.keys())
    if strategy == CooperativeStickyAssignor.name or (strategy == RoundRobinAssignor.name and _are_alike(parts)):
        return any(_could_share(part, own) for part in parts)
    return False


def _subscribers(topic: str, parts: tuple[DescribedPart, ...]) -> int:
    return sum(topic in part.topics for part in parts)


def _are_alike(parts: tuple[DescribedPart, ...]) -> bool:
    return len({part.topics for part in parts}) == 1


def _could_share(other: DescribedPart, own: DescribedPart) -> bool:
    has_more = len(other.partitions) >= len(own.partitions) + 2
    return has_more and any(tp.topic in own.topics for tp in other.partitions)

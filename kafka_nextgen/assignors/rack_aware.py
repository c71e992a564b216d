"""The rack-aware assignor: balanced first, then read where the data is, then sticky (KIP-881).

A member reads a partition *locally* if a replica is in its rack (``client.rack``, ``broker.rack``; KIP-392), and
otherwise across racks, which costs money in most clouds. Of two assignments the better one is

1. the more balanced: every member gets as many partitions as from the uniform assignor;
2. among those, the one with more local reads;
3. among those, the one that moves fewer partitions, as far as ``local_reads`` finds it.

*Everybody subscribes to the same topics*: with p partitions and m members everybody is due p // m, and p % m of them
get one more, whichever helps. There is no balanced assignment with more local reads than this one.

*Subscriptions differ*: the uniform assignor decides how many partitions of each topic each member gets, and which ones
they are is decided here, topic by topic: of each topic no more could be local.

A member that states no rack, and a partition none of whose replicas has one, are local to nobody. Where nothing could
be local, this is the uniform assignor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from kafka_nextgen.assignors.keeping import Share, keep
from kafka_nextgen.assignors.local_plan import Seat
from kafka_nextgen.assignors.local_reads import place_locally
from kafka_nextgen.assignors.rows import Row
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    PartitionAssignor,
    TopicMetadata,
)
from kafka_nextgen.assignors.subscriptions import subscriptions_of
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.types import TopicId

__all__ = ["RackAwareAssignor"]

#: Topics whose partitions are shared out together.
Topics = Mapping[TopicId, TopicMetadata]


class RackAwareAssignor(PartitionAssignor):
    """As even as the uniform assignor, with as many reads in members' own racks as that allows, and sticky."""

    name = "rack-aware"
    minimum_version = -1  # whatever members say, also classic ones during a migration: it is not read

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Share the partitions evenly, near their members where that can be."""
        member_ids = sorted(group.members)
        members = [group.members[member_id] for member_id in member_ids]
        subscriptions = subscriptions_of(members, group.topics)
        if not _is_any_local(members, subscriptions.topics):
            return UniformAssignor().assign(group)
        had = keep([member.target for member in members], subscriptions).shares
        if len(subscriptions.kinds) == 1:
            shares = _share_among_equals(members, had, subscriptions.topics)
        else:
            uniform = UniformAssignor().assign(group).members
            due = [uniform[member_id].partitions for member_id in member_ids]
            shares = _share_by_topic(members, had, due, subscriptions.topics)
        return GroupAssignment(
            {
                member_id: MemberAssignment(before if before == share else share)
                for member_id, before, share in zip(member_ids, had, shares, strict=True)
            }
        )


def _is_any_local(members: Sequence[MemberSpec], topics: Topics) -> bool:
    racks = {member.rack_id for member in members}
    return any(not racks.isdisjoint(near) for topic in topics.values() for near in topic.partition_racks)


def _share_among_equals(members: Sequence[MemberSpec], had: Sequence[Share], topics: Topics) -> list[Share]:
    row = Row.of(topics, {member.rack_id for member in members})
    due, extras = divmod(len(row.sorts.of), len(members))
    seats = [Seat(member.rack_id, row.places_of(share), due) for member, share in zip(members, had, strict=True)]
    return [row.share_of(partitions) for partitions in place_locally(row.sorts, seats, extras)]


def _share_by_topic(
    members: Sequence[MemberSpec], had: Sequence[Share], due: Sequence[Share], topics: Topics
) -> list[Share]:
    """``due`` says of each member how many partitions of a topic it gets; which ones these are does not matter."""
    shares: list[dict[TopicId, Set[int]]] = [{} for _ in members]
    holders: dict[TopicId, list[int]] = {topic_id: [] for topic_id in topics}
    for place, share in enumerate(due):
        for topic_id in share:
            holders[topic_id].append(place)
    for topic_id, places in holders.items():
        row = Row.of({topic_id: topics[topic_id]}, {members[place].rack_id for place in places})
        seats = [
            Seat(members[place].rack_id, sorted(had[place].get(topic_id, ())), len(due[place][topic_id]))
            for place in places
        ]
        for place, numbers in zip(places, place_locally(row.sorts, seats), strict=True):
            shares[place][topic_id] = frozenset(numbers)
    return list(shares)

"""The rack-aware assignor: balance first, then local reads, then stickiness (KIP-881).

A member reads a partition *locally* if a replica is in its rack (``client.rack``, ``broker.rack``; KIP-392), and
otherwise across racks, which costs money in most clouds. The better of two assignments is

1. the more balanced: every member gets as many partitions as from the uniform assignor;
2. among those, the assignment with more local reads;
3. among those, the assignment that moves fewer partitions, if ``local_read_placement`` finds it.

*All members subscribe to the same topics*: with p partitions and m members the quota is p // m, and p % m members get
one more, chosen for local reads. No balanced assignment has more local reads.

*Subscriptions differ*: the uniform assignor decides how many partitions of each topic each member gets. This one
chooses the partitions, topic by topic, with the most local reads for each topic.

Reads are never local for a member without a rack, or for a partition whose replicas have no rack. If nothing can be
local, this is the uniform assignor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from kafka_nextgen.assignors.local_read_placement import place_locally
from kafka_nextgen.assignors.local_read_plan import MemberQuota
from kafka_nextgen.assignors.partition_index import PartitionIndex
from kafka_nextgen.assignors.previous_target import keep
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    MemberSpec,
    PartitionAssignor,
    Share,
    TopicMetadata,
)
from kafka_nextgen.assignors.subscriptions import subscriptions_of
from kafka_nextgen.assignors.uniform import UniformAssignor
from kafka_nextgen.types import TopicId

__all__ = ["RackAwareAssignor"]

#: Topics whose partitions are assigned together.
Topics = Mapping[TopicId, TopicMetadata]


class RackAwareAssignor(PartitionAssignor):
    """As even as the uniform assignor, with as many reads in members' own racks as that allows, and sticky."""

    name = "rack-aware"
    minimum_version = -1  # metadata is ignored, so metadata from classic members in a migration is accepted

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Assign the partitions evenly, with as many local reads as possible."""
        member_ids = sorted(group.members)
        members = [group.members[member_id] for member_id in member_ids]
        subscriptions = subscriptions_of(members, group.topics)
        if not _is_any_local(members, subscriptions.topics):
            return UniformAssignor().assign(group)
        had = keep([member.target for member in members], subscriptions).shares
        if len(subscriptions.cohorts) == 1:
            shares = _assign_homogeneous(members, had, subscriptions.topics)
        else:
            uniform = UniformAssignor().assign(group).members
            counts = [uniform[member_id].partitions for member_id in member_ids]
            shares = _assign_heterogeneous(members, had, counts, subscriptions.topics)
        return GroupAssignment(
            {
                member_id: MemberAssignment(before if before == share else share)
                for member_id, before, share in zip(member_ids, had, shares, strict=True)
            }
        )


def _is_any_local(members: Sequence[MemberSpec], topics: Topics) -> bool:
    racks = {member.rack_id for member in members}
    return any(not racks.isdisjoint(near) for topic in topics.values() for near in topic.partition_racks)


def _assign_homogeneous(members: Sequence[MemberSpec], had: Sequence[Share], topics: Topics) -> list[Share]:
    index = PartitionIndex.of(topics, {member.rack_id for member in members})
    quota, extras = divmod(len(index.rack_sets.of_partition), len(members))
    quotas = [
        MemberQuota(member.rack_id, index.indexes_of(share), quota) for member, share in zip(members, had, strict=True)
    ]
    return [index.share_of(indexes) for indexes in place_locally(index.rack_sets, quotas, extras)]


def _assign_heterogeneous(
    members: Sequence[MemberSpec], had: Sequence[Share], counts: Sequence[Share], topics: Topics
) -> list[Share]:
    """Each member gets as many partitions of a topic as in ``counts``; the partitions are chosen here."""
    shares: list[dict[TopicId, Set[int]]] = [{} for _ in members]
    holders: dict[TopicId, list[int]] = {topic_id: [] for topic_id in topics}
    for member, share in enumerate(counts):
        for topic_id in share:
            holders[topic_id].append(member)
    for topic_id, having in holders.items():
        index = PartitionIndex.of({topic_id: topics[topic_id]}, {members[member].rack_id for member in having})
        quotas = [
            MemberQuota(members[member].rack_id, sorted(had[member].get(topic_id, ())), len(counts[member][topic_id]))
            for member in having
        ]
        for member, numbers in zip(having, place_locally(index.rack_sets, quotas), strict=True):
            shares[member][topic_id] = frozenset(numbers)
    return list(shares)

"""The range assignor: every topic is cut into contiguous ranges, one for each member subscribed to it.

Static members come first, by instance id, then dynamic members by member id. This order, not the previous assignment,
decides which member gets which range. So partition 7 of ``orders`` and partition 7 of ``payments`` go to the same
member as long as both topics have the same number of partitions and the same subscribers: the topics are co-partitioned
(KIP-848, "Server Side Mode"). With p partitions and m subscribers each gets p // m, and the first p % m get one more.

Co-partitioned topics are cut once, together.
"""

from __future__ import annotations

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
)
from kafka_nextgen.assignors.subscriptions import Subscriptions, static_members_first, subscriptions_of
from kafka_nextgen.types import TopicId

__all__ = ["RangeAssignor"]

_NOTHING = MemberAssignment()

#: The properties that co-partitioned topics share: the number of partitions and the subscribing cohorts.
Cut = tuple[int, tuple[int, ...]]


class RangeAssignor(PartitionAssignor):
    """Contiguous ranges per topic. Keeps topics co-partitioned. Not sticky."""

    name = "range"
    minimum_version = -1  # metadata is ignored, so metadata from classic members in a migration is accepted

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Cut each topic into ranges for its subscribers."""
        member_ids = static_members_first(group.members)
        subscriptions = subscriptions_of((group.members[member_id] for member_id in member_ids), group.topics)
        shares: list[dict[TopicId, frozenset[int]]] = [{} for _ in member_ids]
        for (num_partitions, subscribing), topics in _co_partitioned(subscriptions).items():
            members = sorted(member for cohort in subscribing for member in subscriptions.cohorts[cohort].members)
            for member, numbers in zip(members, _ranges(num_partitions, len(members)), strict=False):
                if share := shares[member]:
                    share.update(dict.fromkeys(topics, numbers))
                else:
                    shares[member] = dict.fromkeys(topics, numbers)
        return GroupAssignment(
            {
                member_id: MemberAssignment(share) if share else _NOTHING
                for member_id, share in zip(member_ids, shares, strict=True)
            }
        )


def _co_partitioned(subscriptions: Subscriptions) -> dict[Cut, dict[TopicId, None]]:
    alike: dict[Cut, dict[TopicId, None]] = {}
    for topic_id, topic in subscriptions.topics.items():
        cut = (topic.num_partitions, tuple(subscriptions.cohorts_of[topic_id]))
        alike.setdefault(cut, {})[topic_id] = None
    return alike


def _ranges(num_partitions: int, num_members: int) -> list[frozenset[int]]:
    """The ranges that are not empty."""
    share, extra = divmod(num_partitions, num_members)
    ends = [member * share + min(member, extra) for member in range(num_members + 1)]
    getting = num_members if share else extra
    return [frozenset(range(ends[member], ends[member + 1])) for member in range(getting)]

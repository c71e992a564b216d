"""The range assignor: every topic is cut into contiguous ranges, one per member subscribed to it.

Members stand in line, static ones first by instance id, then the others by member id; that line, not the previous
assignment, decides who gets what. So partition 7 of ``orders`` and partition 7 of ``payments`` meet at the same
member as long as both topics have as many partitions and the same subscribers: the topics are co-partitioned
(KIP-848, "Server Side Mode"). With p partitions and m subscribers everybody gets p // m, the first p % m one more.

Topics that are co-partitioned are cut once, together.
"""

from __future__ import annotations

from kafka_nextgen.assignors.line import line_of
from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
)
from kafka_nextgen.assignors.subscriptions import Subscriptions, subscriptions_of
from kafka_nextgen.types import TopicId

__all__ = ["RangeAssignor"]

_NOTHING = MemberAssignment()

#: Topics that are cut alike: their number of partitions, and the kinds of members in front of them.
Cut = tuple[int, tuple[int, ...]]


class RangeAssignor(PartitionAssignor):
    """Contiguous ranges per topic; keeps topics co-partitioned, does not mind moving partitions."""

    name = "range"
    minimum_version = -1  # whatever members say, also classic ones during a migration: it is not read

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        """Cut each topic into ranges, in the line of its subscribers."""
        in_line = line_of(group.members)
        subscriptions = subscriptions_of((group.members[member_id] for member_id in in_line), group.topics)
        shares: list[dict[TopicId, frozenset[int]]] = [{} for _ in in_line]
        for (num_partitions, subscribing), topics in _alike(subscriptions).items():
            places = sorted(place for kind in subscribing for place in subscriptions.kinds[kind].places)
            for place, numbers in zip(places, _ranges(num_partitions, len(places)), strict=False):
                if share := shares[place]:
                    share.update(dict.fromkeys(topics, numbers))
                else:
                    shares[place] = dict.fromkeys(topics, numbers)
        return GroupAssignment(
            {
                member_id: MemberAssignment(share) if share else _NOTHING
                for member_id, share in zip(in_line, shares, strict=True)
            }
        )


def _alike(subscriptions: Subscriptions) -> dict[Cut, dict[TopicId, None]]:
    alike: dict[Cut, dict[TopicId, None]] = {}
    for topic_id, topic in subscriptions.topics.items():
        cut = (topic.num_partitions, tuple(subscriptions.kinds_of[topic_id]))
        alike.setdefault(cut, {})[topic_id] = None
    return alike


def _ranges(num_partitions: int, num_members: int) -> list[frozenset[int]]:
    """The ranges of those who get any."""
    share, extra = divmod(num_partitions, num_members)
    ends = [place * share + min(place, extra) for place in range(num_members + 1)]
    getting = num_members if share else extra
    return [frozenset(range(ends[place], ends[place + 1])) for place in range(getting)]

"""The facts that a group's history yields: one class for each question that an on-call engineer asks.

All times are milliseconds since the Unix epoch by one clock, after the clocks of hosts were aligned. ``None`` means
unknown, or not ended yet. ``marks`` lists the reasons why a fact is uncertain:

| mark | meaning |
|---|---|
| a source contradicts itself | it has two different events with the same number; the event that sorts first is used |
| active after leaving | a member that had left acted like a member, and no source saw it rejoin |
| begins in the middle | the log has the end of something without its beginning |
| clocks disagree | the times of some source were corrected by more than ten seconds |
| cluster unknown | a writer did not know the cluster's id |
| epochs fall | a group epoch followed a higher one; rebalances may be missing |
| events dropped | a writer could not write all its events |
| reported by members only | no coordinator, poller or offsets topic reported the group: members without a log are \
missing, the ends of killed members are missing, and clocks are aligned roughly |
| too many rebalances at once | more than 1,000 were in progress; the oldest are reported as not ended |
| within the clocks' error | the times of two hosts are so close that either may be the earlier |
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import Factory

from kafka_nextgen.lazy_attrs import define, frozen

__all__ = [
    "CLOCKS_DISAGREE",
    "CLUSTER_UNKNOWN",
    "FACTS",
    "MEMBERS_ALONE",
    "Fact",
    "FactCollector",
    "GroupSummary",
    "Holdup",
    "LagPoint",
    "MemberSummary",
    "Overlap",
    "Owner",
    "Rebalance",
    "Repeat",
    "Standstill",
    "Tenure",
]

CLOCKS_DISAGREE = "clocks disagree"
CLUSTER_UNKNOWN = "cluster unknown"
MEMBERS_ALONE = "reported by members only"


@frozen
class GroupFact:
    """A fact about one group of one cluster."""

    cluster: str
    group: str


@frozen
class PartitionFact(GroupFact):
    """A fact about one partition in a group."""

    topic: str
    partition: int


@frozen
class Rebalance(GroupFact):
    """What caused a rebalance, how long did it take, and was it balanced and sticky?

    It begins when its group epoch is first seen, and ends when the last member has reached that epoch or a later one.
    ``moved`` counts partitions that changed owners. ``needless`` counts partitions that a member gave up while it
    gained as many others: a sticky assignor moves none of these. ``most`` and ``fewest`` are the numbers of partitions
    that members own at the end. ``stood_ms`` is the total time for which moved partitions had no owner. ``slowest``
    reached the epoch last, ``slowest_ms`` after the beginning. ``holder`` is the member that the others waited for: the
    one with the longest processing, commit and callback or, if that is less than a quarter of the total, the slowest.
    ``held_by`` is what took the holder the longest: processing, commit, callback or coordinator.
    """

    epoch: int
    began: int
    ended: int | None
    cause: str | None
    by: str | None
    reason: str | None
    members: int
    partitions: int
    moved: int
    needless: int
    most: int
    fewest: int
    stood_ms: int
    lag_before: int | None
    lag_after: int | None
    slowest: str | None
    slowest_ms: int | None
    holder: str | None
    held_by: str | None
    marks: str


@frozen
class Holdup(GroupFact):
    """What delayed a member in a rebalance?

    ``processing_ms`` is how long its application did not poll, ``commit_ms`` how long its commit took,
    ``callback_ms`` its callbacks, and ``coordinator_ms`` the rest: waiting for other members and for responses.
    """

    epoch: int
    member: str
    began: int
    ended: int
    processing_ms: int
    commit_ms: int
    callback_ms: int
    coordinator_ms: int

    @property
    def member_ms(self) -> int:
        """The time spent on the member's own work, without waiting for the coordinator."""
        return self.processing_ms + self.commit_ms + self.callback_ms

    @property
    def ms(self) -> int:
        """The total time."""
        return self.member_ms + self.coordinator_ms

    @property
    def longest_part(self) -> tuple[str, int]:
        """What took the longest (processing, commit, callback or coordinator), and its milliseconds."""
        parts = {
            "processing": self.processing_ms,
            "commit": self.commit_ms,
            "callback": self.callback_ms,
            "coordinator": self.coordinator_ms,
        }
        return max(parts.items(), key=lambda part: part[1])


@frozen
class Standstill(PartitionFact):
    """How long did a partition have no reader, and how much did its lag grow?

    ``former`` gave it up or lost it, ``member`` owns it now. ``ended`` is None if it has no owner yet. ``lag_after``
    is the greatest lag from the beginning to the first measurement after the end.
    """

    began: int
    ended: int | None
    ms: int | None
    epoch: int | None
    former: str | None
    member: str | None
    cause: str | None
    lag_before: int | None
    lag_after: int | None


@frozen
class Overlap(PartitionFact):
    """Did two members own a partition at the same time?

    ``is_excused`` if the coordinator had fenced the first one, which could not know it yet.
    """

    first: str
    second: str
    began: int
    ended: int | None
    is_excused: bool
    marks: str


@frozen
class Repeat(PartitionFact):
    """Which records were processed twice? A member at position ``end`` lost a partition committed up to ``offset``."""

    member: str
    at: int
    offset: int
    end: int
    cause: str | None


@frozen
class MemberSummary(GroupFact):
    """Which members joined and left, and which were fenced because they did not poll?"""

    member: str
    instance: str | None
    client: str | None
    host: str | None
    first: int
    last: int
    joined: int
    left: int
    fenced: int
    poll_timeouts: int
    longest_poll_gap_ms: int
    callback_ms: int
    errors: int


@frozen
class Owner(PartitionFact):
    """Who owned a partition at the end of the log, and since when?"""

    member: str | None
    since: int | None
    epoch: int | None
    committed: int | None
    end: int | None
    lag: int | None


@frozen
class Tenure(PartitionFact):
    """Who owned a partition, and when? ``ended`` is None if the member still owns it."""

    member: str
    began: int
    ended: int | None
    epoch: int | None


@frozen
class LagPoint(PartitionFact):
    """What was the lag of the group at a given time?"""

    at: int
    committed: int | None
    end: int
    lag: int | None


@frozen
class GroupSummary(GroupFact):
    """Which groups are unstable? ``unsettled_ms`` is how long any rebalance was in progress."""

    protocol: str | None
    first: int
    last: int
    events: int
    members: int
    rebalances: int
    unsettled_ms: int
    stood_ms: int
    overlaps: int
    repeated: int
    marks: str


Fact: TypeAlias = (
    Rebalance | Holdup | Standstill | Overlap | Repeat | MemberSummary | Owner | Tenure | LagPoint | GroupSummary
)

#: The kinds of facts by their names in analyses, JSON and Spark.
FACTS: dict[str, type[Fact]] = {
    "rebalances": Rebalance,
    "holdups": Holdup,
    "standstills": Standstill,
    "overlaps": Overlap,
    "repeats": Repeat,
    "members": MemberSummary,
    "owners": Owner,
    "tenures": Tenure,
    "lags": LagPoint,
    "groups": GroupSummary,
}


@define
class FactCollector:
    """Collects the facts and marks of one group until they are taken."""

    cluster: str
    group: str
    facts: list[Fact] = Factory(list)
    marks: set[str] = Factory(set)

    def add(self, fact: Fact) -> None:
        """Add a complete fact."""
        self.facts.append(fact)

    def take(self) -> list[Fact]:
        """Return the facts since the last call."""
        facts, self.facts = self.facts, []
        return facts

    def marked(self, *more: str) -> str:
        """Return the marks of the group and ``more``, as text for facts."""
        return ", ".join(sorted(self.marks.union(more)))

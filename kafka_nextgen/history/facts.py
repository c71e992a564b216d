"""What a group's history comes to: one class to each question that people on call ask.

All times are milliseconds since the epoch by one clock, after those of other hosts were put right. ``None`` is what the
events do not tell, or what is not over. ``marks`` says what makes an answer less than certain:

| mark | meaning |
|---|---|
| a source contradicts itself | it has two different events of one number; the least of them is taken |
| begins in the middle | a member ends what the log never saw it begin |
| clocks disagree | times of some source were put right by more than ten seconds |
| cluster unknown | a writer never learned which cluster it was in |
| epochs fall | a group epoch came after a higher one; rebalances may be missing |
| events dropped | a writer could not write all |
| out, and going on | a member did what only members of the group can do, and was not seen to come back |
| told by members alone | no coordinator, poller or offsets topic saw the group: members without a log, and ends of \
killed ones, are missing, and clocks are compared roughly |
| too many rebalances at once | more than 1,000 were under way; the oldest are told as not over |
| within the clocks' error | two hosts' times are so close that either may be the earlier |
"""

from __future__ import annotations

from typing import TypeAlias

from attrs import frozen

__all__ = [
    "CLOCKS_DISAGREE",
    "CLUSTER_UNKNOWN",
    "FACTS",
    "MEMBERS_ALONE",
    "Fact",
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
MEMBERS_ALONE = "told by members alone"


@frozen
class Rebalance:
    """Who began it, with what reason, how long did it take, and was it even and sticky?

    It begins when its group epoch is first seen, and ends when the last member has come to that epoch or a later one.
    ``moved`` counts partitions that got another owner. ``needless`` counts those that a member gave up while it got as
    many others: a sticky assignor moves none of these. ``most`` and ``fewest`` are what members own at the end.
    ``stood_ms`` adds up how long the partitions that moved had no owner. ``slowest`` came to the epoch last,
    ``slowest_ms`` after the beginning. ``holder`` is the member that the others waited for: the one with the longest
    processing, commit and callback or, if that is less than a quarter of the whole, the slowest. ``held_by`` is what
    took the holder the longest: processing, commit, callback or coordinator.
    """

    cluster: str
    group: str
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
class Holdup:
    """Who held a rebalance up, and with what?

    ``processing_ms`` is how long the member's application did not poll, ``commit_ms`` how long its commit took,
    ``callback_ms`` its callbacks, and ``coordinator_ms`` all the rest, waiting for others and for answers.
    """

    cluster: str
    group: str
    epoch: int
    member: str
    began: int
    ended: int
    processing_ms: int
    commit_ms: int
    callback_ms: int
    coordinator_ms: int


@frozen
class Standstill:
    """How long did a partition stand still, and how much did its lag grow?

    ``former`` gave it up or lost it, ``member`` has it now. ``ended`` is None if no member has it yet. ``lag_after`` is
    the greatest lag that was seen until it was measured first after the end.
    """

    cluster: str
    group: str
    topic: str
    partition: int
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
class Overlap:
    """Did two own a partition?

    ``is_excused`` if the coordinator had put the first one out, which could not know yet.
    """

    cluster: str
    group: str
    topic: str
    partition: int
    first: str
    second: str
    began: int
    ended: int | None
    is_excused: bool
    marks: str


@frozen
class Repeat:
    """What was done twice? A member lost a partition at ``end``, and only ``offset`` was committed."""

    cluster: str
    group: str
    topic: str
    partition: int
    member: str
    at: int
    offset: int
    end: int
    cause: str | None


@frozen
class MemberSummary:
    """Who flaps, and who was put out for not polling?"""

    cluster: str
    group: str
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
class Owner:
    """Who owned what at the end of what was looked at, and since when?"""

    cluster: str
    group: str
    topic: str
    partition: int
    member: str | None
    since: int | None
    epoch: int | None
    committed: int | None
    end: int | None
    lag: int | None


@frozen
class Tenure:
    """Who owned a partition from when to when? ``ended`` is None if the member still owns it."""

    cluster: str
    group: str
    topic: str
    partition: int
    member: str
    began: int
    ended: int | None
    epoch: int | None


@frozen
class LagPoint:
    """How far behind was the group at a time?"""

    cluster: str
    group: str
    topic: str
    partition: int
    at: int
    committed: int | None
    end: int
    lag: int | None


@frozen
class GroupSummary:
    """Which groups never settle? ``unsettled_ms`` is how long any rebalance was under way."""

    cluster: str
    group: str
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

#: Each kind of fact by its name in answers, JSON and Spark.
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

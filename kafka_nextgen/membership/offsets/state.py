"""Everything the offsets' machine knows. A rule gets one of these and returns another.

*Life* and *turn* tell what a member may still commit. ``life`` changes whenever the member falls out of the group:
what it owned in one life is not its to commit in the next. ``turn`` changes whenever partitions are given up or
assigned, or the application seeks. A commit from before a partition was given up is not repeated for it, for another
member may have gone on from there; one from before it was assigned says nothing of how far it is committed now, and
one from before the application sought nothing of how far it wants to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from math import inf

from attrs import field, frozen

from kafka_nextgen.membership.numbering import Numbering
from kafka_nextgen.membership.offsets.effects import OffsetEffect, Refused
from kafka_nextgen.membership.offsets.patience import Patience
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.membership.offsets.sharing import SharingMap
from kafka_nextgen.membership.state import NOT_A_MEMBER
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "INTERVAL_ASK",
    "NOTHING",
    "NO_ASKS",
    "Commit",
    "CommitKind",
    "CommitRequest",
    "Lookup",
    "LookupRequest",
    "OffsetState",
    "Outcome",
    "offset_of",
    "replaced",
]

#: The empty set of partitions.
NOTHING: frozenset[TopicPartition] = frozenset()

#: No asks.
NO_ASKS: frozenset[int] = frozenset()

#: The ask of a commit on the interval, of which there is one at a time. Those of a driver begin at 1.
INTERVAL_ASK = 0


class CommitKind(Enum):
    """Who wants something committed."""

    APPLICATION = "application"  # waits for it, or not: that makes no difference here
    INTERVAL = "interval"  # auto-commit, from time to time
    BEFORE_REVOKING = "before_revoking"  # auto-commit, before partitions are given up and on closing


@frozen
class Commit:
    """Something to commit, until it came to its end.

    Each partition is either ``left`` to be sent, or ``followed`` in a later commit that takes its place, or given
    up, or done.
    """

    ask: int
    kind: CommitKind
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    patience: Patience
    life: int
    turn: int
    made: int  # a later one has a higher number
    left: frozenset[TopicPartition]
    followed: Mapping[TopicPartition, int] = field(factory=dict)  # the ask whose outcome counts for this one, too
    given_up: frozenset[TopicPartition] = NOTHING
    request: int | None = None  # the number of the request under way
    refusal: Refused | None = None  # what the coordinator said last: it tells more than that time is over
    is_urgent: bool = False  # can't wait for others: partitions of it are being given up
    is_withdrawn: bool = False  # goes on only because others follow it
    riders: tuple[Commit, ...] = ()  # earlier ones that share its fate, each until its own deadline
    riders_until: float = inf  # the first of their deadlines

    @property
    def open(self) -> frozenset[TopicPartition]:
        """The partitions whose outcome is not known yet."""
        return self.left | self.followed.keys()


@frozen
class CommitRequest:
    """An OffsetCommit under way, perhaps for an ask that is gone by now."""

    ask: int
    life: int
    turn: int  # that of the commit
    member_epoch: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]


@frozen
class Lookup:
    """Committed offsets that are looked up."""

    ask: int
    patience: Patience
    left: frozenset[TopicPartition]
    found: Mapping[TopicPartition, OffsetAndMetadata | None] = field(factory=dict)
    request: int | None = None


@frozen
class LookupRequest:
    """An OffsetFetch under way."""

    ask: int
    member_epoch: int


@frozen
class OffsetState(Numbering):
    """The offsets of one member at one moment."""

    rules: OffsetRules
    member_id: str = ""
    member_epoch: int = NOT_A_MEMBER
    belongs: bool = False  # subscribed: a member, or about to be one, and no stranger to the group
    life: int = 0
    turn: int = 0
    owned: Mapping[TopicPartition, int] = field(factory=dict)  # and since which turn, or that of the latest seek
    lost: frozenset[TopicPartition] = NOTHING  # and not assigned again since
    given_up: Mapping[TopicPartition, int] = field(factory=dict)  # in which turn
    stopping: frozenset[TopicPartition] = NOTHING  # being given up: the application may still commit them

    commits: SharingMap[int, Commit] = field(factory=SharingMap)  # by their asks; changed in ``book`` only
    asks_of: SharingMap[TopicPartition, tuple[int, ...]] = field(factory=SharingMap)  # the asks of those
    commit_requests: SharingMap[int, CommitRequest] = field(factory=SharingMap)  # by their numbers
    carried: SharingMap[TopicPartition, tuple[int, ...]] = field(factory=SharingMap)  # the numbers of those
    stirred: frozenset[int] = NO_ASKS  # the asks to look at before the event is over
    looked_at: frozenset[int] = NO_ASKS  # and those that were
    lookups: tuple[Lookup, ...] = ()
    lookup_requests: Mapping[int, LookupRequest] = field(factory=dict)

    acknowledged: SharingMap[TopicPartition, OffsetAndMetadata] = field(factory=SharingMap)  # the last commit of each
    consumed: Mapping[TopicPartition, OffsetAndMetadata] = field(factory=dict)  # as auto-commit saw it last
    sought: frozenset[TopicPartition] = NOTHING  # by the application, and not committed since
    interval_at: float | None = None  # when auto-commit looks next
    reading: int | None = None  # the number under which it looks just now

    @property
    def may_commit(self) -> bool:
        """Whether a commit can be made: as a member, or as a stranger, but not between two memberships."""
        return self.member_epoch >= 0 or not self.belongs

    def counts(self, partition: TopicPartition, turn: int) -> bool:
        """Whether a commit of this turn was made since the partition was assigned, and since the latest seek."""
        return turn >= self.owned.get(partition, inf)


#: What a rule returns: the state after it, and what is to be done, in this order.
Outcome = tuple[OffsetState, tuple[OffsetEffect, ...]]


def replaced(asks: Iterable[Lookup], changed: Lookup) -> tuple[Lookup, ...]:
    """The same lookups, with this one as it is now."""
    return tuple(changed if each.ask == changed.ask else each for each in asks)


def offset_of(offsets: Mapping[TopicPartition, OffsetAndMetadata], partition: TopicPartition) -> int:
    """The offset for a partition, -1 if there is none."""
    found = offsets.get(partition)
    return -1 if found is None else found.offset

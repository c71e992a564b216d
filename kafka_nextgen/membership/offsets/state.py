"""The state of the offset machine. A rule takes one and returns another.

Two counters determine what a member may still commit. ``membership`` rises whenever the member falls out of the group:
a commit made in one membership is not sent in the next. ``ownership`` rises whenever partitions are given up or
assigned, or the application seeks. A commit from before a partition was given up is not retried for it, because another
member may have committed since. A commit from before the assignment, or before a seek, does not count as the
partition's committed offset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from math import inf

from attrs import field, frozen

from kafka_nextgen.membership.offsets.containers import PersistentMap
from kafka_nextgen.membership.offsets.effects import OffsetEffect, Refused
from kafka_nextgen.membership.offsets.retry_state import RetryState
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.membership.state import NOT_A_MEMBER
from kafka_nextgen.membership.state_machine import Numbering
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

NOTHING: frozenset[TopicPartition] = frozenset()

NO_ASKS: frozenset[int] = frozenset()

#: The ask of the interval commit, of which there is one at a time. The driver's asks start at 1.
INTERVAL_ASK = 0


class CommitKind(Enum):
    """What asked for a commit."""

    APPLICATION = "application"  # synchronous or asynchronous: no difference here
    INTERVAL = "interval"  # auto-commit on its interval
    BEFORE_REVOKING = "before_revoking"  # auto-commit before partitions are given up and on close


@frozen
class Commit:
    """A commit that has not ended.

    Each partition is ``left`` to be sent, ``followed`` in a later commit that takes over, given up, or done.
    """

    ask: int
    kind: CommitKind
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    retry: RetryState
    membership: int
    ownership: int
    made: int  # sequence number: later commits have higher ones
    left: frozenset[TopicPartition]
    followed: Mapping[TopicPartition, int] = field(factory=dict)  # the ask whose outcome also counts for this one
    given_up: frozenset[TopicPartition] = NOTHING
    request: int | None = None  # the number of the request in flight
    refusal: Refused | None = None  # the coordinator's last one, a better error than a timeout
    is_urgent: bool = False  # must not wait for others: some of its partitions are being given up
    is_withdrawn: bool = False  # kept only for its followers and riders
    riders: tuple[Commit, ...] = ()  # earlier commits that end with it, or at their own deadlines
    riders_until: float = inf  # their earliest deadline

    @property
    def open(self) -> frozenset[TopicPartition]:
        """The partitions without an outcome yet."""
        return self.left | self.followed.keys()


@frozen
class CommitRequest:
    """An OffsetCommit in flight. Its ask may have ended."""

    ask: int
    membership: int
    ownership: int  # the commit's
    member_epoch: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]


@frozen
class Lookup:
    """A lookup of committed offsets that has not ended."""

    ask: int
    retry: RetryState
    left: frozenset[TopicPartition]
    found: Mapping[TopicPartition, OffsetAndMetadata | None] = field(factory=dict)
    request: int | None = None


@frozen
class LookupRequest:
    """An OffsetFetch in flight."""

    ask: int
    member_epoch: int


@frozen
class OffsetState(Numbering):
    """The offsets of one member at one moment."""

    rules: OffsetRules
    member_id: str = ""
    member_epoch: int = NOT_A_MEMBER
    belongs: bool = False  # subscribed: a member, or about to be one
    membership: int = 0
    ownership: int = 0
    owned: Mapping[TopicPartition, int] = field(factory=dict)  # the ownership at each one's assignment or latest seek
    lost: frozenset[TopicPartition] = NOTHING  # lost and not assigned again since
    given_up: Mapping[TopicPartition, int] = field(factory=dict)  # the ownership at which each was
    stopping: frozenset[TopicPartition] = NOTHING  # being given up; the application may still commit them

    commits: PersistentMap[int, Commit] = field(factory=PersistentMap)  # by ask; only ``commit_index`` changes them
    asks_of: PersistentMap[TopicPartition, tuple[int, ...]] = field(factory=PersistentMap)  # the asks of ``commits``
    commit_requests: PersistentMap[int, CommitRequest] = field(factory=PersistentMap)  # by number
    carried: PersistentMap[TopicPartition, tuple[int, ...]] = field(factory=PersistentMap)  # the request numbers
    marked: frozenset[int] = NO_ASKS  # the asks to check before the event is done
    checked: frozenset[int] = NO_ASKS  # the asks that were checked
    lookups: tuple[Lookup, ...] = ()
    lookup_requests: Mapping[int, LookupRequest] = field(factory=dict)

    acknowledged: PersistentMap[TopicPartition, OffsetAndMetadata] = field(factory=PersistentMap)  # the latest of each
    consumed: Mapping[TopicPartition, OffsetAndMetadata] = field(factory=dict)  # when auto-commit last read it
    sought: frozenset[TopicPartition] = NOTHING  # by the application and not committed since
    interval_at: float | None = None  # when auto-commit next reads the processed offsets
    reading: int | None = None  # the number of its ReadConsumed, if one is pending

    @property
    def may_commit(self) -> bool:
        """Whether commits can be sent: in a membership or without a subscription, but not between memberships."""
        return self.member_epoch >= 0 or not self.belongs

    def counts(self, partition: TopicPartition, ownership: int) -> bool:
        """Whether a commit of this ownership is newer than the partition's assignment and latest seek."""
        return ownership >= self.owned.get(partition, inf)


#: What a rule returns: the new state and the effects, in order.
Outcome = tuple[OffsetState, tuple[OffsetEffect, ...]]


def replaced(asks: Iterable[Lookup], changed: Lookup) -> tuple[Lookup, ...]:
    """The lookups, with the new version of one of them."""
    return tuple(changed if each.ask == changed.ask else each for each in asks)


def offset_of(offsets: Mapping[TopicPartition, OffsetAndMetadata], partition: TopicPartition) -> int:
    """The offset for a partition, -1 if there is none."""
    found = offsets.get(partition)
    return -1 if found is None else found.offset

"""The state of the offset machine. A rule takes a state and returns a new one.

Two counters determine what a member may still commit. ``membership`` increases when the member leaves the group or is
removed from it: a commit made in one membership is not sent in the next. ``ownership`` increases when partitions are
given up or assigned, or when the application seeks. If a partition was given up after a commit, the commit is not
retried for it, because another member may have committed since. If it was assigned or the application called ``seek``
for it after a commit, the commit does not count as its committed offset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from math import inf

from attrs import field

from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.membership.offsets.containers import PersistentMap
from kafka_nextgen.membership.offsets.effects import OffsetEffect, Refused
from kafka_nextgen.membership.offsets.retry_state import RetryState
from kafka_nextgen.membership.offsets.rules import OffsetRules
from kafka_nextgen.membership.state import NOT_A_MEMBER
from kafka_nextgen.membership.state_machine import Numbering
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "INTERVAL_COMMIT",
    "NOTHING",
    "NO_OPERATIONS",
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

NO_OPERATIONS: frozenset[int] = frozenset()

#: The operation number of the interval commit; only one is open at a time. The driver's numbers start at 1.
INTERVAL_COMMIT = 0


class CommitKind(Enum):
    """Why a commit is made."""

    APPLICATION = "application"  # requested by the application, synchronously or asynchronously
    INTERVAL = "interval"  # auto-commit on its interval
    BEFORE_REVOKING = "before_revoking"  # auto-commit before partitions are given up and on close


@frozen
class Commit:
    """A commit that has not ended.

    Each partition is in ``left`` (still to be sent), in ``followed`` (a later commit takes it over), in ``given_up``,
    or done.
    """

    operation: int
    kind: CommitKind
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    retry: RetryState
    membership: int
    ownership: int
    made: int  # sequence number; higher for later commits
    left: frozenset[TopicPartition]
    followed: Mapping[TopicPartition, int] = field(factory=dict)  # the operation whose outcome also counts for this one
    given_up: frozenset[TopicPartition] = NOTHING
    request: int | None = None  # the number of the request in flight
    refusal: Refused | None = None  # the coordinator's last error, more useful than a timeout
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
    """An OffsetCommit in flight. Its commit may have ended."""

    operation: int
    membership: int
    ownership: int  # the ownership of its commit
    member_epoch: int
    offsets: Mapping[TopicPartition, OffsetAndMetadata]


@frozen
class Lookup:
    """A lookup of committed offsets that has not ended."""

    operation: int
    retry: RetryState
    left: frozenset[TopicPartition]
    found: Mapping[TopicPartition, OffsetAndMetadata | None] = field(factory=dict)
    request: int | None = None


@frozen
class LookupRequest:
    """An OffsetFetch in flight."""

    operation: int
    member_epoch: int


@frozen
class OffsetState(Numbering):
    """The offsets of one member at one moment."""

    rules: OffsetRules
    member_id: str = ""
    member_epoch: int = NOT_A_MEMBER
    belongs: bool = False  # the consumer is subscribed: a member, or becoming one
    membership: int = 0
    ownership: int = 0
    owned: Mapping[TopicPartition, int] = field(factory=dict)  # with ``ownership`` as of its assignment or latest seek
    lost: frozenset[TopicPartition] = NOTHING  # lost and not assigned again since
    given_up: Mapping[TopicPartition, int] = field(factory=dict)  # with ``ownership`` when it was given up
    stopping: frozenset[TopicPartition] = NOTHING  # being given up; the application may still commit them

    # Only ``commit_index`` changes the commits and their index.
    commits: PersistentMap[int, Commit] = field(factory=PersistentMap)  # by operation number
    operations_of: PersistentMap[TopicPartition, tuple[int, ...]] = field(factory=PersistentMap)
    commit_requests: PersistentMap[int, CommitRequest] = field(factory=PersistentMap)  # by number
    carried: PersistentMap[TopicPartition, tuple[int, ...]] = field(factory=PersistentMap)  # the request numbers
    marked: frozenset[int] = NO_OPERATIONS  # commits to check before the event is finished
    checked: frozenset[int] = NO_OPERATIONS  # commits that were checked
    lookups: tuple[Lookup, ...] = ()
    lookup_requests: Mapping[int, LookupRequest] = field(factory=dict)

    acknowledged: PersistentMap[TopicPartition, OffsetAndMetadata] = field(factory=PersistentMap)  # the latest of each
    consumed: Mapping[TopicPartition, OffsetAndMetadata] = field(factory=dict)  # as last read by auto-commit
    sought: frozenset[TopicPartition] = NOTHING  # partitions with a seek and no commit since
    interval_at: float | None = None  # when auto-commit next reads the processed offsets
    reading: int | None = None  # the number of its ReadConsumed, if one is pending

    @property
    def may_commit(self) -> bool:
        """Whether commits can be sent: only if the consumer is a member, or is not subscribed at all."""
        return self.member_epoch >= 0 or not self.belongs

    def counts(self, partition: TopicPartition, ownership: int) -> bool:
        """Whether a commit with this ``ownership`` is newer than the partition's assignment and latest seek."""
        return ownership >= self.owned.get(partition, inf)


#: What a rule returns: the new state and the effects, in order.
Outcome = tuple[OffsetState, tuple[OffsetEffect, ...]]


def replaced(operations: Iterable[Lookup], changed: Lookup) -> tuple[Lookup, ...]:
    """The lookups, with the new version of one of them."""
    return tuple(changed if each.operation == changed.operation else each for each in operations)


def offset_of(offsets: Mapping[TopicPartition, OffsetAndMetadata], partition: TopicPartition) -> int:
    """The offset of a partition, -1 if there is none."""
    found = offsets.get(partition)
    return -1 if found is None else found.offset

"""The fetch state of one partition.

    AWAITING_POSITION --committed offset--> FETCHING
    AWAITING_POSITION --none committed----> AWAITING_RESET --offset by timestamp--> FETCHING
    FETCHING ----------offset out of range> AWAITING_RESET
    FETCHING ----------another leader-----> VALIDATING --same log, or known divergence--> FETCHING
    VALIDATING --------unknown divergence-> AWAITING_RESET
    any --------------seek----------------> FETCHING
    any --------------seek to begin/end---> AWAITING_RESET

There are three offsets. ``position`` is the next offset to hand over, which the application sees and commits. Buffered
records are between ``position`` and ``fetch_offset``. Records being decoded are between ``fetch_offset`` and the end of
``ahead``, where the next fetch continues. Offsets with nothing in between are equal. Each has the leader epoch of the
record before it, -1 if unknown.

Besides the phase there are three flags:

- ``released``: the rebalance callback has returned. Before that, the position is looked up, since the callback may ask
  for it, but nothing is fetched.
- ``paused``: the application paused it.
- ``stopped``: the partition is being revoked. Nothing more is fetched or handed over. The position stays until the
  partition is removed, since it must still be committed, and is looked up if it is unknown.

A partition may have an end (``bounds``). It is not fetched beyond its end, and is *finished* when the position reaches
the end.

Each change that invalidates answers in flight gives the partition a new fence, a number that is never reused.
"""

from __future__ import annotations

from enum import Enum

from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.fetching.bounds import Bound
from kafka_nextgen.fetching.needs import Arrival
from kafka_nextgen.fetching.replicas import LEADER, ReadReplica
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.properties.offset_reset import OffsetReset, Reset
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.fetch import FetchPosition
from kafka_nextgen.requests.list_offsets import ListedOffset
from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["PartitionState", "Phase"]


class Phase(Enum):
    """What a partition needs next."""

    AWAITING_POSITION = "awaiting position"
    AWAITING_RESET = "awaiting reset"
    VALIDATING = "validating"
    FETCHING = "fetching"


@define
class PartitionState:
    """One assigned partition. ``retry_at`` is on the driver's clock, in seconds."""

    partition: TopicPartition
    fence: int
    max_bytes: int
    topic_id: TopicId | None = None  # the id of its topic, once known
    turn: int = 0  # its place in the order in which partitions are fetched
    read_from: int | None = None  # the node for which the last plan counted it, if it must be fetched; see ``planning``
    assigned_by_id: bool = False  # the assignor identified the topic by id, so no other can replace it
    replaced: bool = False  # this topic replaced another one; see ``topics``
    gone: bool = False  # the topic no longer exists; see ``topics``
    image: ClusterImage | None = None  # where its leader was looked up
    leader: int | None = None  # an online node
    leader_epoch: int = -1  # -1 if unknown
    phase: Phase = Phase.AWAITING_POSITION
    released: bool = False
    paused: bool = False
    stopped: bool = False
    position: OffsetAndMetadata | None = None
    consumed: OffsetAndMetadata | None = None  # the position when the application last requested more records
    found: OffsetAndMetadata | None = None  # the start position, if the next owner starts there without a commit
    started: int = -1  # the fence with which it last started, or was started again by a seek
    last_handed_over: int = -1  # the offset of the last record handed over, while it may be put back
    uncommitted_from: int = -1  # the first offset that no commit covers; the offset after the last record handed over;
    read_to: int = -1  # see ``uncommitted``
    fetch_offset: int = -1
    fetch_epoch: int = -1
    ahead: Arrival | None = None  # None while nothing is being decoded
    checked_epoch: int = -1  # the leader epoch at which its log last matched; see ``position_needs``
    replica: ReadReplica = LEADER
    reset: Reset = OffsetReset.NONE
    end: ListedOffset | None = None  # where the log ended before it was searched by time
    counts_skipped: bool = False  # the reset goes to the end, and the skipped offsets must be reported
    beginning: ListedOffset | None = None  # the log's first offset, if skipped offsets are counted
    asked: bool = False  # a request about it is in flight
    asked_for: FetchPosition | None = None  # by the last fetch
    is_new_there: bool = True  # not yet included in a fetch that requests all partitions of its node; see ``planning``
    stale: bool = False  # its leader must be looked up first
    drain_first: bool = False  # the next offset has an error: hand over buffered records before the next request
    error: KafkaNextgenError | None = None  # for the application, once everything before it is handed over
    retry_at: float = 0.0
    failures: int = 0
    silent_since: float | None = None  # when a fetch was last answered or, before the first answer, became possible
    bound: Bound | None = None  # its end, if it has one
    sought: int = 0  # the number of failed lookups of its topic, if it has an end
    end_offset: int = -1  # the end of the readable records: the high watermark, or the last stable offset
    log_start_offset: int = -1

    def find_leader(self, image: ClusterImage) -> None:
        """Look up the leader."""
        found, leader = image.partition(self.partition), image.leader_of(self.partition)
        before = self.leader, self.leader_epoch
        self.image = image
        self.leader = None if leader is None else leader.node_id
        self.leader_epoch = -1 if found is None else found.leader_epoch
        self.is_new_there = self.is_new_there or before != (self.leader, self.leader_epoch)

    def check_replica(self, image: ClusterImage, now: float) -> None:
        """Return to the leader if it must be queried again, or if the preferred replica is offline.

        Not called while a fetch is in flight, because its answer must be attributed to the leader or to another
        replica.
        """
        is_lost = self.replica.is_lost(self.partition, image)
        if is_lost or self.replica.is_over(self.leader_epoch, now):
            self.replica = self.replica.dropped()
            self.stale = self.stale or is_lost

    def may_ask(self, now: float) -> bool:
        """Whether any request about the partition is allowed."""
        return self.has_question and not self.stale and not self.gone and self.error is None and self.retry_at <= now

    @property
    def has_question(self) -> bool:
        """Whether a request about the partition is needed and none is in flight.

        For a partition being revoked only the position is looked up, since the callback may wait for it.
        """
        return (
            not self.asked
            and (not self.stopped or self.position is None)
            and (self.bound is None or not self.is_fetched)
        )

    @property
    def needs_metadata(self) -> bool:
        """Whether its leader must be looked up. Its topic may seem gone because a broker does not know it yet."""
        return self.stale or self.gone or (self.leader is None and self.phase is not Phase.AWAITING_POSITION)

    @property
    def next_fetch_epoch(self) -> int:
        """The leader epoch of the record before the next fetch offset."""
        return self.fetch_epoch if self.ahead is None else self.ahead.end_epoch

    @property
    def next_fetch_offset(self) -> int:
        """The offset of the next fetch."""
        return self.fetch_offset if self.ahead is None else self.ahead.end_offset

    @property
    def is_fetched(self) -> bool:
        """Whether everything before its end was fetched."""
        return self.bound is not None and self.phase is Phase.FETCHING and self.next_fetch_offset >= self.bound.end

    @property
    def is_finished(self) -> bool:
        """Whether everything before its end was handed over."""
        return self.bound is not None and self.position is not None and self.position.offset >= self.bound.end

    def next_position(self) -> FetchPosition:
        """The position of the next fetch; the same object while nothing changes, because there may be thousands of
        them."""
        last, ahead = self.asked_for, self.ahead
        offset, epoch = (self.fetch_offset, self.fetch_epoch) if ahead is None else (ahead.end_offset, ahead.end_epoch)
        max_bytes = self.max_bytes if self.bound is None else self.bound.most_bytes(offset, self.max_bytes)
        if (
            last is None
            or last.offset != offset
            or last.last_epoch != epoch
            or last.leader_epoch != self.leader_epoch
            or last.max_bytes != max_bytes
            or last.topic_id is not self.topic_id
        ):
            last = FetchPosition(self.partition, self.topic_id, offset, self.leader_epoch, max_bytes, epoch)
            self.asked_for = last
        return last

    @property
    def may_hand_over(self) -> bool:
        """Whether the application may get the partition's records and errors."""
        return self.released and not self.stopped and not self.paused

    @property
    def is_read(self) -> bool:
        """Whether the partition must be fetched, now or later."""
        return self.phase is Phase.FETCHING and self.may_hand_over and (self.bound is None or not self.is_fetched)

    def start_at(self, offset: int, leader_epoch: int = -1, checked_epoch: int = -1) -> None:
        """Fetch from this position; ``checked_epoch`` is the leader's epoch if the leader itself returned it."""
        self.phase = Phase.FETCHING
        self.position = OffsetAndMetadata(offset, leader_epoch)
        self.started = self.fence
        self.found = None
        self.last_handed_over = -1
        self.checked_epoch = checked_epoch
        self.is_new_there = True
        self.rewind()
        self.succeeded()

    def position_before(self, part: ColumnSlice) -> OffsetAndMetadata:
        """The position from which ``part`` would be handed over."""
        start, columns = part.start, part.columns
        return OffsetAndMetadata(columns.offsets[start], columns.leader_epochs[start - 1] if start > 0 else -1)

    def rewind(self) -> None:
        """Fetch again all records not handed over."""
        assert self.position is not None
        self.fetch_offset = self.position.offset
        self.fetch_epoch = self.position.leader_epoch

    def await_reset(self, reset: Reset, counts_skipped: bool = False) -> None:
        """Drop the position; ``reset`` chooses a new one."""
        self.phase = Phase.AWAITING_RESET
        self.position = None
        self.last_handed_over = -1
        self.reset = reset
        self.end = None
        self.counts_skipped = counts_skipped
        self.beginning = None
        self.succeeded()

    def succeeded(self) -> None:
        """End a series of failures."""
        self.failures = 0
        self.retry_at = 0.0

    def back_off_until(self, retry_at: float) -> None:
        """Count a failure and send no request before ``retry_at``."""
        self.failures += 1
        self.retry_at = retry_at

"""A Fetch answer as its bytes tell it: topics by name or by id, records not decoded yet; -1 is what was not told."""

from __future__ import annotations

from typing import NamedTuple

from attrs import frozen

from kafka_nextgen.types import TopicId

__all__ = ["AbortedTransaction", "EpochEndOffset", "RawEndpoint", "RawFetchAnswer", "RawPartition", "RawTopic"]


class AbortedTransaction(NamedTuple):
    """A producer whose records from ``first_offset`` on were aborted."""

    producer_id: int
    first_offset: int


class EpochEndOffset(NamedTuple):
    """The largest epoch both logs have, and where it ends on the leader."""

    epoch: int
    end_offset: int


class RawPartition(NamedTuple):
    """What was answered for one partition. A tuple, for one answer may have thousands."""

    number: int
    error: int
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int
    aborted: tuple[AbortedTransaction, ...]
    preferred_replica: int
    records: memoryview | None  # looks into the frame, and keeps it
    diverging: EpochEndOffset | None = None
    leader: int = -1
    leader_epoch: int = -1


class RawTopic(NamedTuple):
    """A topic by its name or, from version 13 on, its id."""

    topic: str | TopicId
    partitions: tuple[RawPartition, ...]


@frozen
class RawEndpoint:
    """Where a leader that was named listens."""

    node_id: int
    host: str
    port: int
    rack: str | None


class RawFetchAnswer(NamedTuple):
    """A whole answer; ``error`` is a code, 0 for none."""

    throttle_time_ms: int
    error: int
    session_id: int
    topics: tuple[RawTopic, ...]
    endpoints: tuple[RawEndpoint, ...]

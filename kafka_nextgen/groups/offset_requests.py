"""Offset requests of consumers, producers and administrators, and the end of a transaction."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from kafka_nextgen.types import OffsetAndMetadata, TopicId, TopicPartition

__all__ = ["EndTransaction", "OffsetCommit", "OffsetFetch", "TxnOffsetCommit"]


@frozen
class OffsetCommit:
    """Store offsets; ``member_epoch`` -1 with an empty member id means a commit from outside the group.

    ``version`` is the API's: a member of a consumer group may use 9 and above only. ``topic_ids`` are the ids that the
    receiving broker knows: the coordinator may not know yet that a topic was recreated.
    """

    group_id: str
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    member_id: str = ""
    member_epoch: int = -1
    instance_id: str | None = None
    version: int = 9
    retention_ms: int | None = None  # None means the broker's retention; only versions 2 to 4 have it
    topic_ids: Mapping[str, TopicId] = field(factory=dict)


@frozen
class TxnOffsetCommit:
    """Store offsets as part of the producer's transaction.

    ``version`` is the API's: before 6 every refused epoch is ILLEGAL_GENERATION (KIP-1319). ``topic_ids`` are those of
    ``OffsetCommit``.
    """

    group_id: str
    offsets: Mapping[TopicPartition, OffsetAndMetadata]
    producer_id: int
    producer_epoch: int
    member_id: str = ""
    member_epoch: int = -1
    instance_id: str | None = None
    version: int = 5
    topic_ids: Mapping[str, TopicId] = field(factory=dict)


@frozen
class OffsetFetch:
    """Read the offsets of ``partitions``, or all offsets (None).

    With ``require_stable`` an offset is an error as long as a transaction may change it (KIP-447). ``topic_ids`` are
    those of ``OffsetCommit``.
    """

    group_id: str
    partitions: tuple[TopicPartition, ...] | None = None
    member_id: str | None = None
    member_epoch: int = -1
    require_stable: bool = True
    topic_ids: Mapping[str, TopicId] = field(factory=dict)


@frozen
class EndTransaction:
    """The producer's transaction was committed or aborted, in all groups."""

    producer_id: int
    is_commit: bool

"""The operations that tests use on a cluster; the embedded broker and a real Kafka implement them differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from attrs import field

from kafka_nextgen.admin.history import PastRebalance
from kafka_nextgen.admin.values import GroupDescription
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.types import Record, TopicPartition
from kafka_nextgen.wire.records import NewRecord, encode_batch

__all__ = ["Backend", "LogRange", "TransactionalProducer"]


@define
class TransactionalProducer:
    """The producer of an open transaction: its transactional id, its producer id and epoch, and its written
    partitions."""

    transactional_id: str
    producer_id: int
    epoch: int
    _sequences: dict[TopicPartition, int] = field(factory=dict)

    @property
    def has_written(self) -> bool:
        """Whether a record was written; until then the transaction has not begun for the broker."""
        return bool(self._sequences)

    def encode(self, partition: TopicPartition, records: Sequence[NewRecord]) -> bytes:
        """Encode the next batch of this producer in a partition; batches are numbered in sequence (KIP-98)."""
        sequence = self._sequences.get(partition, 0)
        self._sequences[partition] = sequence + len(records)
        return encode_batch(
            records,
            producer_id=self.producer_id,
            producer_epoch=self.epoch,
            base_sequence=sequence,
            transactional=True,
        )


@frozen
class LogRange:
    """The offsets in a partition's log: from ``start`` up to, but excluding, ``end``."""

    start: int
    end: int


class Backend(Protocol):
    """One cluster. All calls block, and raise the errors of ``kafka_nextgen.errors``."""

    def now_ms(self) -> int:
        """The cluster's time in milliseconds since the Unix epoch."""

    def partition_count(self, topic: str) -> int:
        """The number of the topic's partitions. A missing topic is created if brokers do so for producers."""

    def append(
        self, topic: str, records: Mapping[int, Sequence[NewRecord]], producer: TransactionalProducer | None
    ) -> dict[int, int]:
        """Write one batch to each partition; return their base offsets."""

    def begin_transaction(self, transactional_id: str) -> TransactionalProducer:
        """Start a transaction with this id; aborts a transaction that the id's last producer left open."""

    def end_transaction(self, producer: TransactionalProducer, *, is_commit: bool) -> None:
        """Commit or abort."""

    def read(self, topic: str, *, is_committed: bool) -> list[Record[bytes, bytes]]:
        """The records of the topic by partition and offset; a missing topic has none."""

    def ranges(self, topic: str) -> dict[int, LogRange]:
        """The offsets of each partition; a missing topic has no partitions."""

    def committed(self, group_id: str) -> dict[TopicPartition, int]:
        """The committed offsets of a group."""

    def describe(self, group_id: str) -> GroupDescription | None:
        """The group; None if it does not exist."""

    def rebalances(self, group_id: str) -> tuple[PastRebalance, ...]:
        """The rebalances of the group, oldest first; none if it does not exist."""

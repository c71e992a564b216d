"""The idempotent producers of a partition and their last batches (KIP-98, "Idempotent Producer Guarantees").

A producer numbers its records per partition. A batch is one of

* new: it continues the sequence, or its producer is unknown here, or it begins a newer epoch at 0;
* a duplicate of one of its producer's last five batches (a producer has at most five in flight), whose response was
  lost; it is answered with the original's offset, and not appended;
* out of order: anything else of the same epoch. Like Kafka, this does not distinguish an old duplicate from a gap;
* of an old epoch: a newer instance of the producer has taken over.

The marker that ends a transaction may have a newer epoch than its records. Then the producer begins at 0 again, and
delayed batches have an old epoch (KIP-890).

Sequence numbers wrap from 2,147,483,647 to 0. After a restart the producers are read from the log.
"""

from __future__ import annotations

from collections import deque

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.lazy_attrs import define, frozen
from kafka_nextgen.wire.records.batch_header import BatchHeader

__all__ = ["KnownProducer", "Producers", "Seen"]

_REMEMBERED = 5
_SEQUENCES = 2**31


@frozen
class Seen:
    """An appended batch: its first and last sequence number, its offset and its highest timestamp.

    Kafka answers a duplicate with this timestamp as the append time, even if the producer set it.
    """

    first_sequence: int
    last_sequence: int
    base_offset: int
    timestamp: int


@define
class KnownProducer:
    """The state of a producer; -1 means unknown. The timestamp is in milliseconds since the epoch."""

    producer_id: int
    epoch: int
    last_timestamp: int = -1
    coordinator_epoch: int = -1  # of the last marker
    batches: deque[Seen] = field(factory=lambda: deque(maxlen=_REMEMBERED))

    @property
    def last_sequence(self) -> int:
        """The sequence number of its last record."""
        return self.batches[-1].last_sequence if self.batches else -1


@define
class Producers:
    """The idempotent producers of one partition, by producer id."""

    _known: dict[int, KnownProducer] = field(factory=dict)

    def check(self, header: BatchHeader) -> Seen | ErrorCode:
        """Classify a batch: ``NONE`` for a new one, the original of a duplicate, or the error."""
        producer = self._known.get(header.producer_id)
        if header.producer_id < 0 or producer is None:
            return ErrorCode.NONE
        if header.producer_epoch < producer.epoch:
            return ErrorCode.INVALID_PRODUCER_EPOCH
        if header.producer_epoch > producer.epoch:
            return ErrorCode.NONE if header.base_sequence == 0 else ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        for seen in producer.batches:
            if (seen.first_sequence, seen.last_sequence) == (header.base_sequence, _last_sequence(header)):
                return seen
        expected = (producer.last_sequence + 1) % _SEQUENCES
        return ErrorCode.NONE if header.base_sequence == expected else ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER

    def epoch_of(self, producer_id: int) -> int:
        """The newest epoch of a producer, -1 if unknown."""
        known = self._known.get(producer_id)
        return -1 if known is None else known.epoch

    def all(self) -> tuple[KnownProducer, ...]:
        """All known producers, by id."""
        return tuple(known for _, known in sorted(self._known.items()))

    def remember(self, header: BatchHeader, base_offset: int, append_time: int | None = None) -> None:
        """Record a batch or marker that was appended at ``base_offset``, with the broker's ``append_time`` if any."""
        if header.producer_id < 0:
            return
        producer = self._known.get(header.producer_id)
        if producer is None or producer.epoch != header.producer_epoch:
            coordinator_epoch = -1 if producer is None else producer.coordinator_epoch
            producer = KnownProducer(header.producer_id, header.producer_epoch, coordinator_epoch=coordinator_epoch)
            self._known[header.producer_id] = producer
        timestamp = header.max_timestamp if append_time is None else append_time
        producer.last_timestamp = timestamp
        if header.is_control:
            producer.coordinator_epoch = 0  # there is only one coordinator
            return
        producer.batches.append(Seen(header.base_sequence, _last_sequence(header), base_offset, timestamp))


def _last_sequence(header: BatchHeader) -> int:
    return (header.base_sequence + header.last_offset_delta) % _SEQUENCES

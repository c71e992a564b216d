"""Decodes Fetch answers. This is slow, so it is separate from the state, and no lock is held during decoding."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.fetching.needs import Arrival, Fetch
from kafka_nextgen.requests.fetch import FetchedPartition
from kafka_nextgen.requests.offset_for_leader_epoch import EpochEnd
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Columns, RecordLimits, decode_partition, find_end, leave_out_aborted

__all__ = [
    "AnswerDecoding",
    "DecodedPartition",
    "PartitionTask",
    "decode_answer",
    "find_arrivals",
]


class DecodedPartition(NamedTuple):
    """The answer for one partition: an error code, records, or the error in corrupt records.

    ``preferred_replica`` is the node that the leader prefers us to read from, -1 if none (KIP-392). ``diverging`` is
    where the node's log diverges from the records read so far, None if it does not (KIP-320). ``fetched_bytes`` is the
    size of the records on the wire. This is a tuple for speed: one answer may have thousands.
    """

    partition: TopicPartition
    error: int = ErrorCode.NONE
    columns: Columns | None = None
    corrupt: CorruptRecordError | None = None
    high_watermark: int = -1
    last_stable_offset: int = -1
    log_start_offset: int = -1
    preferred_replica: int = -1
    diverging: EpochEnd | None = None
    fetched_bytes: int = 0


class PartitionTask(NamedTuple):
    """One partition's part of an answer, to be decoded from ``offset`` on; ``number`` is its index in the answer."""

    number: int
    answer: FetchedPartition
    offset: int
    limits: RecordLimits
    check_crc: bool

    def decode(self) -> DecodedPartition:
        """Decode the records. Needs no lock, and may run in parallel with other partitions of the same answer."""
        return _decode(self.answer, self.offset, self.limits, self.check_crc)


class AnswerDecoding:
    """Decodes the answer to ``fetch``, partition by partition.

    Partitions that were not requested are ignored, and so are duplicate entries of a partition. Once the decoded
    columns reach their reserved size, or ``limits.max_answer_bytes``, the other partitions count as empty and are
    fetched again. The size of partitions still being decoded at that moment is not counted, because it is unknown until
    then.

    If several threads decode, hold one lock around every call except ``PartitionTask.decode``.
    """

    def __init__(
        self, fetch: Fetch, answered: Iterable[FetchedPartition], limits: RecordLimits, check_crc: bool = True
    ) -> None:
        todo, self._left_bytes = _what_to_decode(fetch, answered, limits)
        self._todo = iter(todo)
        self._limits = limits
        self._check_crc = check_crc
        self._begun = 0
        self._ended: dict[int, DecodedPartition] = {}

    def begin(self) -> PartitionTask | None:
        """The next partition to decode, None if all have been started."""
        for answer, offset in self._todo:
            self._begun += 1
            allowed = answer if self._left_bytes > 0 else answer._replace(records=None)
            return PartitionTask(self._begun - 1, allowed, offset, self._limits, self._check_crc)
        return None

    def end(self, task: PartitionTask, decoded: DecodedPartition) -> None:
        """Add a decoded partition."""
        self._ended[task.number] = decoded
        self._left_bytes -= 0 if decoded.columns is None else decoded.columns.nbytes

    def results(self) -> tuple[DecodedPartition, ...]:
        """All decoded partitions, in the order of the answer."""
        assert len(self._ended) == self._begun, "a partition is still being decoded"
        return tuple([self._ended[number] for number in range(self._begun)])


def decode_answer(
    fetch: Fetch, answered: Iterable[FetchedPartition], limits: RecordLimits, check_crc: bool = True
) -> tuple[DecodedPartition, ...]:
    """Decode the answer to ``fetch`` like ``AnswerDecoding``, one partition after the other."""
    todo, left_bytes = _what_to_decode(fetch, answered, limits)
    results: list[DecodedPartition] = []
    for answer, offset in todo:
        allowed = answer if left_bytes > 0 else answer._replace(records=None)
        result = _decode(allowed, offset, limits, check_crc)
        results.append(result)
        left_bytes -= 0 if result.columns is None else result.columns.nbytes
    return tuple(results)


def _what_to_decode(
    fetch: Fetch, answered: Iterable[FetchedPartition], limits: RecordLimits
) -> tuple[Collection[tuple[FetchedPartition, int]], int]:
    """The partitions that were requested, with their offsets, and the size of all columns at which decoding stops."""
    found: dict[TopicPartition, tuple[FetchedPartition, int]] = {}
    free_bytes = fetch.set_aside_bytes
    for answer in answered:
        free_bytes -= len(answer.records or b"")
        position = fetch.wanted.get(answer.partition)
        if position is not None:
            found.setdefault(answer.partition, (answer, position.offset))
    return found.values(), min(limits.max_answer_bytes, max(free_bytes, 1))


def find_arrivals(fetch: Fetch, answered: Iterable[FetchedPartition]) -> dict[TopicPartition, Arrival]:
    """The partitions whose end is known before decoding, so that fetching can continue there."""
    found: dict[TopicPartition, Arrival] = {}
    for answer in answered:
        position = fetch.wanted.get(answer.partition)
        if answer.error == ErrorCode.NONE and answer.records and position is not None:
            end = find_end(memoryview(answer.records), position.offset)
            if end is not None:
                found[answer.partition] = Arrival(
                    end.offset, len(answer.records), end.leader_epoch, end.bytes_per_offset, end.last_batch_bytes
                )
    return found


def _decode(answer: FetchedPartition, offset: int, limits: RecordLimits, check_crc: bool) -> DecodedPartition:
    columns, corrupt, diverging = None, None, None
    if answer.error == ErrorCode.NONE:
        if answer.diverging is not None:
            diverging = _known_end(answer.diverging.epoch, answer.diverging.end_offset)
        try:
            if answer.aborted:
                columns = _decode_committed(answer, offset, limits, check_crc)
            else:
                columns = decode_partition(answer.records or b"", answer.partition, offset, limits, check_crc)
        except CorruptRecordError as error:
            corrupt = error
    return DecodedPartition(
        answer.partition,
        answer.error,
        columns,
        corrupt,
        answer.high_watermark,
        answer.last_stable_offset,
        answer.log_start_offset,
        answer.preferred_replica,
        diverging,
        len(answer.records or b""),
    )


def _decode_committed(answer: FetchedPartition, offset: int, limits: RecordLimits, check_crc: bool) -> Columns:
    aborted = ((transaction.producer_id, transaction.first_offset) for transaction in answer.aborted)
    committed = leave_out_aborted(answer.records or b"", aborted, answer.partition, offset)
    return decode_partition(committed.data, answer.partition, offset, limits, check_crc, committed.skipped)


def _known_end(epoch: int, end_offset: int) -> EpochEnd | None:
    found = EpochEnd(epoch, end_offset)
    return found if found.is_known else None

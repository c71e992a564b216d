"""Where a record's delay goes: a handler of kafka_nextgen, in a process of its own, that notes when its records came.

Run as ``python -m benchmarks.delays.trace TASK``, a ``Task`` as JSON; prints ``Trace`` as JSON. What is noted takes
some microseconds for each answer, so that delays are a little longer than without.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from statistics import fmean

from attrs import frozen

from benchmarks.delays.feed import STAMP_BYTES
from benchmarks.delays.ours import config, partitions
from benchmarks.delays.task import Task
from benchmarks.processes import answer, told
from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.engine.reading import fetcher
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.fetching import DecodedPartition, Fetch, NodeFetches, decode_answer
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.requests.fetch import FetchedPartition
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.wire.records import RecordLimits

__all__ = ["STAGES", "TRACED", "Trace"]

#: The handler that this is one of.
TRACED = "ours.iterate"

#: What a record's delay consists of, one after the other.
STAGES = ("until its answer is received", "until it is decoded", "until it is handled")

#: The records around the median, and the slowest of all, as shares.
_MEDIAN, _SLOWEST = (0.45, 0.55), 0.99

Stages = Sequence[float]


@frozen
class Trace:
    """Seconds of each of ``STAGES``, on average of the records around the median and of the slowest hundredth."""

    median: Stages
    slowest: Stages

    @classmethod
    def of(cls, records: Collection[Sequence[int]]) -> Trace:
        """Each record's stages in nanoseconds."""
        by_delay = sorted(records, key=sum)
        low, high, slow = (int(share * len(by_delay)) for share in (*_MEDIAN, _SLOWEST))
        return cls(_mean(by_delay[low : max(high, low + 1)]), _mean(by_delay[slow:]))


def _mean(records: Sequence[Sequence[int]]) -> Stages:
    return [fmean(stage) / 1e9 for stage in zip(*records, strict=True)]


class Notes:
    """When the records of each partition up to an offset were received and decoded, in the order they came."""

    def __init__(self) -> None:
        self.received_at = 0  # when something was received last
        self._notes: dict[TopicPartition, deque[tuple[int, int, int]]] = {}

    def note(self, decoded: Collection[DecodedPartition], received_at: int) -> None:
        """These have been decoded by now."""
        now = time.monotonic_ns()
        for each in decoded:
            if each.columns is not None and len(each.columns):
                notes = self._notes.setdefault(each.columns.partition, deque())
                notes.append((each.columns.next_offset, received_at, now))

    def of(self, partition: TopicPartition, offset: int) -> tuple[int, int]:
        """When a record was received, and when it was decoded; its partition's records must be asked for in order."""
        notes = self._notes[partition]
        while notes[0][0] <= offset:
            notes.popleft()
        return notes[0][1:]


def trace(task: Task) -> Trace:
    """Handle the records of ``for record in consumer``, and note where each was when."""
    notes = _noting()
    records: list[tuple[int, int, int]] = []
    with Consumer(config(task)) as consumer:
        consumer.assign(partitions(task))
        begin, end = task.window_ns()
        for record in consumer:
            handled = time.monotonic_ns()
            received, decoded = notes.of(TopicPartition(record.topic, record.partition), record.offset)
            if handled >= begin:
                assert isinstance(record.value, bytes)
                written = int.from_bytes(record.value[:STAMP_BYTES], "big")
                records.append((received - written, decoded - received, handled - decoded))
            if handled >= end:
                break
    return Trace.of(records)


def _noting() -> Notes:
    """Have connections and decoders note what they do, from now on in this process."""
    notes, received = Notes(), Connection.buffer_updated
    take_steady = LockedFetches.take_steady

    def note_and_receive(self: Connection, nbytes: int) -> None:
        notes.received_at = time.monotonic_ns()
        received(self, nbytes)

    def decode_and_note(
        fetch: Fetch, answered: Iterable[FetchedPartition], limits: RecordLimits, check_crc: bool = True
    ) -> tuple[DecodedPartition, ...]:
        decoded = decode_answer(fetch, answered, limits, check_crc)
        notes.note(decoded, notes.received_at)
        return decoded

    def take_and_note(
        self: LockedFetches,
        steady: NodeFetches,
        image: ClusterImage,
        frame: memoryview,
        correlation_id: int,
        now: float,
    ) -> tuple[bytes, list[DecodedPartition]] | None:
        taken = take_steady(self, steady, image, frame, correlation_id, now)
        notes.note(() if taken is None else taken[1], notes.received_at)
        return taken

    Connection.buffer_updated = note_and_receive  # type: ignore[method-assign]
    fetcher.decode_answer = decode_and_note  # type: ignore[attr-defined]
    LockedFetches.take_steady = take_and_note  # type: ignore[method-assign]
    return notes


if __name__ == "__main__":
    answer(trace(told(Task)))

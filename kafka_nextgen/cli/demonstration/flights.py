"""The flights that left New York City in January and February 2013, and the producer that streams them.

``kafka_nextgen/cli/data/README.md`` says where they come from. A record's key is the aircraft's tail number, so the
flights of one aircraft stay in order. Its value is the line of the file.
"""

from __future__ import annotations

import asyncio
import gzip
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.resources import files

from kafka_nextgen import clocks
from kafka_nextgen.cli.demonstration import reports
from kafka_nextgen.cli.demonstration.progress import Progress
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.producing.partitioner import Partitioner
from kafka_nextgen.producing.producer import Producer
from kafka_nextgen.wire.records import NewRecord

__all__ = ["Flight", "count_by_partition", "load_flights", "stream_flights"]

_FILE = "flights.csv.gz"
_TAIL_NUMBER = "tailnum"

TICK_S = 0.05
MAX_RECORDS_AT_ONCE = 1_000


@frozen
class Flight:
    """A line of the data set. ``row`` counts from 1; ``tail_number`` is NA if it is unknown."""

    row: int
    tail_number: bytes
    line: bytes


def load_flights() -> list[Flight]:
    """Load all flights in order."""
    data = (files("kafka_nextgen.cli") / "data" / _FILE).read_bytes()
    header, *lines = gzip.decompress(data).splitlines()
    column = header.decode().split(",").index(_TAIL_NUMBER)
    return [Flight(row, line.split(b",")[column], line) for row, line in enumerate(lines, 1)]


def count_by_partition(flights: Iterable[Flight], partitions: int) -> list[int]:
    """Return the number of flights for each partition."""
    partitioner = Partitioner(partitions)
    counts = [0] * partitions
    for tail_number, count in Counter(flight.tail_number for flight in flights).items():
        counts[partitioner.partition_of(tail_number)] += count
    return counts


async def stream_flights(producer: Producer, flights: Sequence[Flight], progress: Progress, duration_s: float) -> None:
    """Produce all flights evenly over ``duration_s``, in larger batches while the producer is behind."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    sent = 0
    while sent < len(flights):
        due = int(len(flights) * min(1.0, (loop.time() - began + TICK_S) / duration_s))
        batch = flights[sent : min(due, sent + MAX_RECORDS_AT_ONCE)]
        await _send(producer, batch, progress)
        sent += len(batch)
        progress.wake()
        if sent >= due:
            await asyncio.sleep(TICK_S)


async def _send(producer: Producer, batch: Sequence[Flight], progress: Progress) -> None:
    if not batch:
        return
    now_ms = int(clocks.time() * 1000)
    records = [NewRecord(flight.line, key=flight.tail_number, timestamp=now_ms) for flight in batch]
    for flight, (partition, offset) in zip(batch, await producer.send(records), strict=True):
        progress.note_produced(partition, offset, reports.checksum(flight.tail_number, flight.line))

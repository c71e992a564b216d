"""The flights that left New York City in January and February 2013, one record each.

``kafka_nextgen/cli/data/README.md`` says where they come from. A record's key is the aircraft's tail number, so
that what one aircraft did stays in order; its value is the line of the file as it stands there.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable
from importlib.resources import files

from attrs import frozen

from kafka_nextgen.producing.partitioner import Partitioner

__all__ = ["Flight", "count_by_partition", "load_flights"]

_FILE = "flights.csv.gz"
_TAIL_NUMBER = "tailnum"


@frozen
class Flight:
    """A line of the data set; ``row`` counts from 1, ``tail_number`` is NA where it was not recorded."""

    row: int
    tail_number: bytes
    line: bytes


def load_flights() -> list[Flight]:
    """Every flight of the data set, in its order."""
    data = (files("kafka_nextgen.cli") / "data" / _FILE).read_bytes()
    header, *lines = gzip.decompress(data).splitlines()
    column = header.decode().split(",").index(_TAIL_NUMBER)
    return [Flight(row, line.split(b",")[column], line) for row, line in enumerate(lines, 1)]


def count_by_partition(flights: Iterable[Flight], partitions: int) -> list[int]:
    """How many of the flights each partition will get."""
    partitioner = Partitioner(partitions)
    counts = [0] * partitions
    for tail_number, count in Counter(flight.tail_number for flight in flights).items():
        counts[partitioner.partition_of(tail_number)] += count
    return counts

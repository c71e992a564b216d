"""Joins small runs of records, so that they become one Arrow batch.

An Arrow batch costs the same for one record as for a million. With a thousand partitions, a poll returns a thousand
runs of a few records each: copying those is cheaper than a thousand batches. A run is small if it has at most
``MOST_RECORDS`` records with ``MOST_BYTES`` of keys and values. Neighbouring small runs are joined if there are at
least ``LEAST_RUNS`` of one topic, none has headers, and in each column either all entries are null or none is.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, groupby
from operator import sub

from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.wire.records import BinaryColumn, Columns, ColumnSlice

__all__ = ["LEAST_RUNS", "MOST_BYTES", "MOST_RECORDS", "JoinedRuns", "join_small"]

#: How many runs are joined: fewer are not worth the cost, and the bytes of more might exceed 2 GiB.
LEAST_RUNS, MOST_RUNS = 8, 4096

#: The most records of a small run, and the most bytes of their keys and values.
MOST_RECORDS, MOST_BYTES = 64, 16 * 1024


@define(unsafe_hash=True)
class JoinedRuns(ColumnSlice):
    """Runs of one topic in joined columns. ``numbers`` (int32) has the partition of each record."""

    numbers: bytes


def join_small(slices: Iterable[ColumnSlice]) -> Iterator[ColumnSlice]:
    """Yield the same records in the same order, in fewer runs."""
    for kind, group in groupby(slices, _kind_of):
        runs = tuple(group)
        if kind is None or len(runs) < LEAST_RUNS:
            yield from runs
        else:
            _, keys_are_null, values_are_null = kind
            for first in range(0, len(runs), MOST_RUNS):
                yield _join(runs[first : first + MOST_RUNS], keys_are_null, values_are_null)


def _kind_of(part: ColumnSlice) -> tuple[str, bool, bool] | None:
    """The topic, and whether keys and values are null; None if the run is not joined."""
    columns, start, stop = part.columns, part.start, part.stop
    if stop - start > MOST_RECORDS or columns.headers is not None:
        return None
    keys, values = columns.keys, columns.values
    if keys.bounds[stop] - keys.bounds[start] + values.bounds[stop] - values.bounds[start] > MOST_BYTES:
        return None
    keys_are_null, values_are_null = _is_null(keys, start, stop), _is_null(values, start, stop)
    if keys_are_null is None or values_are_null is None:
        return None
    return columns.partition.topic, keys_are_null, values_are_null


def _is_null(column: BinaryColumn, start: int, stop: int) -> bool | None:
    """Whether all of these entries are null; None if that is unknown without a search."""
    if column.validity is None:
        return False
    return None if any(column.validity[start >> 3 : (stop + 7) >> 3]) else True


def _join(runs: tuple[ColumnSlice, ...], keys_are_null: bool, values_are_null: bool) -> JoinedRuns:
    parts = [(run.columns, run.start, run.stop) for run in runs]
    count = sum([stop - start for _, start, stop in parts])
    first, last = runs[0].columns, runs[-1]
    joined = Columns(
        first.partition,
        last.next_offset,
        _numbers("q", [columns.offsets[start:stop] for columns, start, stop in parts]),
        _numbers("q", [columns.timestamps[start:stop] for columns, start, stop in parts]),
        _nulls(count) if keys_are_null else _binaries([(columns.keys, start, stop) for columns, start, stop in parts]),
        _nulls(count)
        if values_are_null
        else _binaries([(columns.values, start, stop) for columns, start, stop in parts]),
        None,
        _numbers("i", [columns.leader_epochs[start:stop] for columns, start, stop in parts]),
        _numbers("b", [columns.timestamp_types[start:stop] for columns, start, stop in parts]),
    )
    numbers = [
        columns.partition.partition.to_bytes(4, sys.byteorder) * (stop - start) for columns, start, stop in parts
    ]
    return JoinedRuns(joined, 0, count, b"".join(numbers))


def _numbers(typecode: str, parts: Sequence[memoryview[int]]) -> memoryview[int]:
    return memoryview(array(typecode, b"".join(parts)))


def _binaries(parts: Sequence[tuple[BinaryColumn, int, int]]) -> BinaryColumn:
    data = b"".join([column.data[column.bounds[start] : column.bounds[stop]] for column, start, stop in parts])
    begins = chain.from_iterable([column.bounds[start:stop] for column, start, stop in parts])
    ends = chain.from_iterable([column.bounds[start + 1 : stop + 1] for column, start, stop in parts])
    return BinaryColumn(data, memoryview(array("i", accumulate(map(sub, ends, begins), initial=0))))


def _nulls(count: int) -> BinaryColumn:
    return BinaryColumn(b"", memoryview(array("i", bytes(4 * (count + 1)))), bytes((count + 7) // 8))

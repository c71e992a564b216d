"""The ids at the beginning of values (0 and the id in four bytes), and the removal of values with certain ids."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise

from kafka_nextgen.values.formats import BadValue, Buffers

__all__ = ["FRAME_BYTES", "id_at", "ids_in", "rows_of", "without_ids"]

#: The zero byte and the id.
FRAME_BYTES = 5


def id_at(values: Buffers, row: int) -> int:
    """Return the id of a value that has a frame."""
    data, bounds, _ = values
    schema_id: int = struct.unpack_from(">xi", data, bounds[row])[0]
    return schema_id


def ids_in(values: Buffers, start: int, stop: int) -> set[int]:
    """Return the ids of the values in these rows that have a frame."""
    data, bounds, validity = values
    view, edges = memoryview(data), bounds[start : stop + 1].tolist()
    heads = {bytes(view[begin : begin + FRAME_BYTES]) for begin, end in pairwise(edges) if end - begin >= FRAME_BYTES}
    found = {struct.unpack(">xi", head)[0] for head in heads if head[0] == 0}
    if validity is None or not found:
        return found
    return {schema_id for _, schema_id in rows_of(values, start, stop, found)}


def rows_of(values: Buffers, start: int, stop: int, ids: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the rows whose values have one of these ids, and the id."""
    data, bounds, validity = values
    for row in range(start, stop):
        begin = bounds[row]
        if bounds[row + 1] - begin < FRAME_BYTES or data[begin]:
            continue
        if validity is None or validity[row >> 3] >> (row & 7) & 1:
            schema_id = id_at(values, row)
            if schema_id in ids:
                yield row, schema_id


def without_ids(values: Buffers, start: int, stop: int, reasons: Mapping[int, str]) -> tuple[Buffers, list[BadValue]]:
    """Replace values that have these ids with null, up to ``stop``; also returns these rows as bad, with reasons."""
    bad = [BadValue(row, reasons[schema_id]) for row, schema_id in rows_of(values, start, stop, reasons)]
    if not bad:
        return values, bad
    data, bounds, validity = values
    size = (stop + 7) // 8
    kept = bytearray(b"\xff" * size if validity is None else validity[:size])
    for each in bad:
        kept[each.row >> 3] &= ~(1 << (each.row & 7))
    return (data, bounds, bytes(kept)), bad

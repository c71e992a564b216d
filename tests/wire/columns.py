"""Any records, and the content of columns in a form that can be compared."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import accumulate

from hypothesis import strategies as st

from kafka_nextgen.wire.records import BinaryColumn, Columns, HeaderColumn, NewRecord

BYTES = st.none() | st.sampled_from([b"", b"v" * 100, b"v" * 9000]) | st.binary(max_size=9)
KEYS = st.sampled_from(["", "trace", "größe", "\u4e2d\U0001f600"]) | st.text(max_size=3)
HEADERS = st.just(()) | st.lists(st.tuples(KEYS, BYTES), max_size=2).map(tuple)
TIMES = st.sampled_from([-1, 0, 1_700_000_000_000, 2**62]) | st.integers(-1, 2**41)

RECORDS = st.lists(
    st.builds(NewRecord, value=BYTES, key=BYTES, timestamp=TIMES, headers=HEADERS), min_size=1, max_size=6
)


def column_of(entries: Sequence[bytes | None]) -> BinaryColumn:
    """The column of these entries."""
    present = [entry or b"" for entry in entries]
    bounds = array("i", accumulate(map(len, present), initial=0))
    bits = "".join("0" if entry is None else "1" for entry in entries)
    validity = int(bits[::-1], 2).to_bytes((len(bits) + 7) // 8, "little") if None in entries else None
    return BinaryColumn(b"".join(present), memoryview(bounds), validity)


def column_content(column: BinaryColumn) -> tuple[object, ...]:
    return bytes(column.data), column.bounds.tolist(), column.validity


def header_content(headers: HeaderColumn | None) -> tuple[object, ...] | None:
    if headers is None:
        return None
    return headers.bounds.tolist(), column_content(headers.keys), column_content(headers.values)


def content(columns: Columns) -> dict[str, object]:
    """All that columns are, in a form that can be compared."""
    numbers = (columns.offsets, columns.timestamps, columns.leader_epochs, columns.timestamp_types)
    return {
        "numbers": [(column.format, column.tolist()) for column in numbers],
        "keys": column_content(columns.keys),
        "values": column_content(columns.values),
        "headers": header_content(columns.headers),
        "rest": (columns.partition, columns.next_offset, columns.data_bytes, columns.truncated, columns.end_epoch),
    }


Row = tuple[int, int, bytes | None, bytes | None, tuple[tuple[str, bytes | None], ...]]


def rows_of(columns: Columns) -> list[Row]:
    """Offset, timestamp, key, value and headers of each record."""
    headers = columns.headers or [()] * len(columns)
    return list(zip(columns.offsets, columns.timestamps, columns.keys, columns.values, headers, strict=True))


def rows_written(records: Sequence[NewRecord], base_offset: int = 0) -> list[Row]:
    """The same of records that are written in one batch."""
    return [(base_offset + i, r.timestamp, r.key, r.value, tuple(r.headers)) for i, r in enumerate(records)]


def compacted(record: NewRecord, delta: int) -> NewRecord:
    return NewRecord(record.value, record.key, record.timestamp, record.headers, offset_delta=delta)

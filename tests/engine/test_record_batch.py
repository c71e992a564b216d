"""Records in columns: what is handed to Arrow lies where it was decoded to, and is the same as the records."""

from __future__ import annotations

import subprocess
import sys

import pyarrow as pa
import pytest

from kafka_nextgen import RecordBatch, Records
from kafka_nextgen.engine.application.deserializers import Deserializers
from kafka_nextgen.wire.records import ColumnSlice
from tests.engine.column_slices import SLICES


def test_a_table_has_the_rows_that_iterating_has() -> None:
    table = Records(SLICES).to_arrow()
    table.validate(full=True)
    times = table.column("timestamp")
    rows = table.set_column(table.schema.get_field_index("timestamp"), "timestamp", times.cast(pa.int64())).to_pylist()
    names = ["topic", "partition", "offset", "timestamp", "key", "value"]
    assert rows == [
        {
            **{name: getattr(record, name) for name in names},
            "headers": [{"key": key, "value": value} for key, value in record.headers],
        }
        for record in Records(SLICES)
    ]
    assert Records().to_arrow().to_pylist() == []


def test_timestamps_are_of_utc() -> None:
    assert RecordBatch(SLICES[0]).to_arrow().schema.field("timestamp").type == pa.timestamp("ms", "UTC")


@pytest.mark.parametrize("part", SLICES)
def test_each_batch_has_the_same_in_its_columns(part: ColumnSlice) -> None:
    (batch,) = Records([part]).batches()
    records = list(batch)
    assert (batch.partition, len(batch)) == (part.partition, len(records))
    assert list(batch.offsets) == [record.offset for record in records]
    assert list(batch.timestamps) == [record.timestamp for record in records]
    assert list(batch.leader_epochs) == [3] * len(records)
    assert list(batch.keys) == [record.key for record in records]
    assert list(batch.values) == [record.value for record in records]
    assert list(batch.headers) == [record.headers for record in records]
    assert repr(batch) == f"<RecordBatch: {len(batch)} of {part.partition} from offset {records[0].offset}>"


@pytest.mark.parametrize("index", [0, 7, -1, slice(2, 5), slice(-3, None), slice(6, 2), slice(None, None, 3)])
def test_columns_are_indexed_as_lists_are(index: int | slice) -> None:
    values = RecordBatch(SLICES[2]).values
    expected = list(values)[index]
    found = values[index]
    assert found == expected if isinstance(index, int) else list(found or ()) == expected


def test_an_index_out_of_a_column_is_refused() -> None:
    values = RecordBatch(SLICES[2]).values
    assert (len(values), b"w9" in values, values.index(b"w10")) == (8, True, 1)
    for index in (8, -9):
        with pytest.raises(IndexError):
            values[index]


def test_columns_are_bytes_as_they_came_and_records_are_deserialized() -> None:
    (batch,) = Records([SLICES[0]], Deserializers(value=bytes.decode)).batches()
    assert list(batch.values) == [b"v0", None]
    assert [record.value for record in batch] == ["v0", None]


@pytest.mark.parametrize("part", [SLICES[0], SLICES[2]], ids=["with headers", "part of a column"])
def test_nothing_is_copied(part: ColumnSlice) -> None:
    def address(buffer: object) -> int:
        found: int = pa.py_buffer(buffer).address
        return found

    batch, columns = RecordBatch(part).to_arrow(), part.columns
    assert batch.column("offset").buffers()[1].address == address(columns.offsets)
    assert batch.column("timestamp").buffers()[1].address == address(columns.timestamps)
    for name, column in (("key", columns.keys), ("value", columns.values)):
        _, bounds, data = batch.column(name).buffers()
        assert (bounds.address, data.address) == (address(column.bounds), address(column.data))
    if columns.headers is not None:
        headers = batch.column("headers").values
        assert headers.field("value").buffers()[2].address == address(columns.headers.values.data)
    assert address(RecordBatch(part).offsets) == address(columns.offsets) + 8 * part.start


def test_what_all_records_share_takes_no_memory_of_its_own() -> None:
    first, second = (RecordBatch(part).to_arrow() for part in SLICES[2:])
    for name in ("topic", "headers"):
        assert first.column(name).buffers()[1].address == second.column(name).buffers()[1].address


def test_any_library_takes_them_by_the_capsules_of_arrow() -> None:
    import polars

    records = Records(SLICES)
    assert pa.table(records).equals(records.to_arrow())
    (batch, *_) = records.batches()
    assert pa.record_batch(batch).equals(batch.to_arrow())
    assert pa.schema(batch).equals(batch.to_arrow().schema)
    assert polars.DataFrame(records).get_column("value").to_list() == [record.value for record in records]


def test_pandas_and_polars_get_the_same_rows() -> None:
    records = Records(SLICES)
    for rows in (records.to_pandas().to_dict("records"), records.to_polars().to_dicts()):
        for row, record in zip(rows, records, strict=True):
            assert (row["topic"], row["partition"], row["offset"]) == (record.topic, record.partition, record.offset)
            assert (row["value"], len(row["headers"])) == (record.value, len(record.headers))
    (first, *_) = records.batches()
    assert len(first.to_pandas()) == len(first.to_polars()) == len(first)


WITHOUT = """
import sys
packages = ["pyarrow", "pandas", "polars"]
sys.modules.update(dict.fromkeys(packages))
from kafka_nextgen import Records
for name in ("to_arrow", "to_pandas", "to_polars", "__arrow_c_stream__"):
    try:
        getattr(Records(), name)()
    except ImportError as error:
        print(error)
for name in packages:
    del sys.modules[name]
print(Records().to_arrow().num_rows, "pandas" in sys.modules)
"""


def test_without_the_packages_an_error_names_the_extra_and_a_table_is_made_without_pandas() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "to_arrow() needs pyarrow: pip install 'kafka-nextgen[arrow]'",
        "to_pandas() needs pandas: pip install 'kafka-nextgen[pandas]'",
        "to_polars() needs polars: pip install 'kafka-nextgen[polars]'",
        "to_arrow() needs pyarrow: pip install 'kafka-nextgen[arrow]'",
        "0 False",
    ]

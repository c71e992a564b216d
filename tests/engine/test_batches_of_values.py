"""``batches(value=...)``: batches whose values become columns, in both consumers."""

from __future__ import annotations

import json
from typing import Any

import polars
import pyarrow as pa
import pytest

from kafka_nextgen import AsyncConsumer, Consumer, DeserializationError, OffsetRange
from kafka_nextgen.values import Json
from tests.engine.stage import Stage, tp
from tests.engine.stage_values import write

ORDER = Json(pa.schema({"id": pa.int64()}))


def order(number: int) -> bytes:
    return json.dumps({"id": number}).encode()


@pytest.fixture
def written(stage: Stage) -> Stage:
    write(stage, order(0), None, b"bad", order(3), order(4))
    return stage


async def batches_of(stage: Stage, is_async: bool, **arguments: Any) -> list[Any]:
    """The batches of a range that ends."""
    config: dict[str, Any] = stage.config()
    if is_async:
        async with AsyncConsumer(**config) as consumer:
            await consumer.assign({tp(): OffsetRange(0, 5)})
            return [records async for records in consumer.batches(**arguments)]
    with Consumer(**config) as blocking:
        blocking.assign({tp(): OffsetRange(0, 5)})
        return list(blocking.batches(**arguments))


both = pytest.mark.parametrize("is_async", [False, True])


@both
async def test_the_fields_of_values_are_columns(written: Stage, is_async: bool) -> None:
    batches = await batches_of(written, is_async, max_records=2, value=ORDER, on_error="null")
    tables = [records.to_arrow() for records in batches]
    assert tables[0].column_names == ["partition", "offset", "timestamp", "value_error", "value_raw", "id"]
    assert pa.concat_tables(tables)["id"].to_pylist() == [0, None, None, 3, 4]
    for records in batches:
        expected = records.to_arrow()["id"].to_pylist()
        frames = (records.to_polars(), polars.DataFrame(records), records.of(tp()).to_polars())
        assert [frame["id"].to_list() for frame in frames] == [expected] * 3
        assert [row for batch in records.batches() for row in batch.to_arrow()["id"].to_pylist()] == expected
        assert len(records.to_pandas()) == len(records) == len(list(records))


@both
async def test_other_arguments_replace_those_of_the_batches(written: Stage, is_async: bool) -> None:
    (records,) = await batches_of(written, is_async, value=ORDER)
    with pytest.raises(DeserializationError, match="at offset 2: bad value"):
        records.to_arrow()
    assert records.to_arrow(on_error="skip")["id"].to_pylist() == [0, None, 3, 4]
    assert "nr" in records.to_arrow(value=Json(pa.schema({"nr": pa.int64()})), on_error="skip").column_names
    assert records.raw().to_arrow()["value"].to_pylist()[2] == b"bad"


@both
async def test_without_formats_keys_and_values_are_bytes(written: Stage, is_async: bool) -> None:
    (records,) = await batches_of(written, is_async)
    assert records.to_arrow()["value"].to_pylist() == [order(0), None, b"bad", order(3), order(4)]
    assert records.to_arrow(value=ORDER, on_error="skip")["id"].to_pylist() == [0, None, 3, 4]


@both
async def test_wrong_arguments_are_refused_by_the_call(written: Stage, is_async: bool) -> None:
    for arguments, why in (
        ({"value": json.loads}, "value takes a format"),
        ({"key": Json}, "key takes a format"),
        ({"value": ORDER, "on_error": "drop"}, "'raise', 'skip' or 'null', not 'drop'"),
        ({"max_records": 0}, "max_records"),
    ):
        with pytest.raises((TypeError, ValueError), match=why):
            await batches_of(written, is_async, **arguments)

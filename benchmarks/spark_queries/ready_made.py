"""A Python data source that has nothing to do: it yields the same Arrow batch again and again.

No Python source can be faster, so what a query over it takes is the floor for ours. The batch has the columns of the
Kafka sources, and is made once for each Python worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from functools import cache
from itertools import islice

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from benchmarks.consuming.values import values

__all__ = ["BATCH", "ReadyMade"]

#: Rows of an Arrow batch, as many as ours gives Spark at once.
BATCH = 10_000

_SCHEMA = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("topic", pa.string()),
        ("partition", pa.int32()),
        ("offset", pa.int64()),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("timestampType", pa.int32()),
    ]
)


class ReadyMade(DataSource):
    """``format("ready_made")`` with the options ``records``, of all partitions, ``partitions`` and ``valueBytes``."""

    @classmethod
    def name(cls) -> str:
        """What ``format`` calls it."""
        return "ready_made"

    def schema(self) -> StructType:
        """The columns of a Kafka source without headers."""
        return from_arrow_schema(_SCHEMA)

    def reader(self, schema: StructType) -> DataSourceReader:
        """One reader for each query."""
        return _Reader(*(int(self.options[name]) for name in ("records", "partitions", "valueBytes")))


class _Reader(DataSourceReader):
    def __init__(self, records: int, partitions: int, value_bytes: int) -> None:
        self._records, self._partitions, self._value_bytes = records, partitions, value_bytes

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(number) for number in range(self._partitions)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        left = len(range(partition.value, self._records, self._partitions))
        batch = _batch(self._value_bytes)
        while left:
            rows = min(left, BATCH)
            yield batch.slice(0, rows) if rows < BATCH else batch
            left -= rows


@cache
def _batch(value_bytes: int) -> pa.RecordBatch:
    now = datetime.now(timezone.utc)
    columns = (
        [None] * BATCH,
        list(islice(values(value_bytes), BATCH)),
        ["benchmark-00000000"] * BATCH,
        [0] * BATCH,
        range(BATCH),
        [now] * BATCH,
        [0] * BATCH,
    )
    arrays = [pa.array(column, field.type) for column, field in zip(columns, _SCHEMA, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=_SCHEMA)

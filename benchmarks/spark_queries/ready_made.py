"""A Python data source that has nothing to do: it yields the same Arrow batch again and again.

No Python source can be faster, so what a query over it takes is the floor for ours. The batch has the columns of the
Kafka sources, and is made once for each Python worker. A streaming query reads ``records`` in all, in triggers of
``maxOffsetsPerTrigger``.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timezone
from functools import cache
from itertools import islice

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import ReadLimit, ReadMaxRows, SupportsTriggerAvailableNow
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
        """One reader for each batch query."""
        return _Reader(*self._numbers("records", "partitions", "valueBytes"))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  (Spark's name)
        """One reader for each streaming query."""
        return _StreamReader(*self._numbers("records", "partitions", "valueBytes", "maxOffsetsPerTrigger"))

    def _numbers(self, *names: str) -> tuple[int, ...]:
        return tuple(int(self.options[name]) for name in names)


class _RowsReader:
    """Reads a number of rows in each task."""

    def __init__(self, partitions: int, value_bytes: int) -> None:
        self._partitions, self._value_bytes = partitions, value_bytes

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        left: int = partition.value
        batch = _batch(self._value_bytes)
        while left:
            rows = min(left, BATCH)
            yield batch.slice(0, rows) if rows < BATCH else batch
            left -= rows

    def _split(self, rows: int) -> list[InputPartition]:
        return [InputPartition(len(range(number, rows, self._partitions))) for number in range(self._partitions)]


class _Reader(_RowsReader, DataSourceReader):
    def __init__(self, records: int, partitions: int, value_bytes: int) -> None:
        super().__init__(partitions, value_bytes)
        self._records = records

    def partitions(self) -> list[InputPartition]:
        return self._split(self._records)


class _StreamReader(_RowsReader, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Its offsets are numbers of records."""

    def __init__(self, records: int, partitions: int, value_bytes: int, per_trigger: int) -> None:
        super().__init__(partitions, value_bytes)
        self._records, self._per_trigger = records, per_trigger

    def initialOffset(self) -> dict[str, int]:  # noqa: N802  (Spark's names, here and below)
        return {"records": 0}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        return ReadMaxRows(self._per_trigger)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """There are no more records later."""

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        return {"records": min(start["records"] + self._per_trigger, self._records)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> list[InputPartition]:
        return self._split(end["records"] - start["records"])

    def commit(self, end: dict[str, int]) -> None:
        """There is nobody to tell."""


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

"""The two sources side by side: the built-in one, whose rows are the expected ones, and ours."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from attrs import frozen

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row, SparkSession
    from pyspark.sql.streaming import StreamingQuery

Format = Literal["kafka", "kafka_nextgen"]

BUILT_IN: Format = "kafka"
OURS: Format = "kafka_nextgen"
FORMATS: tuple[Format, ...] = (BUILT_IN, OURS)

SHOWN = 6

#: How often a query is started whose Python process Spark gives up, as it does with one that has not connected within
#: 10 s (a constant of PythonWorkerFactory in Spark 4.2 and 4.3). On a machine so busy anyone has to start it again.
STARTS = 5
_GIVEN_UP = "Python worker failed to connect back"


@frozen
class Sources:
    """What can be read of one Kafka in one session."""

    spark: SparkSession
    bootstrap_servers: str

    def batch(self, format: Format, schema: str | None = None, **options: Any) -> DataFrame:
        """A batch query. Options with a dot in their name are given as a dictionary: ``**{"kafka.client.id": ...}``."""
        reader = self.spark.read.format(format).options(**self._options(options))
        return (reader if schema is None else reader.schema(schema)).load()

    def stream(self, format: Format, schema: str | None = None, **options: Any) -> DataFrame:
        """A streaming query, likewise."""
        reader = self.spark.readStream.format(format).options(**self._options(options))
        return (reader if schema is None else reader.schema(schema)).load()

    def both(self, **options: Any) -> tuple[DataFrame, DataFrame]:
        """The built-in source's batch query and ours, with the same options."""
        return self.batch(BUILT_IN, **options), self.batch(OURS, **options)

    def run(self, format: Format, checkpoint: Path, output: Path, **options: Any) -> None:
        """Run a streaming query to the end of what there is, and append its rows to Parquet files in ``output``."""
        run_to_the_end(lambda: self.start(format, checkpoint, output, **options))

    def start(
        self, format: Format, checkpoint: Path, output: Path, *, available_now: bool = True, **options: Any
    ) -> StreamingQuery:
        """Start that query; it goes on if ``available_now`` is not true."""
        writer = self.stream(format, **options).writeStream.format("parquet")
        writer = writer.option("checkpointLocation", str(checkpoint))
        return (writer.trigger(availableNow=True) if available_now else writer).start(str(output))

    def written(self, output: Path) -> DataFrame:
        """What such queries wrote."""
        return self.spark.read.parquet(str(output))

    def written_since(self, output: Path) -> DataFrame:
        """What a query wrote that went on in a new directory: its list of files lacks the batches before."""
        return self.spark.read.parquet(str(output / "part-*"))

    def _options(self, options: dict[str, Any]) -> dict[str, Any]:
        return {"kafka.bootstrap.servers": self.bootstrap_servers, **options}


def run_to_the_end(start: Callable[[], StreamingQuery]) -> None:
    """Start a query and wait until it ends; it goes on at its checkpoint if Spark gives up its Python process."""
    again(lambda: start().awaitTermination())


def again(run: Callable[[], object]) -> None:
    """Call ``run``, and again where it raises that Spark has given up a Python process."""
    from pyspark.errors import StreamingQueryException

    for left in reversed(range(STARTS)):
        try:
            run()
        except StreamingQueryException as failure:
            if _GIVEN_UP not in str(failure) or not left:
                raise
        else:
            return


class Kept:
    """A query without an end. It goes on at its checkpoint if Spark gives up its Python process."""

    def __init__(self, start: Callable[[], StreamingQuery]) -> None:
        self._start = start
        self._query = start()

    def goes_on(self) -> bool:
        """Start it again if Spark has given it up; raise any other failure. Returns True."""
        failure = self._query.exception()
        if failure is not None:
            if _GIVEN_UP not in str(failure):
                raise failure
            self._query = self._start()
        return True

    def stop(self) -> None:
        self._query.stop()


def assert_same_rows(expected: DataFrame, found: DataFrame, count: int) -> None:
    """Fail unless both have the same schema, this many rows each, and the same rows in all columns."""
    assert found.schema == expected.schema
    rows, found_rows = rows_of(expected), rows_of(found)
    differences = [pair for pair in zip_longest(rows, found_rows) if pair[0] != pair[1]]
    assert (differences[:SHOWN], len(rows), len(found_rows)) == ([], count, count)


def rows_of(frame: DataFrame) -> list[Row]:
    """The rows by their place in the log, with timestamps as numbers: Python has none before year 1 or after 9999.

    They are compared here, since Spark takes seconds to plan, compile and run such a comparison of a few rows.
    """
    if "timestamp" in frame.columns:
        frame = frame.selectExpr(*("unix_micros(timestamp)" if n == "timestamp" else f"`{n}`" for n in frame.columns))
    return sorted(frame.collect(), key=lambda row: (row.topic, row.partition, row.offset))

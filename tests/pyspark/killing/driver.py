"""A process that runs the query: from Kafka to Parquet files, until it is killed or, with ``--to-the-end``, to the end.

It makes the file ``begun`` once the query has started. After a query that came to the end, ``found.parquet`` has what
Spark reads of the query's rows: the files that the log of the sink lists.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
import pyarrow.parquet

from tests.pyspark.killing.places import checkpoint_of, rows_of
from tests.pyspark.sources import OURS, Sources, run_to_the_end
from tests.support.spark import start_spark

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

#: Two tasks at a time; a task may fail twice, so that the query survives the death of a worker.
MASTER = "local[2,3]"

#: Less than what comes while a driver starts, so that each run has several batches.
RECORDS_PER_BATCH = 200

#: The last run has no need of many batches.
RECORDS_PER_BATCH_TO_THE_END = 10_000


def begun_in(home: Path) -> Path:
    return home / "begun"


def found_in(home: Path) -> Path:
    return home / "found.parquet"


@click.command(help=__doc__)
@click.argument("servers")
@click.argument("topic")
@click.argument("group")
@click.argument("home", type=click.Path(path_type=Path))
@click.option("--to-the-end", is_flag=True)
def main(servers: str, topic: str, group: str, home: Path, to_the_end: bool) -> None:
    spark = start_spark(home, MASTER)
    sources = Sources(spark, servers)

    def start() -> StreamingQuery:
        query = sources.start(
            OURS,
            checkpoint_of(home),
            rows_of(home),
            available_now=to_the_end,
            subscribe=topic,
            groupId=group,
            startingOffsets="earliest",
            maxOffsetsPerTrigger=RECORDS_PER_BATCH_TO_THE_END if to_the_end else RECORDS_PER_BATCH,
            **{"kafka.isolation.level": "read_committed"},
        )
        begun_in(home).touch()
        return query

    run_to_the_end(start)
    found = sources.written(rows_of(home)).select("partition", "offset", "value").toArrow()
    pyarrow.parquet.write_table(found, found_in(home))
    spark.stop()


if __name__ == "__main__":
    main()

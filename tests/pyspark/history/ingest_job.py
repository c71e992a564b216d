"""A process that ingests logs into a dataset: ``python -m tests.pyspark.history.ingest_job LOGS DATASET HOME``."""

from __future__ import annotations

import sys
from pathlib import Path

from kafka_nextgen.spark.history.ingesting import ingest
from tests.support.spark import start_spark


def main(logs: str, dataset: str, home: str) -> None:
    ingest(start_spark(Path(home)), logs, dataset)


if __name__ == "__main__":
    main(*sys.argv[1:])

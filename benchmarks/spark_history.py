"""Synthetic events of groups into Parquet, and all answers to them: rate, and peak memory of all processes.

Run as ``python -m benchmarks.spark_history --events 2000000`` from the root of the repository; ``--write`` puts the
figures on the page docs/benchmarks/index.md. Answers are compared with what was written.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
from attrs import asdict

from benchmarks.history_events import Told, write_events
from benchmarks.page import about_the_run, of_peers, table, write_section
from benchmarks.spark_queries.session import open_session
from benchmarks.usage import Step, measured

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PARTITIONS = "16"


def ask_all(spark: SparkSession, dataset: str, answers: str) -> Told:
    """Write all facts in one pass; return what they come to."""
    from pyspark.sql import functions as f

    from kafka_nextgen.spark.history import History

    History(spark, dataset).facts().write.partitionBy("fact").parquet(answers)
    facts = spark.read.parquet(answers).persist()
    try:
        sums = facts.agg(
            f.sum("groups.events"),
            f.sum("groups.rebalances"),
            f.sum("rebalances.moved"),
            f.sum("standstills.ms"),
            f.sum("groups.members"),
            f.sum("members.poll_timeouts"),
            f.count("lags"),
        ).collect()[0]
    finally:
        facts.unpersist()
    return Told(*sums)


def steps_table(steps: Sequence[Step], events: int) -> str:
    """One row for each step."""
    rows = [
        (
            step.name,
            f"{step.took_s:,.0f}",
            f"{events / step.took_s:,.0f}",
            f"{step.cpu_s:,.0f}",
            *(f"{kb >> 10:,}" for kb in (step.peak.java, step.peak.python, step.peak.total)),
        )
        for step in steps
    ]
    return table(("step", "s", "events/s", "CPU s", "JVM, MiB", "Python, MiB", "together, MiB"), rows)


def answers_table(written: Told, answered: Told) -> str:
    """What was written beside what the answers come to."""
    pairs = zip(asdict(written).items(), asdict(answered).values(), strict=True)
    return table(("sum of", "written", "answered"), [(name, f"{one:,}", f"{other:,}") for (name, one), other in pairs])


def run(place: Path, events: int, groups: int, seed: int) -> tuple[str, bool]:
    """Write, ingest and ask; return the figures, and whether all answers are right."""
    from kafka_nextgen.spark.history import ingest

    steps: list[Step] = []
    with measured("write JSON lines", steps):
        told = write_events(place / "logs", events, groups, seed)
    spark = open_session()
    spark.conf.set("spark.sql.shuffle.partitions", _PARTITIONS)
    try:
        with measured("ingest them", steps):
            done = ingest(spark, str(place / "logs"), str(place / "dataset"))
        with measured("all answers", steps):
            found = ask_all(spark, str(place / "dataset"), str(place / "answers"))
    finally:
        spark.stop()
    sizes = [_megabytes(place / name) for name in ("logs", "dataset")]
    about = f"{told.events:,} events of {groups} groups: {sizes[0]:,.0f} MB of lines, {sizes[1]:,.0f} MB of Parquet."
    return f"{about}\n\n{steps_table(steps, told.events)}\n\n{answers_table(told, found)}", (
        found == told and done.events == told.events and not done.refused
    )


def _megabytes(folder: Path) -> float:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6


@click.command(help=__doc__)
@click.option("--events", default=2_000_000, show_default=True)
@click.option("--groups", default=50, show_default=True)
@click.option("--seed", default=1, show_default=True)
@click.option("--memory", default="2g", show_default=True, help="Of the JVM's heap.")
@click.option("--home", type=click.Path(path_type=Path), help="Where files are kept; a temporary directory otherwise.")
@click.option("--write", is_flag=True, help="Write the figures to the page.")
def main(events: int, groups: int, seed: int, memory: str, home: Path | None, write: bool) -> None:
    load = os.getloadavg()[0]
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-memory {memory} pyspark-shell"
    place = Path(tempfile.mkdtemp(dir=home))
    try:
        figures, is_right = run(place, events, groups, seed)
    finally:
        shutil.rmtree(place)
    body = f"{about_the_run(*of_peers(['pyspark', 'pyarrow']), load=load)} A heap of {memory}.\n\n{figures}"
    click.echo(body)
    if not is_right:
        sys.exit("the answers are not what was written")
    if write:
        write_section("spark_history", body)


if __name__ == "__main__":
    main()

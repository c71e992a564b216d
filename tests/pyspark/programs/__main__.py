"""Run random programs that use DataFrames more than once with both sources: docs/proof/spark-campaigns.md."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tests.pyspark.programs.drawing import draw_program
from tests.pyspark.programs.running import Records, run_program
from tests.pyspark.sources import Sources
from tests.support.ending import end_at_sigterm
from tests.support.spark import start_spark
from tests.verification.soak.brokers import run_broker


@click.command(help=__doc__)
@click.option("--programs", default=200, show_default=True)
@click.option("--seed", default=0, show_default=True, help="Of the first program; the next has the next.")
@click.option("--broker", type=click.Choice(["kafka", "embedded"]), default="kafka", show_default=True)
def main(programs: int, seed: int, broker: str) -> None:
    end_at_sigterm()
    began, wrong, actions = time.monotonic(), 0, 0
    with TemporaryDirectory() as folder, run_broker(broker, Path(folder)) as at:
        spark = start_spark(Path(folder))
        records = Records(at.bootstrap_servers)
        for number in range(seed, seed + programs):
            records.create()
            program = draw_program(number)
            found = run_program(Sources(spark, at.bootstrap_servers), records, program)
            actions += len(program.steps)
            wrong += bool(found)
            for line in found:
                click.echo(f"{program}\n  {line}")
            if number % 20 == 19:
                click.echo(f"{number - seed + 1} programs, {wrong} wrong, {time.monotonic() - began:.0f} s")
        spark.stop()
    click.echo(f"{programs} programs, {actions} actions: {wrong} programs with wrong rows")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

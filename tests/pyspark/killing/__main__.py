"""Kill a streaming query again and again, and account for every record: docs/proof/spark-campaigns.md."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from tests.pyspark.killing.kills import draw_kills
from tests.pyspark.killing.run import run_kills
from tests.support.ending import end_at_sigterm
from tests.support.saying import say
from tests.verification.soak.brokers import run_broker


@click.command(help=__doc__)
@click.option("--kills", default=20, show_default=True)
@click.option("--seed", type=int, default=lambda: int(time.time()), help="Of the kills; the time by default.")
@click.option("--broker", type=click.Choice(["kafka", "embedded"]), default="kafka", show_default=True)
@click.option("--folder", type=click.Path(path_type=Path), default=Path("build/killing"), show_default=True)
def main(kills: int, seed: int, broker: str, folder: Path) -> None:
    end_at_sigterm()
    home = (folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{seed}").absolute()
    home.mkdir(parents=True)
    click.echo(f"seed {seed}, {kills} kills, {broker}; files in {home}")
    with run_broker(broker, home) as at:
        summary = run_kills(at.bootstrap_servers, home, draw_kills(kills, seed), say)
    for line in summary.lines():
        click.echo(line)
    sys.exit(1 if summary.findings else 0)


if __name__ == "__main__":
    main()

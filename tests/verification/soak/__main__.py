"""Let everything happen to groups at once for a while, and account for every record: docs/proof/soak.md."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from tests.support.ending import end_at_sigterm
from tests.support.saying import say
from tests.verification.soak.brokers import run_broker
from tests.verification.soak.history import what_the_history_has_wrong
from tests.verification.soak.soak import run_soak


@click.command(help=__doc__)
@click.option("--minutes", default=60.0, show_default=True)
@click.option("--seed", type=int, default=lambda: int(time.time()), help="Of the schedule; the time by default.")
@click.option("--broker", type=click.Choice(["kafka", "embedded", "cluster"]), default="kafka", show_default=True)
@click.option("--rate", default=200.0, show_default=True, help="Records written a second.")
@click.option("--pause", default=2.0, show_default=True, help="Mean seconds between two events.")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("build/soak"), show_default=True)
def main(minutes: float, seed: int, broker: str, rate: float, pause: float, folder: Path) -> None:
    end_at_sigterm()
    place = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{seed}"
    place.mkdir(parents=True)
    click.echo(f"seed {seed}, {minutes:g} minutes, {broker}; logs in {place}")
    with run_broker(broker, place) as at:
        summary = run_soak(at, place, minutes=minutes, seed=seed, per_second=rate, pause_s=pause, say=say)
    if at.history is not None:
        summary.findings.extend(what_the_history_has_wrong(place / "events.log", at.history, say))
    (place / "summary.json").write_text(summary.as_json())
    for line in summary.lines():
        click.echo(line)
    sys.exit(0 if summary.is_good else 1)


if __name__ == "__main__":
    main()

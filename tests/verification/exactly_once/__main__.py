"""Kill workers of ``run_in_transactions`` at random points, and account for results: docs/proof/exactly-once.md."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from tests.endtoend.broker_process import BrokerProcess
from tests.processing.transactions.faulty import MAKERS
from tests.support.ending import end_at_sigterm
from tests.support.kafka_server import BROKER_SETTINGS
from tests.support.real_kafka import NEWEST_VERSION, start_real_kafka
from tests.support.saying import say
from tests.verification.exactly_once.exam import measure, run_exam


@contextmanager
def broker_of(kind: str, version: str, place: Path) -> Iterator[str]:
    """Run the embedded broker in a process of its own, or a real Kafka, for the length of the block."""
    if kind == "embedded":
        with BrokerProcess(place / "broker", *(f"{key}={value}" for key, value in BROKER_SETTINGS.items())) as broker:
            yield broker.bootstrap_servers
        return
    server = start_real_kafka(version)
    try:
        yield server.bootstrap_servers
    finally:
        server.stop()


@click.command(help=__doc__)
@click.option("--broker", type=click.Choice(["kafka", "embedded"]), default="kafka", show_default=True)
@click.option("--version", default=NEWEST_VERSION, show_default=True, help="Of the real Kafka.")
@click.option("--kills", default=200, show_default=True, help="None of them with 0.")
@click.option("--minutes", default=math.inf, help="Kill no longer than this.")
@click.option("--seed", type=int, default=lambda: int(time.time()), help="Of the kills; the time by default.")
@click.option("--producer", type=click.Choice(sorted(MAKERS)), default="confluent-kafka", show_default=True)
@click.option("--workers", default=4, show_default=True)
@click.option("--rate", default=500, show_default=True, help="Records written a second while workers are killed.")
@click.option("--records", default=100_000, show_default=True, help="Copied without kills, to measure; none with 0.")
@click.option("--max-records", default=2000, show_default=True, help="In a transaction, without kills.")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("build/exactly-once"), show_default=True)
def main(
    broker: str,
    version: str,
    kills: int,
    minutes: float,
    seed: int,
    producer: str,
    workers: int,
    rate: int,
    records: int,
    max_records: int,
    folder: Path,
) -> None:
    end_at_sigterm()
    place = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{seed}"
    place.mkdir(parents=True)
    which = broker if broker == "embedded" else f"{broker} {version}"
    say(f"seed {seed}, {which}, {producer}; logs in {place}")
    findings: list[str] = []
    with broker_of(broker, version, place) as servers:
        if records:
            measured = measure(
                servers, place, records=records, kind=producer, size=min(2, workers), max_records=max_records
            )
            say(f"without kills: {measured}")
            findings += measured.findings
        if kills:
            summary = run_exam(
                servers,
                place,
                seed=seed,
                kills=kills,
                kind=producer,
                say=say,
                size=workers,
                per_second=rate,
                seconds=minutes * 60,
            )
            say(f"with kills: {summary}")
            findings += summary.findings
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()

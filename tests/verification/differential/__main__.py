"""Send the same random requests to the embedded broker and to Kafka: docs/proof/side-by-side.md."""

from __future__ import annotations

import sys
import time

import click

from tests.support.ending import end_at_sigterm
from tests.support.real_kafka import NEWEST_VERSION
from tests.support.saying import say
from tests.support.servers import Servers
from tests.verification.differential.run import run


@click.command(help=__doc__)
@click.option("--seed", type=int, default=lambda: int(time.time()), help="Of the requests; the time by default.")
@click.option("--requests", default=10_000, show_default=True, help="To each of the brokers, at least.")
@click.option("--beside", default=NEWEST_VERSION, show_default=True, help="A version of Kafka, external, or embedded.")
@click.option("--tries", default=60, show_default=True, help="To find the fewest requests that show a difference.")
def main(seed: int, requests: int, beside: str, tries: int) -> None:
    end_at_sigterm()
    servers, others = Servers(), Servers()
    try:
        embedded = servers.get("embedded").bootstrap_servers
        other = others.get(beside).bootstrap_servers
        click.echo(f"seed {seed}, {requests} requests, beside {beside}")
        report = run(embedded, other, seed=seed, requests=requests, most_tries=tries, say=say)
    finally:
        servers.stop()
        others.stop()
    for line in report.lines():
        click.echo(line)
    sys.exit(1 if report.found else 0)


if __name__ == "__main__":
    main()

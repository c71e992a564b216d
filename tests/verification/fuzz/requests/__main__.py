"""Send the embedded broker requests that fit their schemas and make little sense, until something gives.

A finding is a request that ends in an exception which nothing expected, in a closed connection, or in no answer. It is
printed once for each place in the code, with its request, and the exit code is then 1.
"""

from __future__ import annotations

import logging
import sys

import click

from tests.verification.fuzz.requests.trying import fuzzed


@click.command(help=__doc__)
@click.option("--seed", default=1, show_default=True, help="Of the random numbers; one seed draws the same requests.")
@click.option("--requests", default=20_000, show_default=True, help="How many.")
def main(seed: int, requests: int) -> None:
    logging.getLogger("kafka_nextgen").propagate = False
    with fuzzed(seed) as trial:
        trial.run(requests)
    for finding in trial.findings.values():
        click.echo(f"{finding.drawn}\n{finding.what}\n")
    click.echo(f"{trial.tried:,} requests, {trial.answered:,} answers, {len(trial.findings)} findings")
    sys.exit(bool(trial.findings))


if __name__ == "__main__":
    main()

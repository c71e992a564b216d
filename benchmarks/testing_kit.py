"""What tests of an application cost with ``kafka_nextgen.testing``: a cluster, a rebalance, a session that ends.

Run as ``python -m benchmarks.testing_kit`` from the root of the repository; ``--write`` puts the figures on the page
docs/develop/benchmarks.md. Each round is a process of its own, in which the tests run one after the other on one
embedded cluster with a clock.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

import click
from attrs import frozen

from benchmarks.page import about_the_run, in_ms, spread, table, write_section
from benchmarks.processes import ROOT, run
from benchmarks.testing.one_process import SESSION_S


@frozen
class Round:
    """What one process measured: seconds, and what was left at its end."""

    import_s: float
    first_start_s: float
    later_starts_s: Sequence[float]
    rebalances_s: Sequence[float]
    sessions_s: Sequence[float]
    tests_s: float
    threads_left: int
    descriptors_left: int


def measure(rounds: int, tests: int) -> list[Round]:
    return [Round(**run("benchmarks.testing.one_process", str(tests))) for _ in range(rounds)]


def figures_table(rounds: Sequence[Round], tests: int) -> str:
    """Medians of all tests of all rounds, with the least and the most."""
    later = [each for one in rounds for each in one.later_starts_s]
    rebalances = [each for one in rounds for each in one.rebalances_s]
    sessions = [each for one in rounds for each in one.sessions_s]
    left = {(one.threads_left, one.descriptors_left) for one in rounds}
    rows = [
        ("import of `kafka_nextgen.testing`", f"{in_ms([one.import_s for one in rounds])} ms"),
        ("the first cluster of a process starts", f"{in_ms([one.first_start_s for one in rounds])} ms"),
        ("a later cluster starts", f"{in_ms(later)} ms"),
        ("a test in which two members share two partitions", f"{in_ms(rebalances)} ms"),
        (f"a session of {SESSION_S} s ends, and the other member has its partitions", f"{in_ms(sessions)} ms"),
        (f"{tests} such tests in one process", f"{spread([one.tests_s for one in rounds])} s"),
        ("threads, descriptors left after them", "; ".join(f"{threads}, {files}" for threads, files in sorted(left))),
    ]
    return table(("", "median (least..most)"), rows)


def commit() -> str:
    """The commit of this working copy, and whether it was changed since."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=8", "--exclude=*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


@click.command(help=__doc__)
@click.option("--rounds", default=3, show_default=True, help="Processes, one after the other.")
@click.option("--tests", default=200, show_default=True, help="Tests in each of them.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(rounds: int, tests: int, write: bool) -> None:
    load = os.getloadavg()[0]
    body = figures_table(measure(rounds, tests), tests)
    body = f"{about_the_run(f'commit {commit()}', load=load)}\n\n{body}"
    print(body)
    if write:
        write_section("testing_kit", body)


if __name__ == "__main__":
    main()

"""What tests of an application cost with ``kafka_nextgen.testing``: a cluster, a rebalance, a session that ends.

Run as ``python -m benchmarks.testing_kit`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. Each round is a process of its own, in which the tests run one after the other on one
embedded cluster with a clock.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

import click
from attrs import frozen

from benchmarks.page import about_the_run, in_ms, table, write_section
from benchmarks.processes import ROOT, run
from benchmarks.testing.one_process import LONG_WAIT_MS, SESSION_S

Took = tuple[float, float]  # seconds by the clock, and of the processor


@frozen
class Round:
    """What one process measured, and what was left at its end."""

    imported: Took
    first_start: Took
    later_starts: Sequence[Took]
    rebalances: Sequence[Took]
    sessions: Sequence[Took]
    patient_sessions: Sequence[Took]
    all_tests: Took
    threads_left: int
    descriptors_left: int


def measure(rounds: int, tests: int) -> list[Round]:
    return [Round(**run("benchmarks.testing.one_process", str(tests))) for _ in range(rounds)]


def figures_table(rounds: Sequence[Round], tests: int) -> str:
    """Medians of all rounds, with the least and the most."""
    ends = f"a session of {SESSION_S} s ends, and the other member has its partitions"
    steps = {
        "import of `kafka_nextgen.testing`": [one.imported for one in rounds],
        "the first cluster of a process starts": [one.first_start for one in rounds],
        "a later cluster starts": [each for one in rounds for each in one.later_starts],
        "a test in which two members share two partitions": [each for one in rounds for each in one.rebalances],
        ends: [each for one in rounds for each in one.sessions],
        f"the same with `fetch.max.wait.ms={LONG_WAIT_MS}`": [each for one in rounds for each in one.patient_sessions],
        f"{tests} such tests in one process": [one.all_tests for one in rounds],
    }
    rows = [(name, *(in_ms([each[part] for each in took]) for part in (0, 1))) for name, took in steps.items()]
    return table(("", "time, ms", "of the processor, ms"), rows)


def left_over(rounds: Sequence[Round]) -> str:
    """What the processes had at the end that they had not had before."""
    threads = max(one.threads_left for one in rounds)
    descriptors = max(one.descriptors_left for one in rounds)
    return f"Left at the end of a process: {threads} threads, {descriptors} descriptors."


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
    measured = measure(rounds, tests)
    about = about_the_run(f"commit {commit()}", load=load)
    body = f"{about}\n\n{figures_table(measured, tests)}\n\n{left_over(measured)}"
    print(body)
    if write:
        write_section("testing_kit", body)


if __name__ == "__main__":
    main()

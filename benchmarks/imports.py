"""How much processor time it takes to import a client, and to start a command.

Run as ``python -m benchmarks.imports`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md, ``--before`` is the checkout of an earlier version to compare with. Each program is a
process of its own, and what an empty one takes is subtracted. User and system time of the whole process are measured,
so other work of the machine matters little. No broker is needed: a consumer is only created and closed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import click

from benchmarks.page import about_the_run, in_ms, of_peers, table, write_section
from benchmarks.turns import turns

COMMAND = "import sys; from kafka_nextgen.cli.main import main; sys.argv = ['kafka-nextgen', {}]; main()"

EMPTY = "pass"
THEIRS = "import confluent_kafka"
#: The programs by what the page calls them.
PROGRAMS: Mapping[str, str] = {
    "`import asyncio`": "import asyncio",
    "`import confluent_kafka`": THEIRS,
    "`import kafka_nextgen`": "import kafka_nextgen",
    "`from kafka_nextgen import Consumer`": "from kafka_nextgen import Consumer",
    "the same, `Consumer(...)` and `close()`": (
        "from kafka_nextgen import Consumer; Consumer(bootstrap_servers='[::1]:1').close()"
    ),
    "`kafka-nextgen --help`": COMMAND.format("'--help'"),
    "`kafka-nextgen groups list --help`": COMMAND.format("'groups', 'list', '--help'"),
}
UNCOUNTED = 1

Times = Mapping[tuple[Path, str], Sequence[float]]


def of_processor_s(root: Path, program: str) -> float:
    """The processor time (seconds) of a process that runs this program with the library at ``root``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTHONPATH": str(root)}
    subprocess.run([sys.executable, "-c", program], env=environment, cwd="/", stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(roots: Sequence[Path], rounds: int) -> Times:
    """Run every program with every version in turns."""
    cases = [(root, program) for root in roots for program in (EMPTY, *PROGRAMS.values())]
    times: dict[tuple[Path, str], list[float]] = {case: [] for case in cases}
    for case in turns(cases, UNCOUNTED + rounds):
        times[case].append(of_processor_s(*case))
    return {case: each[UNCOUNTED:] for case, each in times.items()}


def net(times: Times, root: Path, program: str) -> list[float]:
    """The times without that of an empty process."""
    empty_s = median(times[root, EMPTY])
    return [max(one - empty_s, 0.0) for one in times[root, program]]


def imports_table(times: Times, roots: Mapping[str, Path]) -> str:
    """A row for each program: each version's times, and how many times confluent-kafka's import the last one takes."""
    *_, now = roots.values()
    theirs = median(net(times, now, THEIRS))
    rows = [
        (
            name,
            *(in_ms(net(times, root, program)) for root in roots.values()),
            f"{median(net(times, now, program)) / theirs:.2g}",
        )
        for name, program in PROGRAMS.items()
    ]
    return table(("processor time, ms", *roots, "by confluent-kafka's import"), rows)


@click.command(help=__doc__)
@click.option("--rounds", default=9, show_default=True)
@click.option("--before", type=click.Path(exists=True, file_okay=False, path_type=Path), help="An earlier checkout.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(rounds: int, before: Path | None, write: bool) -> None:
    load = os.getloadavg()[0]
    roots = {**({"before": before.resolve()} if before else {}), "now": Path(__file__).parent.parent}
    times = measure(list(roots.values()), rounds)
    body = f"{about_the_run(*of_peers(['confluent-kafka']), load=load)}\n\n{imports_table(times, roots)}"
    print(body)
    if write:
        write_section("imports", body)


if __name__ == "__main__":
    main()

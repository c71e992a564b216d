"""How much code a record, a poll, a heartbeat, a commit and a Spark task go through: the files and functions entered.

Run as ``python -m benchmarks.paths`` from the root of the repository; ``--list`` names them all. It needs no Kafka: a
consumer without the extension in C reads from a ``Cluster`` of its process, and Python itself tells of every call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from benchmarks.following.entered import files_of
from benchmarks.page import table
from benchmarks.processes import run

Paths = Mapping[str, Sequence[str]]


def measure(*names: str) -> Paths:
    """The functions that these enter, or all, each as its file and its name."""
    return run("benchmarks.following.ways", *names, env={"KAFKA_NEXTGEN_PURE": "1"})


def paths_table(paths: Paths) -> str:
    rows = [(name, str(len(files_of(each))), str(len(each))) for name, each in paths.items()]
    return table(("what", "files", "functions"), rows)


def listing(functions: Sequence[str]) -> str:
    """The functions, under their files."""
    lines: list[str] = []
    for file in files_of(functions):
        lines += [file, *(f"    {each.partition(' ')[2]}" for each in functions if each.startswith(f"{file} "))]
    return "\n".join(lines)


@click.command(help=__doc__)
@click.option("--list", "lists", is_flag=True, help="Name the files and functions, too.")
@click.argument("names", nargs=-1)
def main(lists: bool, names: tuple[str, ...]) -> None:
    paths = measure(*names)
    print(paths_table(paths))
    if lists:
        for name, functions in paths.items():
            print(f"\n{name}\n{listing(functions)}")


if __name__ == "__main__":
    main()

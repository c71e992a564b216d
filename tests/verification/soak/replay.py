"""Judge the log of a soak again, by the rules as they are now: docs/proof/soak.md.

It leaves out what the judge does not learn from lines: processes that end by themselves, and what is unread at the end.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from tests.endtoend.report import Line
from tests.verification.soak.accounts import FOREVER, Reader
from tests.verification.soak.judge import LAG_S, Judge

_AT_ONCE = 10_000  # lines


def replay(log: Path) -> Judge:
    judge, readers = Judge(), dict[str, Reader]()
    for number, (at, what, about, more) in enumerate(lines_of(log)):
        if what == "start":
            readers[about] = Reader.of(about, ast.literal_eval(more.partition(" ")[2]))
        elif what == "trouble":
            judge.trouble(about, *map(float, more.split()))
        elif what == "told":
            group = about.removeprefix("soak:")
            judge.hear(readers[about] if group == about else Reader("soak", group), Line.load(more))
        if number % _AT_ONCE == 0:
            judge.advance(at - LAG_S)
    judge.advance(FOREVER)
    return judge


def lines_of(log: Path) -> Iterator[tuple[float, str, str, str]]:
    """The log of a soak: when, what, of which process or group, and the rest."""
    with log.open() as lines:
        for line in lines:
            at, what, about, *more = line.rstrip().split(" ", 3)
            yield float(at), what, about, "".join(more)


@click.command(help=__doc__)
@click.argument("log", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def main(log: Path) -> None:
    judge = replay(log)
    for what in judge.findings:
        click.echo(what)
    click.echo(f"{judge.delivered:,} records read, {judge.repeated:,} of them again; {len(judge.findings)} findings")
    sys.exit(1 if judge.findings else 0)


if __name__ == "__main__":
    main()

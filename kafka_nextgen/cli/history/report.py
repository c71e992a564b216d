"""``kafka-nextgen history report``: what a log says of groups, as tables, as JSON, and as a page to look at."""

from __future__ import annotations

import time
from pathlib import Path

import click

from kafka_nextgen.cli.groups.printing import print_json, say
from kafka_nextgen.cli.history.documents import history_document, moments_document
from kafka_nextgen.cli.history.loading import History, load, since
from kafka_nextgen.cli.history.moment import moment_of
from kafka_nextgen.cli.history.moment_tables import print_moment
from kafka_nextgen.cli.history.tables import print_answers
from kafka_nextgen.cli.moments import MOMENT
from kafka_nextgen.history.analysis import Analysis
from kafka_nextgen.history.log_reader import Problems
from kafka_nextgen.history.page import render

__all__ = ["report", "tell_problems"]


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--group", "groups", metavar="GROUP", multiple=True, help="Only this group; may be given several times.")
@click.option("--cluster", metavar="ID", help="Only groups of this cluster.")
@click.option("--since", "first", type=MOMENT, help="Only what ended then or later.")
@click.option("--until", "last", type=MOMENT, help="Only what happened up to then.")
@click.option("--at", type=MOMENT, help="What was around this time: owners, rebalances, events.")
@click.option("--within", "within_s", type=click.FloatRange(0), default=30.0, show_default=True, metavar="SECONDS")
@click.option("--top", type=click.IntRange(1), default=10, show_default=True, help="The most rows of a table.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, with all rows.")
@click.option(
    "--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write a page to look at."
)
def report(
    paths: tuple[Path, ...],
    groups: tuple[str, ...],
    cluster: str | None,
    first: int | None,
    last: int | None,
    at: int | None,
    within_s: float,
    top: int,
    as_json: bool,
    html: Path | None,
) -> None:
    """Tell what happened to groups, from event logs in files and directories.

    A time is ISO 8601, in UTC if it names no zone, or milliseconds since the epoch. All times that are printed are UTC.
    What can't be read is told on stderr; the exit code is 1 if there is nothing else.
    """
    found = load(paths, groups, cluster)
    tell_problems(found.problems)
    answers = _answers(found, first, last)
    if html is not None:
        _write(html, answers, found.problems, groups)
    if at is not None:
        _around(found, at, round(within_s * 1000), as_json, top)
    elif as_json:
        print_json(history_document(answers, found.problems))
    else:
        print_answers(answers, top)


def _answers(found: History, first: int | None, last: int | None) -> Analysis:
    answers = found.answers(last)
    return answers if first is None else since(answers, first)


def _around(found: History, at: int, within_ms: int, as_json: bool, top: int) -> None:
    moments = [moment_of(group, at, within_ms) for group in found.groups]
    if as_json:
        print_json(moments_document(moments, found.problems))
        return
    for moment in moments:
        print_moment(moment, within_ms, top)


def tell_problems(problems: Problems) -> None:
    """Say on stderr what could not be read."""
    for name, count in sorted(problems.counts.items()):
        say(f"Warning: {_problem(problems, name, count)}", err=True)


def _problem(problems: Problems, name: str, count: int) -> str:
    return f"{count} x {name} in the log, first in {problems.first[name]}"


def _write(file: Path, answers: Analysis, problems: Problems, groups: tuple[str, ...]) -> None:
    title = f"Rebalance history: {groups[0]}" if len(groups) == 1 else "Rebalance history"
    notes = [_problem(problems, name, count) for name, count in sorted(problems.counts.items())]
    page = render(answers, title, made=time.time_ns() // 1_000_000, notes=notes).encode()
    file.write_bytes(page)
    say(f"Wrote {file}, {len(page):,} bytes", err=True)

"""``kafka-nextgen history report``: what a log says about groups, as tables, as JSON, and as an HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import starmap
from pathlib import Path

import click
from attrs import asdict

from kafka_nextgen import clocks
from kafka_nextgen.cli.history.log import analyze_between, load_events
from kafka_nextgen.cli.history.snapshot import Snapshot, print_snapshot, snapshot_at
from kafka_nextgen.cli.history.tables import print_analysis
from kafka_nextgen.cli.output import print_json, print_line
from kafka_nextgen.cli.times import TIME
from kafka_nextgen.history.analysis import Analysis, FactsByKind, facts_by_group
from kafka_nextgen.history.facts import FACTS, Fact
from kafka_nextgen.history.log_reader import Problems
from kafka_nextgen.history.page import render

__all__ = ["print_document", "print_problems", "report"]


@click.command(short_help="Report what happened to groups.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--group", "groups", metavar="GROUP", multiple=True, help="Only this group. Can be repeated.")
@click.option("--cluster", metavar="ID", help="Only groups of this cluster.")
@click.option("--since", "first", type=TIME, help="Only what ended at this time or later.")
@click.option("--until", "last", type=TIME, help="Only what happened up to this time.")
@click.option("--at", type=TIME, help="Show owners, rebalances and events around this time.")
@click.option(
    "--within",
    "within_s",
    type=click.FloatRange(0),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="With --at: how many seconds before and after it.",
)
@click.option(
    "--top", type=click.IntRange(1), default=10, show_default=True, help="The maximum number of rows per table."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, with all rows.")
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write an HTML page.")
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
    """Report what happened to groups, from event logs in files and directories.

    A time is ISO 8601, in UTC if it has no zone, or milliseconds since the epoch. All times that are printed are UTC.
    What can't be read is reported on stderr; the exit code is 1 if there is nothing else.
    """
    found, problems = load_events(paths, groups, cluster)
    print_problems(problems)
    answers = analyze_between(found, first, last)
    if html is not None:
        _write_page(html, answers, problems, groups)
    if at is not None:
        within_ms = round(within_s * 1000)
        snapshots = [snapshot_at(*key, events, at, within_ms) for key, events in found.items()]
        if as_json:
            print_document(map(_snapshot_document, snapshots), problems)
        else:
            for snapshot in snapshots:
                print_snapshot(snapshot, within_ms, top)
    elif as_json:
        print_document(starmap(_group_document, sorted(facts_by_group(answers).items())), problems)
    else:
        print_analysis(answers, top)


def print_problems(problems: Problems) -> None:
    """Print the problems of the log to stderr."""
    for text in _problem_texts(problems):
        print_line(f"Warning: {text}", err=True)


def _problem_texts(problems: Problems) -> list[str]:
    counts = sorted(problems.counts.items())
    return [f"{count} x {name} in the log, first in {problems.first[name]}" for name, count in counts]


def print_document(groups: Iterable[object], problems: Problems) -> None:
    """Print a JSON document with these groups, and the count and first place of each problem."""
    counts = sorted(problems.counts.items())
    told = {name: {"count": count, "first": problems.first[name]} for name, count in counts}
    print_json({"groups": list(groups), "problems": told})


def _write_page(file: Path, answers: Analysis, problems: Problems, groups: tuple[str, ...]) -> None:
    title = f"Rebalance history: {groups[0]}" if len(groups) == 1 else "Rebalance history"
    page = render(answers, title, made=clocks.time_ns() // 1_000_000, notes=_problem_texts(problems)).encode()
    file.write_bytes(page)
    print_line(f"Wrote {file}, {len(page):,} bytes", err=True)


def _snapshot_document(snapshot: Snapshot) -> dict[str, object]:
    facts = ("rebalances", "holdups", "standstills", "owners")
    return {
        **asdict(snapshot, recurse=False, filter=lambda field, _: field.name != "members"),
        **{name: _fact_documents(getattr(snapshot, name)) for name in facts},
        "events": [asdict(event, filter=lambda _, value: value is not None) for event in snapshot.events],
    }


def _group_document(key: tuple[str, str], facts: FactsByKind) -> dict[str, object]:
    """Return the facts of a group by kind; the facts about the group itself are its ``summary``."""
    cluster, group = key
    summary = _fact_documents(facts["groups"])
    rest = {name: _fact_documents(facts[name]) for name in FACTS if name != "groups"}
    return {"cluster": cluster, "group": group, "summary": summary[0] if summary else None, **rest}


def _fact_documents(facts: Sequence[Fact]) -> list[dict[str, object]]:
    return [_fact_document(fact) for fact in facts]


def _fact_document(fact: Fact) -> dict[str, object]:
    """Return a fact without its group, with its marks as a list."""
    found = asdict(fact, filter=lambda name, _: name.name not in ("cluster", "group"))
    marks = found.get("marks")
    return {**found, "marks": marks.split(", ") if marks else []} if marks is not None else found

"""``kafka-nextgen history report``: what a log says about groups, as tables, as JSON, and as an HTML page."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
from attrs import asdict

from kafka_nextgen.cli.history.log import History, facts_since, load_history
from kafka_nextgen.cli.history.snapshot import Snapshot, print_snapshot, snapshot_at
from kafka_nextgen.cli.history.tables import print_analysis
from kafka_nextgen.cli.output import print_json, print_line
from kafka_nextgen.cli.times import TIME
from kafka_nextgen.history.analysis import Analysis, FactsByKind, facts_by_group
from kafka_nextgen.history.facts import FACTS, Fact
from kafka_nextgen.history.log_reader import Problems
from kafka_nextgen.history.page import render

__all__ = ["print_problems", "problems_document", "report"]


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--group", "groups", metavar="GROUP", multiple=True, help="Only this group; may be given several times.")
@click.option("--cluster", metavar="ID", help="Only groups of this cluster.")
@click.option("--since", "first", type=TIME, help="Only what ended then or later.")
@click.option("--until", "last", type=TIME, help="Only what happened up to then.")
@click.option("--at", type=TIME, help="What was around this time: owners, rebalances, events.")
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
    found = load_history(paths, groups, cluster)
    print_problems(found.problems)
    answers = _analyze(found, first, last)
    if html is not None:
        _write_page(html, answers, found.problems, groups)
    if at is not None:
        _print_snapshots(found, at, round(within_s * 1000), as_json, top)
    elif as_json:
        print_json(_history_document(answers, found.problems))
    else:
        print_analysis(answers, top)


def _analyze(found: History, first: int | None, last: int | None) -> Analysis:
    answers = found.answers(last)
    return answers if first is None else facts_since(answers, first)


def _print_snapshots(found: History, at: int, within_ms: int, as_json: bool, top: int) -> None:
    snapshots = [snapshot_at(group, at, within_ms) for group in found.groups]
    if as_json:
        print_json(_snapshots_document(snapshots, found.problems))
        return
    for snapshot in snapshots:
        print_snapshot(snapshot, within_ms, top)


def print_problems(problems: Problems) -> None:
    """Print the problems of the log to stderr."""
    for name, count in sorted(problems.counts.items()):
        print_line(f"Warning: {_problem(problems, name, count)}", err=True)


def _problem(problems: Problems, name: str, count: int) -> str:
    return f"{count} x {name} in the log, first in {problems.first[name]}"


def _write_page(file: Path, answers: Analysis, problems: Problems, groups: tuple[str, ...]) -> None:
    title = f"Rebalance history: {groups[0]}" if len(groups) == 1 else "Rebalance history"
    notes = [_problem(problems, name, count) for name, count in sorted(problems.counts.items())]
    page = render(answers, title, made=time.time_ns() // 1_000_000, notes=notes).encode()
    file.write_bytes(page)
    print_line(f"Wrote {file}, {len(page):,} bytes", err=True)


def _history_document(answers: Analysis, problems: Problems) -> dict[str, object]:
    """Return the facts of each group by kind; the facts about the group itself are its ``summary``."""
    return {
        "groups": [_group_document(*key, facts) for key, facts in sorted(facts_by_group(answers).items())],
        "problems": problems_document(problems),
    }


def _snapshots_document(snapshots: Iterable[Snapshot], problems: Problems) -> dict[str, object]:
    return {"groups": list(map(_snapshot_document, snapshots)), "problems": problems_document(problems)}


def _snapshot_document(snapshot: Snapshot) -> dict[str, object]:
    facts = ("rebalances", "holdups", "standstills", "owners")
    return {
        **asdict(snapshot, recurse=False, filter=lambda field, _: field.name != "members"),
        **{name: _fact_documents(getattr(snapshot, name)) for name in facts},
        "events": [asdict(event, filter=lambda _, value: value is not None) for event in snapshot.events],
    }


def _group_document(cluster: str, group: str, facts: FactsByKind) -> dict[str, object]:
    summary = _fact_documents(facts["groups"])
    rest = {name: _fact_documents(facts[name]) for name in FACTS if name != "groups"}
    return {"cluster": cluster, "group": group, "summary": summary[0] if summary else None, **rest}


def _fact_documents(facts: Sequence[Fact]) -> list[dict[str, object]]:
    return [asdict(fact, filter=lambda name, _: name.name not in ("cluster", "group")) for fact in facts]


def problems_document(problems: Problems) -> dict[str, object]:
    """Return the count and first place of each problem."""
    return {name: {"count": count, "first": problems.first[name]} for name, count in sorted(problems.counts.items())}

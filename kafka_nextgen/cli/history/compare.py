"""``kafka-nextgen history compare``: compare what the sources of a log report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from kafka_nextgen.cli.history.log import load_events
from kafka_nextgen.cli.history.report import print_document, print_problems
from kafka_nextgen.cli.history.table_data import member_names
from kafka_nextgen.cli.output import print_line, print_table
from kafka_nextgen.history.analysis import analyze_group
from kafka_nextgen.history.events import SourceKind
from kafka_nextgen.history.facts import MemberSummary
from kafka_nextgen.history.source_comparison import SourceView, differences, source_views

__all__ = ["compare"]


@click.command(short_help="List where sources of events differ.")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--group", "groups", metavar="GROUP", multiple=True, help="Only this group. Can be repeated.")
@click.option("--cluster", metavar="ID", help="Only groups of this cluster.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def compare(paths: tuple[Path, ...], groups: tuple[str, ...], cluster: str | None, as_json: bool) -> None:
    """List where each kind of source differs from the most direct one.

    The kinds, the most direct one first, are consumers, coordinators, readers of __consumer_offsets, and pollers. The
    comparison covers how often each member joined and left, the epochs that it reached, and the successive owners of
    each partition. The exit code is 1 if there are no events.
    """
    found, problems = load_events(paths, groups, cluster)
    print_problems(problems)
    told = {key: source_views(events) for key, events in found.items()}
    if as_json:
        print_document((_document(*key, views) for key, views in told.items()), problems)
        return
    for key, views in told.items():
        members = [fact for fact in analyze_group(found[key]) if isinstance(fact, MemberSummary)]
        _print(*key, views, member_names(members))


def _document(cluster: str, group: str, views: Mapping[SourceKind, SourceView]) -> dict[str, object]:
    return {"cluster": cluster, "group": group, "sources": list(views), "differences": differences(views)}


def _print(cluster: str, group: str, views: Mapping[SourceKind, SourceView], names: Mapping[str, str]) -> None:
    first, *others = (kind.value for kind in views)
    found = differences(views, names)
    print_line(f"Group {group}, cluster {cluster or 'unknown'}")
    if not others:
        print_line(f"  only {first} reports this group: there is nothing to compare")
    elif not found:
        print_line(f"  {', '.join(others)} and {first} report the same")
    else:
        rows = [(each.source.value, each.about, each.told, each.expected) for each in found]
        print_table(("SOURCE", "ABOUT", "REPORTS", f"{first.upper()} REPORTS"), rows)

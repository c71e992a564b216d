"""``kafka-nextgen history compare``: compare what the sources of a log report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from attrs import frozen

from kafka_nextgen.cli.history.log import load_events
from kafka_nextgen.cli.history.report import print_problems, problems_document
from kafka_nextgen.cli.history.table_data import member_names
from kafka_nextgen.cli.output import print_json, print_line, print_table
from kafka_nextgen.history.analysis import analyze_group
from kafka_nextgen.history.events import Event, SourceKind
from kafka_nextgen.history.facts import MemberSummary
from kafka_nextgen.history.source_comparison import Difference, differences, source_views

__all__ = ["compare"]


@frozen
class _Comparison:
    cluster: str
    group: str
    sources: Sequence[SourceKind]
    differences: Sequence[Difference]
    with_member_names: Sequence[Difference]


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--group", "groups", metavar="GROUP", multiple=True, help="Only this group; may be given several times.")
@click.option("--cluster", metavar="ID", help="Only groups of this cluster.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def compare(paths: tuple[Path, ...], groups: tuple[str, ...], cluster: str | None, as_json: bool) -> None:
    """List what one kind of source tells differently from the nearest one to what happened.

    Kinds are consumers, coordinators, readers of __consumer_offsets and pollers, the nearest first. Compared are which
    members came and went, to which epochs each of them came, and who had each partition, one after the other. The exit
    code is 1 if there is no event.
    """
    found, problems = load_events(paths, groups, cluster)
    print_problems(problems)
    compared = [_compare(key, events) for key, events in found.items()]
    if as_json:
        print_json({"groups": [_document(each) for each in compared], "problems": problems_document(problems)})
        return
    for each in compared:
        _print(each)


def _compare(key: tuple[str, str], events: Sequence[Event]) -> _Comparison:
    told = source_views(events)
    members = [fact for fact in analyze_group(events) if isinstance(fact, MemberSummary)]
    return _Comparison(*key, list(told), differences(told), differences(told, member_names(members)))


def _document(compared: _Comparison) -> dict[str, object]:
    return {
        "cluster": compared.cluster,
        "group": compared.group,
        "sources": [kind.value for kind in compared.sources],
        "differences": [
            {"source": each.source.value, "about": each.about, "told": each.told, "expected": each.expected}
            for each in compared.differences
        ],
    }


def _print(compared: _Comparison) -> None:
    first, *others = (kind.value for kind in compared.sources)
    print_line(f"Group {compared.group}, cluster {compared.cluster or 'unknown'}")
    if not others:
        print_line(f"  told by {first} alone: there is nothing to compare")
    elif not compared.differences:
        print_line(f"  {', '.join(others)} and {first} tell the same")
    else:
        rows = [(each.source.value, each.about, each.told, each.expected) for each in compared.with_member_names]
        print_table(("SOURCE", "ABOUT", "TELLS", f"{first.upper()} TELLS"), rows)

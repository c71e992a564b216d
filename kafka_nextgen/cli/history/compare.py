"""``kafka-nextgen history compare``: do several sources of one log tell the same?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from attrs import frozen

from kafka_nextgen.cli.groups.printing import print_json, print_table, say
from kafka_nextgen.cli.history.documents import problems_document
from kafka_nextgen.cli.history.loading import load_all
from kafka_nextgen.cli.history.naming import member_names
from kafka_nextgen.cli.history.report import tell_problems
from kafka_nextgen.history.analysis import analyze_group
from kafka_nextgen.history.events import Event, SourceKind
from kafka_nextgen.history.facts import MemberSummary
from kafka_nextgen.history.source_comparison import Difference, differences, source_views

__all__ = ["compare"]


@frozen
class _Compared:
    cluster: str
    group: str
    sources: Sequence[SourceKind]
    differences: Sequence[Difference]
    named: Sequence[Difference]


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
    found, problems = load_all(paths, groups, cluster)
    tell_problems(problems)
    compared = [_compared(key, events) for key, events in found.items()]
    if as_json:
        print_json({"groups": [_document(each) for each in compared], "problems": problems_document(problems)})
        return
    for each in compared:
        _print(each)


def _compared(key: tuple[str, str], events: Sequence[Event]) -> _Compared:
    told = source_views(events)
    members = [fact for fact in analyze_group(events) if isinstance(fact, MemberSummary)]
    return _Compared(*key, list(told), differences(told), differences(told, member_names(members)))


def _document(compared: _Compared) -> dict[str, object]:
    return {
        "cluster": compared.cluster,
        "group": compared.group,
        "sources": [kind.value for kind in compared.sources],
        "differences": [
            {"source": each.source.value, "about": each.about, "told": each.told, "expected": each.expected}
            for each in compared.differences
        ],
    }


def _print(compared: _Compared) -> None:
    first, *others = (kind.value for kind in compared.sources)
    say(f"Group {compared.group}, cluster {compared.cluster or 'unknown'}")
    if not others:
        say(f"  told by {first} alone: there is nothing to compare")
    elif not compared.differences:
        say(f"  {', '.join(others)} and {first} tell the same")
    else:
        rows = [(each.source.value, each.about, each.told, each.expected) for each in compared.named]
        print_table(("SOURCE", "ABOUT", "TELLS", f"{first.upper()} TELLS"), rows)

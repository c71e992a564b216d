"""Load a log into memory: the events of the selected groups, and the facts derived from them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

import click
from attrs import evolve

from kafka_nextgen.history.analysis import (
    Analysis,
    FactsByKind,
    analyze_group,
    collect_facts,
    events_by_group,
    facts_by_group,
    sorted_by_time,
)
from kafka_nextgen.history.events import CONTRADICTION, Event, EventKind
from kafka_nextgen.history.facts import Fact, GroupSummary, Overlap, Rebalance, Repeat, Standstill
from kafka_nextgen.history.log_reader import Problems, read_log
from kafka_nextgen.text import printable

__all__ = ["Events", "analyze_between", "facts_since", "load_events"]


#: The events of groups by cluster and group.
Events: TypeAlias = dict[tuple[str, str], list[Event]]


def load_events(paths: Sequence[Path], groups: Collection[str], cluster: str | None) -> tuple[Events, Problems]:
    """Return the events of these logs by cluster and group, sorted, and the problems.

    Args:
        paths: Files and directories.
        groups: The ids of the selected groups; empty for all.
        cluster: The id of their cluster; None for any.

    Raises click.ClickException if there is no event, or none of these groups.
    """
    problems = Problems()
    others: set[str] = set()

    def is_wanted(event: Event) -> bool:
        if (not groups or event.group in groups) and cluster in (None, event.cluster):
            return True
        others.add(event.group)
        return False

    found = events_by_group(filter(is_wanted, read_log(paths, problems)))
    if not found:
        raise click.ClickException(_no_events(paths, others, problems))
    _note_contradictions(found.values(), problems)
    return dict(sorted(found.items())), problems


def _note_contradictions(groups: Iterable[Sequence[Event]], problems: Problems) -> None:
    for events in groups:
        for event in events:
            if event.cause == CONTRADICTION and event.kind is EventKind.ERROR:
                problems.note(CONTRADICTION, f"group {event.group}: number {event.seq} of {event.source}")


def _no_events(paths: Sequence[Path], others: Collection[str], problems: Problems) -> str:
    where = ", ".join(str(path) for path in paths)
    if others:
        return printable(f"{where} has no events of these groups; it has events of {', '.join(sorted(others)[:10])}")
    why = f" ({problems})" if problems else ""
    return printable(f"no events in {where}{why}; is it a kafka-nextgen event log?")


def analyze_between(found: Events, first: int | None, last: int | None) -> Analysis:
    """Return the facts by group and time: those that ended at ``first`` or later, of the events up to ``last``.

    Times are ms since the Unix epoch; None is no limit.
    """
    answers = collect_facts(fact for events in found.values() for fact in sorted_by_time(analyze_group(events, last)))
    return answers if first is None else facts_since(answers, first)


def facts_since(answers: Analysis, at: int) -> Analysis:
    """Keep the facts that ended at ``at`` (ms since the Unix epoch) or later, and update the summaries of groups."""
    kept = {name: [fact for fact in facts if _end_of(fact) >= at] for name, facts in answers.facts.items()}
    events_by_group = facts_by_group(Analysis({**kept, "groups": answers.facts["groups"]}))
    summaries = [each for each in answers.facts["groups"] if isinstance(each, GroupSummary)]
    summed = [_update_summary(each, events_by_group[each.cluster, each.group], at) for each in summaries]
    return Analysis({**kept, "groups": summed})


def _end_of(fact: Fact) -> float:
    for name in ("ended", "at", "last"):
        if hasattr(fact, name):
            end: int | None = getattr(fact, name)
            return float("inf") if end is None else end
    return float("inf")


def _update_summary(summary: GroupSummary, own: FactsByKind, at: int) -> GroupSummary:
    return evolve(
        summary,
        first=min(max(summary.first, at), summary.last),
        members=len(own["members"]),
        rebalances=len(own["rebalances"]),
        unsettled_ms=_covered_ms([each for each in own["rebalances"] if isinstance(each, Rebalance)], at, summary.last),
        stood_ms=sum(each.ms or 0 for each in own["standstills"] if isinstance(each, Standstill)),
        overlaps=sum(isinstance(each, Overlap) and not each.is_excused for each in own["overlaps"]),
        repeated=sum(each.end - each.offset for each in own["repeats"] if isinstance(each, Repeat)),
    )


def _covered_ms(rebalances: Iterable[Rebalance], begin: int, last: int) -> int:
    """Return how long any of these was in progress after ``begin``."""
    covered = 0
    for each in sorted(rebalances, key=lambda each: each.began):
        end = last if each.ended is None else each.ended
        covered += max(0, end - max(each.began, begin))
        begin = max(begin, end)
    return covered

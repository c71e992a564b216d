"""A log into memory: the events of the groups that were asked for, and the facts they come to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import click
from attrs import evolve, field, frozen

from kafka_nextgen.history.analysis import (
    Analysis,
    FactsByKind,
    collect_facts,
    events_by_group,
    facts_by_group,
    sorted_by_time,
)
from kafka_nextgen.history.events import CONTRADICTION, Event, EventKind
from kafka_nextgen.history.facts import Fact, GroupSummary, Overlap, Rebalance, Repeat, Standstill
from kafka_nextgen.history.folding import fold
from kafka_nextgen.history.log_reader import Problems, read_log
from kafka_nextgen.history.ordering import in_order
from kafka_nextgen.text import printable

__all__ = ["GroupHistory", "History", "load", "load_all", "since"]


@frozen
class GroupHistory:
    """The events of one group of one cluster: by one clock, from the best sources, in order."""

    cluster: str
    group: str
    events: Sequence[Event]
    marks: frozenset[str]

    def facts(self, until: int | None = None) -> Iterable[Fact]:
        """What they come to, up to ``until`` (ms since the epoch)."""
        return fold((event for event in self.events if until is None or event.at <= until), set(self.marks))


@frozen
class History:
    """What was read, and what was wrong with it."""

    groups: Sequence[GroupHistory]
    problems: Problems = field(factory=Problems)

    def answers(self, until: int | None = None) -> Analysis:
        """All facts, group by group and in order of time, up to ``until`` (ms since the epoch)."""
        return collect_facts(fact for group in self.groups for fact in sorted_by_time(group.facts(until)))


def load(paths: Sequence[Path], groups: Collection[str], cluster: str | None) -> History:
    """Read these logs, of several sources of one thing the best; see ``load_all``."""
    found, problems = load_all(paths, groups, cluster)
    return History([_group(key, events) for key, events in found.items()], problems)


def load_all(
    paths: Sequence[Path], groups: Collection[str], cluster: str | None
) -> tuple[dict[tuple[str, str], list[Event]], Problems]:
    """All events of these logs by cluster and group, in the order of these, and what was wrong.

    Args:
        paths: Files and directories.
        groups: The ids of the groups that are wanted; none for all.
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
        raise click.ClickException(_nothing(paths, others, problems))
    _note_contradictions(found.values(), problems)
    return dict(sorted(found.items())), problems


def _note_contradictions(groups: Iterable[Sequence[Event]], problems: Problems) -> None:
    for events in groups:
        for event in events:
            if event.cause == CONTRADICTION and event.kind is EventKind.ERROR:
                problems.note(CONTRADICTION, f"group {event.group}: number {event.seq} of {event.source}")


def _group(key: tuple[str, str], events: Sequence[Event]) -> GroupHistory:
    ordered, marks = in_order(events)
    return GroupHistory(*key, ordered, frozenset(marks))


def _nothing(paths: Sequence[Path], others: Collection[str], problems: Problems) -> str:
    where = ", ".join(str(path) for path in paths)
    if others:
        return printable(f"no event of these groups in {where}; there are events of {', '.join(sorted(others)[:10])}")
    why = f" ({problems})" if problems else ""
    return printable(f"no event in {where}{why}; is it an event log of kafka-nextgen?")


def since(answers: Analysis, at: int) -> Analysis:
    """Only what ended at ``at`` (ms since the epoch) or later; groups are summed up again, members are not."""
    kept = {name: [fact for fact in facts if _end(fact) >= at] for name, facts in answers.facts.items()}
    events_by_group = facts_by_group(Analysis({**kept, "groups": answers.facts["groups"]}))
    summaries = [each for each in answers.facts["groups"] if isinstance(each, GroupSummary)]
    summed = [_summed(each, events_by_group[each.cluster, each.group], at) for each in summaries]
    return Analysis({**kept, "groups": summed})


def _end(fact: Fact) -> float:
    for name in ("ended", "at", "last"):
        if hasattr(fact, name):
            end: int | None = getattr(fact, name)
            return float("inf") if end is None else end
    return float("inf")


def _summed(summary: GroupSummary, own: FactsByKind, at: int) -> GroupSummary:
    return evolve(
        summary,
        first=min(max(summary.first, at), summary.last),
        members=len(own["members"]),
        rebalances=len(own["rebalances"]),
        unsettled_ms=_covered([each for each in own["rebalances"] if isinstance(each, Rebalance)], at, summary.last),
        stood_ms=sum(each.ms or 0 for each in own["standstills"] if isinstance(each, Standstill)),
        overlaps=sum(isinstance(each, Overlap) and not each.is_excused for each in own["overlaps"]),
        repeated=sum(each.end - each.offset for each in own["repeats"] if isinstance(each, Repeat)),
    )


def _covered(rebalances: Iterable[Rebalance], begin: int, last: int) -> int:
    """How long any of these was under way, after ``begin``."""
    covered = 0
    for each in sorted(rebalances, key=lambda each: each.began):
        end = last if each.ended is None else each.ended
        covered += max(0, end - max(each.began, begin))
        begin = max(begin, end)
    return covered

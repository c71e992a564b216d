"""The answers as tables, a group after the other; times are UTC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from kafka_nextgen.cli.groups.printing import Cell, print_table, say
from kafka_nextgen.cli.history.moment import Moments
from kafka_nextgen.cli.history.naming import member_names, named
from kafka_nextgen.cli.history.ranking import (
    Waits,
    by_epoch,
    holding_up,
    restless,
    waits,
    worst_rebalances,
    worst_standstills,
)
from kafka_nextgen.cli.moments import duration_text, time_text
from kafka_nextgen.history.answering import Answers
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import (
    CLOCKS_DISAGREE,
    CLUSTER_UNKNOWN,
    MEMBERS_ALONE,
    Fact,
    GroupSummary,
    Holdup,
    MemberSummary,
    Overlap,
    Owner,
    Rebalance,
    Repeat,
    Standstill,
)
from kafka_nextgen.history.grouping import FactsByKind, facts_by_group
from kafka_nextgen.history.rebalancing import most_part
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["print_answers", "print_moment"]

_Kind = TypeVar("_Kind", bound=Fact)

_OF_WHOLE_GROUPS = ("", CLOCKS_DISAGREE, CLUSTER_UNKNOWN, MEMBERS_ALONE)

_REBALANCES = (
    "TIME (UTC)",
    "EPOCH",
    "CAUSE",
    "BY",
    "TOOK",
    "MOVED",
    "STOOD STILL",
    "LAG",
    "HELD UP BY",
    "LAST",
    "DOUBTS",
)
_STANDSTILLS = ("PARTITION", "TIME (UTC)", "STOOD STILL", "LAG", "EPOCH", "FROM", "TO", "CAUSE")
_MEMBERS = (
    "MEMBER",
    "ID",
    "HOST",
    "JOINED",
    "LEFT",
    "PUT OUT",
    "NOT POLLING",
    "LONGEST GAP",
    "CALLBACKS",
    "ERRORS",
)
_WAITS = ("MEMBER", "REBALANCES", "PROCESSING", "COMMIT", "CALLBACK", "COORDINATOR")
_OVERLAPS = ("PARTITION", "TIME (UTC)", "LASTED", "FIRST", "SECOND", "EXCUSED", "DOUBTS")
_REPEATS = ("PARTITION", "TIME (UTC)", "MEMBER", "COMMITTED", "READ UP TO", "RECORDS", "CAUSE")
_EVENTS = ("TIME (UTC)", "KIND", "EPOCH", "MEMBER", "PARTITIONS", "CAUSE", "REASON", "TOOK", "SOURCE")


def print_answers(answers: Answers, top: int) -> None:
    """Print everything, at most ``top`` rows to a table."""
    by_group = facts_by_group(answers)
    for number, summary in enumerate(_all(GroupSummary, answers.facts["groups"])):
        if number:
            say("")
        _heading(summary)
        _group(by_group[summary.cluster, summary.group], top)


def _all(kind: type[_Kind], facts: Iterable[Fact]) -> list[_Kind]:
    return [fact for fact in facts if isinstance(fact, kind)]


def _heading(summary: GroupSummary) -> None:
    say(f"Group {summary.group}, cluster {summary.cluster or 'unknown'}, protocol {summary.protocol or 'unknown'}")
    say(f"  from {time_text(summary.first)} to {time_text(summary.last)} UTC, {summary.events} events")
    share = 100 * summary.unsettled_ms / max(summary.last - summary.first, 1)
    say(
        f"  {summary.rebalances} rebalances, unsettled {duration_text(summary.unsettled_ms)} ({share:.1f} %), "
        f"partitions stood still {duration_text(summary.stood_ms)}, "
        f"{summary.overlaps} overlaps, {summary.repeated} records done twice"
    )
    if summary.marks:
        say(f"  less than certain: {summary.marks}")


def _group(facts: FactsByKind, top: int) -> None:
    def own(kind: type[_Kind], name: str) -> list[_Kind]:
        return _all(kind, facts[name])

    members = own(MemberSummary, "members")
    names = member_names(members)
    rebalances = named(own(Rebalance, "rebalances"), names)
    if rebalances:
        say(_balance(rebalances))
    holdups = named(own(Holdup, "holdups"), names)
    _rebalances("Rebalances", worst_rebalances(rebalances, top), holdups, len(rebalances))
    stood = _between_owners(rebalances, named(own(Standstill, "standstills"), names))
    _table("Standstills", _STANDSTILLS, [_standstill(each) for each in worst_standstills(stood, top)], len(stood))
    held = waits(rebalances, holdups)
    _table("Members that held rebalances up", _WAITS, [_wait(each) for each in held[:top]], len(held))
    moving = restless(members)
    rows = [_member(each, names[each.member]) for each in moving[:top]]
    _table("Members put out, or coming and going", _MEMBERS, rows, len(moving))
    overlaps = sorted(named(own(Overlap, "overlaps"), names), key=lambda each: each.is_excused)
    _table("Owned by two", _OVERLAPS, [_overlap(each) for each in overlaps[:top]], len(overlaps))
    repeats = sorted(named(own(Repeat, "repeats"), names), key=lambda each: each.offset - each.end)
    _table("Lost while uncommitted", _REPEATS, [_repeat(each) for each in repeats[:top]], len(repeats))


def _balance(rebalances: Sequence[Rebalance]) -> str:
    last = rebalances[-1]
    moved, needless = sum(each.moved for each in rebalances), sum(each.needless for each in rebalances)
    own = f"members own {last.fewest} to {last.most} partitions"
    if not last.members:
        own = f"no members since {time_text(last.began)} UTC ({last.cause or 'cause unknown'})"
    return f"  {own}; {moved} moved in all, {needless} of them needlessly"


def _between_owners(rebalances: Sequence[Rebalance], stood: Sequence[Standstill]) -> list[Standstill]:
    """Without those that last because the group has no members: that is said once."""
    is_empty = bool(rebalances) and not rebalances[-1].members
    return [each for each in stood if not (is_empty and each.ended is None)]


def _table(title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]], count: int) -> None:
    if not rows:
        say(f"{title}: none")
        return
    say("")
    say(f"{title}: {count}" if len(rows) == count else f"{title}: the worst {len(rows)} of {count}")
    print_table(header, rows)


def _partition(topic: str, partition: int) -> str:
    return f"{topic}[{partition}]"


def _growth(before: int | None, after: int | None) -> str | None:
    return None if before is None or after is None else f"{after - before:+d}"


def _rebalances(title: str, shown: Sequence[Rebalance], holdups: Sequence[Holdup], count: int) -> None:
    of_epoch = by_epoch(holdups)
    rows = [_rebalance(each, holding_up(each, of_epoch.get(each.epoch, []))) for each in shown]
    _table(title, _REBALANCES, rows, count)


def _rebalance(fact: Rebalance, holdup: Holdup | None) -> tuple[Cell, ...]:
    took = None if fact.ended is None else duration_text(fact.ended - fact.began)
    moved = f"{fact.moved} of {fact.partitions}" + (f", {fact.needless} needlessly" if fact.needless else "")
    stood, grew = duration_text(fact.stood_ms), _growth(fact.lag_before, fact.lag_after)
    who = (fact.cause, fact.by)
    held = (_held(holdup), fact.slowest, _own_marks(fact.marks))
    return (time_text(fact.began), fact.epoch, *who, took, moved, stood, grew, *held)


def _own_marks(marks: str) -> str | None:
    """Those that are not on all facts of the group: the heading says these once."""
    return ", ".join(mark for mark in marks.split(", ") if mark not in _OF_WHOLE_GROUPS) or None


def _held(holdup: Holdup | None) -> str | None:
    if holdup is None:
        return None
    part, ms = most_part(holdup)
    return f"{holdup.member}: {part} {duration_text(ms)}"


def _standstill(fact: Standstill) -> tuple[Cell, ...]:
    stood = "not over" if fact.ended is None else duration_text(fact.ms)
    grew = _growth(fact.lag_before, fact.lag_after)
    where = _partition(fact.topic, fact.partition)
    return (where, time_text(fact.began), stood, grew, fact.epoch, fact.former, fact.member, fact.cause)


def _wait(one: Waits) -> tuple[Cell, ...]:
    parts = (one.processing_ms, one.commit_ms, one.callback_ms, one.coordinator_ms)
    return (one.member, one.rebalances, *(duration_text(part) for part in parts))


def _member(fact: MemberSummary, name: str) -> tuple[Cell, ...]:
    gap, callbacks = duration_text(fact.longest_poll_gap_ms), duration_text(fact.callback_ms)
    counts = (fact.joined, fact.left, fact.fenced, fact.poll_timeouts)
    return (name, fact.member, fact.host, *counts, gap, callbacks, fact.errors)


def _overlap(fact: Overlap) -> tuple[Cell, ...]:
    lasted = "not over" if fact.ended is None else duration_text(fact.ended - fact.began)
    excused = "put out before" if fact.is_excused else "no"
    where = _partition(fact.topic, fact.partition)
    return (where, time_text(fact.began), lasted, fact.first, fact.second, excused, _own_marks(fact.marks))


def _repeat(fact: Repeat) -> tuple[Cell, ...]:
    where = _partition(fact.topic, fact.partition)
    return (where, time_text(fact.at), fact.member, fact.offset, fact.end, fact.end - fact.offset, fact.cause)


def print_moment(moment: Moments, within_ms: int, top: int) -> None:
    """Print what was around one time: all owners, and at most ``top`` times three events."""
    say(f"Group {moment.group}, cluster {moment.cluster or 'unknown'}, at {time_text(moment.at)} UTC")
    names = member_names(moment.members)
    rebalances, holdups = named(moment.rebalances, names), named(moment.holdups, names)
    _rebalances("Rebalances around then", rebalances, holdups, len(rebalances))
    owners = _owned(named(moment.owners, names))
    _table("Owners at that time", ("MEMBER", "PARTITIONS", "ASSIGNMENT"), owners, len(owners))
    places = sorted(range(len(moment.events)), key=lambda place: abs(moment.events[place].at - moment.at))[: top * 3]
    rows = [_event(moment.events[place], names) for place in sorted(places)]
    title = f"Events within {duration_text(within_ms)}"
    if len(rows) < len(moment.events):
        title = f"{title}, the nearest"
    _table(title, _EVENTS, rows, len(rows))
    say("")


def _owned(owners: Sequence[Owner]) -> list[tuple[Cell, ...]]:
    by_member: dict[str | None, list[TopicPartition]] = {}
    for owner in owners:
        by_member.setdefault(owner.member, []).append(TopicPartition(owner.topic, owner.partition))
    named = sorted(by_member.items(), key=lambda item: (item[0] is None, item[0] or ""))
    return [(member or "no owner", len(owned), format_partitions(owned)) for member, owned in named]


def _event(event: Event, names: Mapping[str, str]) -> tuple[Cell, ...]:
    where = None
    if event.topic is not None:
        where = format_partitions(TopicPartition(event.topic, each) for each in event.partitions or ())
    who = (names.get(event.member or "", event.member), where, event.cause, event.reason)
    return (time_text(event.at), event.kind.value, event.epoch, *who, duration_text(event.ms), event.source)

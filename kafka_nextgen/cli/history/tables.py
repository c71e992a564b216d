"""Print an analysis as tables, group by group. Times are UTC."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from kafka_nextgen.cli.history.table_data import (
    HoldupSummary,
    blocking_holdup,
    by_epoch,
    member_names,
    summarize_holdups,
    unstable_members,
    with_member_names,
    worst_rebalances,
    worst_standstills,
)
from kafka_nextgen.cli.output import Cell, print_line, print_table
from kafka_nextgen.cli.times import duration_text, time_text
from kafka_nextgen.history.analysis import Analysis, FactsByKind, facts_by_group
from kafka_nextgen.history.facts import (
    CLOCKS_DISAGREE,
    CLUSTER_UNKNOWN,
    MEMBERS_ALONE,
    Fact,
    GroupSummary,
    Holdup,
    MemberSummary,
    Overlap,
    Rebalance,
    Repeat,
    Standstill,
)
from kafka_nextgen.history.rebalances import longest_part

__all__ = ["print_analysis", "print_rebalances", "print_standstills", "print_table_of"]

_F = TypeVar("_F", bound=Fact)

_GROUP_MARKS = ("", CLOCKS_DISAGREE, CLUSTER_UNKNOWN, MEMBERS_ALONE)

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


def print_analysis(answers: Analysis, top: int) -> None:
    """Print all tables, with at most ``top`` rows each."""
    by_group = facts_by_group(answers)
    for number, summary in enumerate(_all(GroupSummary, answers.facts["groups"])):
        if number:
            print_line("")
        facts = by_group[summary.cluster, summary.group]
        _heading(summary, _all(MemberSummary, facts["members"]))
        _group(facts, top)


def _all(kind: type[_F], facts: Iterable[Fact]) -> list[_F]:
    return [fact for fact in facts if isinstance(fact, kind)]


def _heading(summary: GroupSummary, members: Sequence[MemberSummary]) -> None:
    print_line(
        f"Group {summary.group}, cluster {summary.cluster or 'unknown'}, protocol {summary.protocol or 'unknown'}"
    )
    print_line(f"  from {time_text(summary.first)} to {time_text(summary.last)} UTC, {summary.events} events")
    share = 100 * summary.unsettled_ms / max(summary.last - summary.first, 1)
    print_line(
        f"  {summary.rebalances} rebalances, unsettled {duration_text(summary.unsettled_ms)} ({share:.1f} %), "
        f"partitions stood still {duration_text(summary.stood_ms)}, "
        f"{summary.overlaps} overlaps, {_repeated(summary, members)} records done twice"
    )
    if summary.marks:
        print_line(f"  less than certain: {summary.marks}")


def _repeated(summary: GroupSummary, members: Sequence[MemberSummary]) -> str:
    """A member that died can't report what it read after its last commit; one that did not poll can."""
    may_have_died = any(each.fenced > each.poll_timeouts for each in members)
    return f"at least {summary.repeated}" if may_have_died else str(summary.repeated)


def _group(facts: FactsByKind, top: int) -> None:
    def own(kind: type[_F], name: str) -> list[_F]:
        return _all(kind, facts[name])

    members = own(MemberSummary, "members")
    names = member_names(members)
    rebalances = with_member_names(own(Rebalance, "rebalances"), names)
    if rebalances:
        print_line(_balance(rebalances))
    holdups = with_member_names(own(Holdup, "holdups"), names)
    print_rebalances("Rebalances", worst_rebalances(rebalances, top), holdups, len(rebalances))
    stood = _between_owners(rebalances, with_member_names(own(Standstill, "standstills"), names))
    print_standstills("Standstills", worst_standstills(stood, top), len(stood))
    held = summarize_holdups(rebalances, holdups)
    print_table_of("Members that held rebalances up", _WAITS, [_holdup_row(each) for each in held[:top]], len(held))
    unstable = unstable_members(members)
    rows = [_member_row(each, names[each.member]) for each in unstable[:top]]
    print_table_of("Members put out, or coming and going", _MEMBERS, rows, len(unstable))
    overlaps = sorted(with_member_names(own(Overlap, "overlaps"), names), key=lambda each: each.is_excused)
    print_table_of("Owned by two", _OVERLAPS, [_overlap_row(each) for each in overlaps[:top]], len(overlaps))
    repeats = sorted(with_member_names(own(Repeat, "repeats"), names), key=lambda each: each.offset - each.end)
    print_table_of("Lost while uncommitted", _REPEATS, [_repeat_row(each) for each in repeats[:top]], len(repeats))


def _balance(rebalances: Sequence[Rebalance]) -> str:
    last = rebalances[-1]
    moved, needless = sum(each.moved for each in rebalances), sum(each.needless for each in rebalances)
    own = f"members own {last.fewest} to {last.most} partitions"
    if not last.members:
        own = f"no members since {time_text(last.began)} UTC ({last.cause or 'cause unknown'})"
    return f"  {own}; {moved} moved in all, {needless} of them needlessly"


def _between_owners(rebalances: Sequence[Rebalance], stood: Sequence[Standstill]) -> list[Standstill]:
    """Drop the open standstills of a group without members: the balance line covers them."""
    is_empty = bool(rebalances) and not rebalances[-1].members
    return [each for each in stood if not (is_empty and each.ended is None)]


def print_table_of(title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]], count: int) -> None:
    """Print rows under a title with their number."""
    if not rows:
        print_line(f"{title}: none")
        return
    print_line("")
    print_line(f"{title}: {count}" if len(rows) == count else f"{title}: the worst {len(rows)} of {count}")
    print_table(header, rows)


def _partition(topic: str, partition: int) -> str:
    return f"{topic}[{partition}]"


def _growth(before: int | None, after: int | None) -> str | None:
    return None if before is None or after is None else f"{after - before:+d}"


def print_rebalances(title: str, shown: Sequence[Rebalance], holdups: Sequence[Holdup], count: int) -> None:
    """Print ``shown`` out of ``count`` rebalances, each with its blocking member."""
    of_epoch = by_epoch(holdups)
    rows = [_rebalance_row(each, blocking_holdup(each, of_epoch.get(each.epoch, []))) for each in shown]
    print_table_of(title, _REBALANCES, rows, count)


def _rebalance_row(fact: Rebalance, holdup: Holdup | None) -> tuple[Cell, ...]:
    took = None if fact.ended is None else duration_text(fact.ended - fact.began)
    moved = f"{fact.moved} of {fact.partitions}" + (f", {fact.needless} needlessly" if fact.needless else "")
    stood, grew = duration_text(fact.stood_ms), _growth(fact.lag_before, fact.lag_after)
    who = (fact.cause, fact.by)
    held = (_blocking_text(holdup), fact.slowest, _own_marks(fact.marks))
    return (time_text(fact.began), fact.epoch, *who, took, moved, stood, grew, *held)


def _own_marks(marks: str) -> str | None:
    """Return the marks that are not on all facts of the group, which the heading has."""
    return ", ".join(mark for mark in marks.split(", ") if mark not in _GROUP_MARKS) or None


def _blocking_text(holdup: Holdup | None) -> str | None:
    if holdup is None:
        return None
    part, ms = longest_part(holdup)
    return f"{holdup.member}: {part} {duration_text(ms)}"


def print_standstills(title: str, shown: Sequence[Standstill], count: int) -> None:
    """Print ``shown`` out of ``count`` standstills."""
    print_table_of(title, _STANDSTILLS, [_standstill_row(each) for each in shown], count)


def _standstill_row(fact: Standstill) -> tuple[Cell, ...]:
    stood = "not over" if fact.ended is None else duration_text(fact.ms)
    grew = _growth(fact.lag_before, fact.lag_after)
    where = _partition(fact.topic, fact.partition)
    return (where, time_text(fact.began), stood, grew, fact.epoch, fact.former, fact.member, fact.cause)


def _holdup_row(one: HoldupSummary) -> tuple[Cell, ...]:
    parts = (one.processing_ms, one.commit_ms, one.callback_ms, one.coordinator_ms)
    return (one.member, one.rebalances, *(duration_text(part) for part in parts))


def _member_row(fact: MemberSummary, name: str) -> tuple[Cell, ...]:
    gap, callbacks = duration_text(fact.longest_poll_gap_ms), duration_text(fact.callback_ms)
    counts = (fact.joined, fact.left, fact.fenced, fact.poll_timeouts)
    return (name, fact.member, fact.host, *counts, gap, callbacks, fact.errors)


def _overlap_row(fact: Overlap) -> tuple[Cell, ...]:
    lasted = "not over" if fact.ended is None else duration_text(fact.ended - fact.began)
    excused = "put out before" if fact.is_excused else "no"
    where = _partition(fact.topic, fact.partition)
    return (where, time_text(fact.began), lasted, fact.first, fact.second, excused, _own_marks(fact.marks))


def _repeat_row(fact: Repeat) -> tuple[Cell, ...]:
    where = _partition(fact.topic, fact.partition)
    return (where, time_text(fact.at), fact.member, fact.offset, fact.end, fact.end - fact.offset, fact.cause)

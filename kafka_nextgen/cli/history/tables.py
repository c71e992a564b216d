"""Print an analysis as tables, group by group. Times are UTC."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from kafka_nextgen.cli.history.table_data import (
    HoldupSummary,
    blocking_holdup,
    by_epoch,
    longest_standstill_ms,
    member_names,
    summarize_holdups,
    unstable_members,
    with_member_names,
    worst_rebalances,
    worst_standstills,
)
from kafka_nextgen.cli.output import Columns, print_line, print_rows
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

__all__ = ["STANDSTILLS", "print_analysis", "print_rebalances", "print_shown", "print_worst"]

T = TypeVar("T")
_F = TypeVar("_F", bound=Fact)

#: The maximum number of members that a heading names.
_MOST_NAMED = 3
_GROUP_MARKS = ("", CLOCKS_DISAGREE, CLUSTER_UNKNOWN, MEMBERS_ALONE)

STANDSTILLS: Columns[Standstill] = {
    "PARTITION": lambda fact: _partition(fact),
    "TIME (UTC)": lambda fact: time_text(fact.began),
    "STOOD STILL": lambda fact: "not over" if fact.ended is None else duration_text(fact.ms),
    "LAG": lambda fact: _growth(fact.lag_before, fact.lag_after),
    "EPOCH": lambda fact: fact.epoch,
    "FROM": lambda fact: fact.former,
    "TO": lambda fact: fact.member,
    "CAUSE": lambda fact: fact.cause,
}
_WAITS: Columns[HoldupSummary] = {
    "MEMBER": lambda held: held.member,
    "REBALANCES": lambda held: held.rebalances,
    "PROCESSING": lambda held: duration_text(held.processing_ms),
    "COMMIT": lambda held: duration_text(held.commit_ms),
    "CALLBACK": lambda held: duration_text(held.callback_ms),
    "COORDINATOR": lambda held: duration_text(held.coordinator_ms),
}
_MEMBERS: Columns[MemberSummary] = {
    "ID": lambda fact: fact.member,
    "HOST": lambda fact: fact.host,
    "JOINED": lambda fact: fact.joined,
    "LEFT": lambda fact: fact.left,
    "FENCED": lambda fact: fact.fenced,
    "NOT POLLING": lambda fact: fact.poll_timeouts,
    "LONGEST GAP": lambda fact: duration_text(fact.longest_poll_gap_ms),
    "CALLBACKS": lambda fact: duration_text(fact.callback_ms),
    "ERRORS": lambda fact: fact.errors,
}
_OVERLAPS: Columns[Overlap] = {
    "PARTITION": lambda fact: _partition(fact),
    "TIME (UTC)": lambda fact: time_text(fact.began),
    "LASTED": lambda fact: "not over" if fact.ended is None else duration_text(fact.ended - fact.began),
    "FIRST": lambda fact: fact.first,
    "SECOND": lambda fact: fact.second,
    "EXCUSED": lambda fact: "fenced before" if fact.is_excused else "no",
    "DOUBTS": lambda fact: _own_marks(fact.marks),
}
_REPEATS: Columns[Repeat] = {
    "PARTITION": lambda fact: _partition(fact),
    "TIME (UTC)": lambda fact: time_text(fact.at),
    "MEMBER": lambda fact: fact.member,
    "COMMITTED": lambda fact: fact.offset,
    "READ UP TO": lambda fact: fact.end,
    "RECORDS": lambda fact: fact.end - fact.offset,
    "CAUSE": lambda fact: fact.cause,
}


def print_analysis(answers: Analysis, top: int) -> None:
    """Print all tables, with at most ``top`` rows each."""
    by_group = facts_by_group(answers)
    for number, summary in enumerate(_all(GroupSummary, answers.facts["groups"])):
        if number:
            print_line("")
        facts = by_group[summary.cluster, summary.group]
        _print_group(summary, facts, top)


def _all(kind: type[_F], facts: Iterable[Fact]) -> list[_F]:
    return [fact for fact in facts if isinstance(fact, kind)]


def _print_group(summary: GroupSummary, facts: FactsByKind, top: int) -> None:
    def own(kind: type[_F], name: str) -> list[_F]:
        return _all(kind, facts[name])

    members = own(MemberSummary, "members")
    names = member_names(members)
    rebalances = with_member_names(own(Rebalance, "rebalances"), names)
    holdups = with_member_names(own(Holdup, "holdups"), names)
    stood = _between_owners(rebalances, with_member_names(own(Standstill, "standstills"), names))
    _heading(summary, stood, _repeated(summary, members, names))
    if rebalances:
        print_line(_balance(rebalances))
    print_rebalances("Rebalances", worst_rebalances(rebalances, top), holdups, stood, summary.last, len(rebalances))
    print_worst("Standstills", STANDSTILLS, worst_standstills(stood), top)
    print_worst("Members that held up rebalances", _WAITS, summarize_holdups(rebalances, holdups), top)
    columns: Columns[MemberSummary] = {"MEMBER": lambda fact: names[fact.member], **_MEMBERS}
    print_worst("Members that were fenced, rejoined or had errors", columns, unstable_members(members), top)
    overlaps = sorted(with_member_names(own(Overlap, "overlaps"), names), key=lambda each: each.is_excused)
    print_worst("Partitions with two owners", _OVERLAPS, overlaps, top)
    repeats = sorted(with_member_names(own(Repeat, "repeats"), names), key=lambda each: each.offset - each.end)
    print_worst("Partitions lost before a commit", _REPEATS, repeats, top)


def _heading(summary: GroupSummary, stood: Sequence[Standstill], repeated: str) -> None:
    print_line(
        f"Group {summary.group}, cluster {summary.cluster or 'unknown'}, protocol {summary.protocol or 'unknown'}"
    )
    print_line(f"  from {time_text(summary.first)} to {time_text(summary.last)} UTC, {summary.events} events")
    share = 100 * summary.unsettled_ms / max(summary.last - summary.first, 1)
    print_line(
        f"  {summary.rebalances} rebalances, in rebalance {duration_text(summary.unsettled_ms)} ({share:.1f} %), "
        f"longest standstill of a partition {duration_text(longest_standstill_ms(stood, summary.last))}, "
        f"{summary.overlaps} overlaps"
    )
    print_line(f"  records processed twice: {repeated}")
    if summary.marks:
        print_line(f"  doubts: {summary.marks}")


def _repeated(summary: GroupSummary, members: Sequence[MemberSummary], names: Mapping[str, str]) -> str:
    """A crashed member can't report its position after its last commit; a member that did not poll can."""
    silent = [names[each.member] for each in members if each.fenced > each.poll_timeouts]
    if not silent:
        return str(summary.repeated)
    who = ", ".join(silent[:_MOST_NAMED]) + (f" and {more} more" if (more := len(silent) - _MOST_NAMED) > 0 else "")
    known = f"at least {summary.repeated}" if summary.repeated else "unknown"
    return f"{known}; this does not include records that {who} read after the last commit and could not report"


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


def print_worst(title: str, columns: Columns[T], values: Sequence[T], top: int | None = None) -> None:
    """Print the first ``top`` values, or all, under a title with their number."""
    print_shown(title, columns, values[:top], len(values))


def print_shown(title: str, columns: Columns[T], shown: Sequence[T], count: int) -> None:
    """Print ``shown`` out of ``count`` values under a title."""
    if not shown:
        print_line(f"{title}: none")
        return
    print_line("")
    print_line(f"{title}: {count}" if len(shown) == count else f"{title}: the worst {len(shown)} of {count}")
    print_rows(columns, shown)


def print_rebalances(
    title: str,
    shown: Sequence[Rebalance],
    holdups: Sequence[Holdup],
    stood: Sequence[Standstill],
    last: int,
    count: int,
) -> None:
    """Print ``shown`` out of ``count`` rebalances, each with its blocking member; the log ends at ``last``."""
    print_shown(title, _rebalance_columns(by_epoch(holdups), by_epoch(stood), last), shown, count)


def _rebalance_columns(
    holdups: Mapping[int | None, Sequence[Holdup]], stood: Mapping[int | None, Sequence[Standstill]], last: int
) -> Columns[Rebalance]:
    return {
        "TIME (UTC)": lambda fact: time_text(fact.began),
        "EPOCH": lambda fact: fact.epoch,
        "CAUSE": lambda fact: fact.cause,
        "BY": lambda fact: fact.by,
        "TOOK": lambda fact: None if fact.ended is None else duration_text(fact.ended - fact.began),
        "MOVED": lambda fact: _moved(fact),
        "STOOD STILL": lambda fact: duration_text(longest_standstill_ms(stood.get(fact.epoch, ()), last)),
        "LAG": lambda fact: _growth(fact.lag_before, fact.lag_after),
        "HELD UP BY": lambda fact: _blocking_text(blocking_holdup(fact, holdups.get(fact.epoch, []))),
        "LAST": lambda fact: fact.slowest,
        "DOUBTS": lambda fact: _own_marks(fact.marks),
    }


def _partition(fact: Standstill | Overlap | Repeat) -> str:
    return f"{fact.topic}[{fact.partition}]"


def _growth(before: int | None, after: int | None) -> str | None:
    return None if before is None or after is None else f"{after - before:+d}"


def _moved(fact: Rebalance) -> str:
    needless = f", {fact.needless} needlessly" if fact.needless else ""
    return f"{fact.moved} of {fact.partitions}{needless}"


def _own_marks(marks: str) -> str | None:
    """Return the marks that are not on all facts of the group; the heading shows those that are."""
    return ", ".join(mark for mark in marks.split(", ") if mark not in _GROUP_MARKS) or None


def _blocking_text(holdup: Holdup | None) -> str | None:
    if holdup is None:
        return None
    part, ms = holdup.longest_part
    return f"{holdup.member}: {part} {duration_text(ms)}"

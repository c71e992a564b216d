"""A group around one time: owners, rebalances, standstills and events, as values and as tables.

All printed times are UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import evolve

from kafka_nextgen.cli.history.table_data import member_names, with_member_names
from kafka_nextgen.cli.history.tables import STANDSTILLS, print_rebalances, print_worst
from kafka_nextgen.cli.output import Columns, print_line
from kafka_nextgen.cli.times import duration_text, time_text
from kafka_nextgen.history.events import FREQUENT_KINDS, Event
from kafka_nextgen.history.facts import Holdup, MemberSummary, Owner, Rebalance, Standstill
from kafka_nextgen.history.folding import fold
from kafka_nextgen.history.ordering import in_order
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Snapshot", "print_snapshot", "snapshot_at"]

#: A member (None: no member) and the partitions that it owns.
_OWNERS: Columns[tuple[str | None, Sequence[Owner]]] = {
    "MEMBER": lambda row: row[0] or "no owner",
    "PARTITIONS": lambda row: len(row[1]),
    "LAG": lambda row: _total_lag(row[1]),
    "ASSIGNMENT": lambda row: format_partitions(TopicPartition(owner.topic, owner.partition) for owner in row[1]),
}
_EVENTS: Columns[Event] = {
    "TIME (UTC)": lambda event: time_text(event.at),
    "KIND": lambda event: event.kind.value,
    "EPOCH": lambda event: event.epoch,
    "MEMBER": lambda event: event.member,
    "PARTITIONS": lambda event: _partitions(event),
    "CAUSE": lambda event: event.cause,
    "REASON": lambda event: event.reason,
    "TOOK": lambda event: duration_text(event.ms),
    "SOURCE": lambda event: event.source,
}


@frozen
class Snapshot:
    """One group around one time; all times are ms since the Unix epoch. Its log covers ``first`` to ``last``."""

    cluster: str
    group: str
    at: int
    first: int
    last: int
    rebalances: Sequence[Rebalance]
    holdups: Sequence[Holdup]
    standstills: Sequence[Standstill]
    owners: Sequence[Owner]
    events: Sequence[Event]
    members: Sequence[MemberSummary]


def snapshot_at(cluster: str, group: str, events: Sequence[Event], at: int, within_ms: int) -> Snapshot:
    """Return the state at ``at``, and what happened or was in progress within ``within_ms`` of it."""
    first, last = at - within_ms, at + within_ms
    ordered, marks = in_order(events)
    facts = list(fold(ordered, marks))
    rebalances = [each for each in facts if isinstance(each, Rebalance) and _is_near(each, first, last)]
    holdups = [each for each in facts if isinstance(each, Holdup) and _is_near(each, first, last)]
    standstills = [each for each in facts if isinstance(each, Standstill) and _is_near(each, first, last)]
    members = [each for each in facts if isinstance(each, MemberSummary)]
    known = fold((event for event in ordered if event.at <= at), marks)
    owners = [each for each in known if isinstance(each, Owner)]
    near = [each for each in ordered if first <= each.at <= last and each.kind not in FREQUENT_KINDS]
    begin, end = ordered[0].at, ordered[-1].at
    return Snapshot(cluster, group, at, begin, end, rebalances, holdups, standstills, owners, near, members)


def _is_near(fact: Rebalance | Holdup | Standstill, first: int, last: int) -> bool:
    return fact.began <= last and (fact.ended is None or fact.ended >= first)


def print_snapshot(snapshot: Snapshot, within_ms: int, top: int) -> None:
    """Print a snapshot with all owners, and at most three times ``top`` events."""
    print_line(f"Group {snapshot.group}, cluster {snapshot.cluster or 'unknown'}, at {time_text(snapshot.at)} UTC")
    if not snapshot.first <= snapshot.at <= snapshot.last:
        first, last = time_text(snapshot.first), time_text(snapshot.last)
        print_line(f"  the log covers {first} to {last} UTC, but not this time")
    names = member_names(snapshot.members)
    rebalances, holdups = with_member_names(snapshot.rebalances, names), with_member_names(snapshot.holdups, names)
    stood = with_member_names(snapshot.standstills, names)
    print_rebalances("Rebalances around that time", rebalances, holdups, stood, snapshot.last, len(rebalances))
    print_worst("Partitions that stood still around that time", STANDSTILLS, stood)
    print_worst("Owners at that time", _OWNERS, _by_member(with_member_names(snapshot.owners, names)))
    _print_events(snapshot, within_ms, top, names)
    print_line("")


def _print_events(snapshot: Snapshot, within_ms: int, top: int, names: Mapping[str, str]) -> None:
    nearest = sorted(range(len(snapshot.events)), key=lambda place: abs(snapshot.events[place].at - snapshot.at))
    shown = [snapshot.events[place] for place in sorted(nearest[: top * 3])]
    title = f"Events within {duration_text(within_ms)}"
    if len(shown) < len(snapshot.events):
        title = f"{title}, the nearest"
    named = [evolve(event, member=names.get(event.member or "", event.member)) for event in shown]
    print_worst(title, _EVENTS, named)


def _by_member(owners: Sequence[Owner]) -> list[tuple[str | None, Sequence[Owner]]]:
    by_member: dict[str | None, list[Owner]] = {}
    for owner in owners:
        by_member.setdefault(owner.member, []).append(owner)
    return sorted(by_member.items(), key=lambda item: (item[0] is None, item[0] or ""))


def _total_lag(owned: Sequence[Owner]) -> int | None:
    """Return the total of the known lags."""
    known = [owner.lag for owner in owned if owner.lag is not None]
    return sum(known) if known else None


def _partitions(event: Event) -> str | None:
    if event.topic is None:
        return None
    return format_partitions(TopicPartition(event.topic, each) for each in event.partitions or ())

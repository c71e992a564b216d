"""A group around one point in time: owners, rebalances, standstills and events, as values and as tables.

All printed times are UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from kafka_nextgen.cli.history.log import GroupHistory
from kafka_nextgen.cli.history.table_data import member_names, with_member_names
from kafka_nextgen.cli.history.tables import print_rebalances, print_standstills, print_table_of
from kafka_nextgen.cli.output import Cell, print_line
from kafka_nextgen.cli.times import duration_text, time_text
from kafka_nextgen.history.events import FREQUENT_KINDS, Event
from kafka_nextgen.history.facts import Holdup, MemberSummary, Owner, Rebalance, Standstill
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["Snapshot", "print_snapshot", "snapshot_at"]

_OWNERS_HEADER = ("MEMBER", "PARTITIONS", "LAG", "ASSIGNMENT")
_EVENTS_HEADER = ("TIME (UTC)", "KIND", "EPOCH", "MEMBER", "PARTITIONS", "CAUSE", "REASON", "TOOK", "SOURCE")


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


def snapshot_at(group: GroupHistory, at: int, within_ms: int) -> Snapshot:
    """Return the state at ``at``, and what happened or lasted within ``within_ms`` of it."""
    first, last = at - within_ms, at + within_ms
    facts = list(group.facts())
    rebalances = [each for each in facts if isinstance(each, Rebalance) and _is_near(each, first, last)]
    holdups = [each for each in facts if isinstance(each, Holdup) and _is_near(each, first, last)]
    standstills = [each for each in facts if isinstance(each, Standstill) and _is_near(each, first, last)]
    members = [each for each in facts if isinstance(each, MemberSummary)]
    owners = [each for each in group.facts(at) if isinstance(each, Owner)]
    events = [each for each in group.events if first <= each.at <= last and each.kind not in FREQUENT_KINDS]
    events.sort(key=lambda each: each.at)
    times = [each.at for each in group.events]
    lasted = (min(times, default=at), max(times, default=at))
    return Snapshot(group.cluster, group.group, at, *lasted, rebalances, holdups, standstills, owners, events, members)


def _is_near(fact: Rebalance | Holdup | Standstill, first: int, last: int) -> bool:
    return fact.began <= last and (fact.ended is None or fact.ended >= first)


def print_snapshot(snapshot: Snapshot, within_ms: int, top: int) -> None:
    """Print a snapshot with all owners, and at most three times ``top`` events."""
    print_line(f"Group {snapshot.group}, cluster {snapshot.cluster or 'unknown'}, at {time_text(snapshot.at)} UTC")
    if not snapshot.first <= snapshot.at <= snapshot.last:
        first, last = time_text(snapshot.first), time_text(snapshot.last)
        print_line(f"  the log tells of {first} to {last} UTC, and of nothing at that time")
    names = member_names(snapshot.members)
    rebalances, holdups = with_member_names(snapshot.rebalances, names), with_member_names(snapshot.holdups, names)
    print_rebalances("Rebalances around then", rebalances, holdups, len(rebalances))
    stood = with_member_names(snapshot.standstills, names)
    print_standstills("Partitions that stood still around then", stood, len(stood))
    owners = _owner_rows(with_member_names(snapshot.owners, names))
    print_table_of("Owners at that time", _OWNERS_HEADER, owners, len(owners))
    _print_events(snapshot, within_ms, top, names)
    print_line("")


def _print_events(snapshot: Snapshot, within_ms: int, top: int, names: Mapping[str, str]) -> None:
    places = sorted(range(len(snapshot.events)), key=lambda place: abs(snapshot.events[place].at - snapshot.at))[
        : top * 3
    ]
    rows = [_event_row(snapshot.events[place], names) for place in sorted(places)]
    title = f"Events within {duration_text(within_ms)}"
    if len(rows) < len(snapshot.events):
        title = f"{title}, the nearest"
    print_table_of(title, _EVENTS_HEADER, rows, len(rows))


def _owner_rows(owners: Sequence[Owner]) -> list[tuple[Cell, ...]]:
    by_member: dict[str | None, list[Owner]] = {}
    for owner in owners:
        by_member.setdefault(owner.member, []).append(owner)
    ordered = sorted(by_member.items(), key=lambda item: (item[0] is None, item[0] or ""))
    return [(member or "no owner", len(owned), _total_lag(owned), _partitions(owned)) for member, owned in ordered]


def _total_lag(owned: Sequence[Owner]) -> int | None:
    """Return the total of the known lags."""
    known = [owner.lag for owner in owned if owner.lag is not None]
    return sum(known) if known else None


def _partitions(owned: Sequence[Owner]) -> str:
    return format_partitions(TopicPartition(owner.topic, owner.partition) for owner in owned)


def _event_row(event: Event, names: Mapping[str, str]) -> tuple[Cell, ...]:
    where = None
    if event.topic is not None:
        where = format_partitions(TopicPartition(event.topic, each) for each in event.partitions or ())
    who = (names.get(event.member or "", event.member), where, event.cause, event.reason)
    return (time_text(event.at), event.kind.value, event.epoch, *who, duration_text(event.ms), event.source)

"""What was around one time, as tables; times are UTC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafka_nextgen.cli.groups.printing import Cell, say
from kafka_nextgen.cli.history.moment import Moments
from kafka_nextgen.cli.history.naming import member_names, named
from kafka_nextgen.cli.history.tables import print_rebalances, print_standstills, print_table_of
from kafka_nextgen.cli.moments import duration_text, time_text
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.facts import Owner
from kafka_nextgen.types import TopicPartition, format_partitions

__all__ = ["print_moment"]

_OWNERS = ("MEMBER", "PARTITIONS", "LAG", "ASSIGNMENT")
_EVENTS = ("TIME (UTC)", "KIND", "EPOCH", "MEMBER", "PARTITIONS", "CAUSE", "REASON", "TOOK", "SOURCE")


def print_moment(moment: Moments, within_ms: int, top: int) -> None:
    """Print what was around one time: all owners, and at most ``top`` times three events."""
    say(f"Group {moment.group}, cluster {moment.cluster or 'unknown'}, at {time_text(moment.at)} UTC")
    if not moment.first <= moment.at <= moment.last:
        say(
            f"  the log tells of {time_text(moment.first)} to {time_text(moment.last)} UTC, and of nothing at that time"
        )
    names = member_names(moment.members)
    rebalances, holdups = named(moment.rebalances, names), named(moment.holdups, names)
    print_rebalances("Rebalances around then", rebalances, holdups, len(rebalances))
    stood = named(moment.standstills, names)
    print_standstills("Partitions that stood still around then", stood, len(stood))
    owners = _owned(named(moment.owners, names))
    print_table_of("Owners at that time", _OWNERS, owners, len(owners))
    _events(moment, within_ms, top, names)
    say("")


def _events(moment: Moments, within_ms: int, top: int, names: Mapping[str, str]) -> None:
    places = sorted(range(len(moment.events)), key=lambda place: abs(moment.events[place].at - moment.at))[: top * 3]
    rows = [_event(moment.events[place], names) for place in sorted(places)]
    title = f"Events within {duration_text(within_ms)}"
    if len(rows) < len(moment.events):
        title = f"{title}, the nearest"
    print_table_of(title, _EVENTS, rows, len(rows))


def _owned(owners: Sequence[Owner]) -> list[tuple[Cell, ...]]:
    by_member: dict[str | None, list[Owner]] = {}
    for owner in owners:
        by_member.setdefault(owner.member, []).append(owner)
    ordered = sorted(by_member.items(), key=lambda item: (item[0] is None, item[0] or ""))
    return [(member or "no owner", len(owned), _lag(owned), _partitions(owned)) for member, owned in ordered]


def _lag(owned: Sequence[Owner]) -> int | None:
    """Of all of them together, as far as it is known."""
    known = [owner.lag for owner in owned if owner.lag is not None]
    return sum(known) if known else None


def _partitions(owned: Sequence[Owner]) -> str:
    return format_partitions(TopicPartition(owner.topic, owner.partition) for owner in owned)


def _event(event: Event, names: Mapping[str, str]) -> tuple[Cell, ...]:
    where = None
    if event.topic is not None:
        where = format_partitions(TopicPartition(event.topic, each) for each in event.partitions or ())
    who = (names.get(event.member or "", event.member), where, event.cause, event.reason)
    return (time_text(event.at), event.kind.value, event.epoch, *who, duration_text(event.ms), event.source)

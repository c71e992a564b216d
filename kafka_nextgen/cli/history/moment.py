"""What was around one time: who owned what, what stood still, which rebalances were under way, and what happened."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kafka_nextgen.cli.history.loading import GroupHistory
from kafka_nextgen.history.events import FREQUENT_KINDS, Event
from kafka_nextgen.history.facts import Holdup, MemberSummary, Owner, Rebalance, Standstill

__all__ = ["Moments", "moment_of"]


@frozen
class Moments:
    """One group around one time; all times are ms since the epoch. Its log tells of ``first`` to ``last``."""

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


def moment_of(group: GroupHistory, at: int, within_ms: int) -> Moments:
    """What was at ``at``, and what happened or lasted within ``within_ms`` before and after."""
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
    return Moments(group.cluster, group.group, at, *lasted, rebalances, holdups, standstills, owners, events, members)


def _is_near(fact: Rebalance | Holdup | Standstill, first: int, last: int) -> bool:
    return fact.began <= last and (fact.ended is None or fact.ended >= first)

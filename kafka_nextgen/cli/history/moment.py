"""What was around one time: who owned what, which rebalances were under way, and what happened before and after."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from kafka_nextgen.cli.history.loading import GroupHistory
from kafka_nextgen.history.events import FREQUENT, Event
from kafka_nextgen.history.facts import Holdup, MemberSummary, Owner, Rebalance

__all__ = ["Moments", "moment_of"]


@frozen
class Moments:
    """One group around one time; all times are ms since the epoch."""

    cluster: str
    group: str
    at: int
    rebalances: Sequence[Rebalance]
    holdups: Sequence[Holdup]
    owners: Sequence[Owner]
    events: Sequence[Event]
    members: Sequence[MemberSummary]


def moment_of(group: GroupHistory, at: int, within_ms: int) -> Moments:
    """What was at ``at``, and the events and rebalances of ``within_ms`` before and after."""
    first, last = at - within_ms, at + within_ms
    facts = list(group.facts())
    rebalances = [each for each in facts if isinstance(each, Rebalance) and _is_near(each, first, last)]
    holdups = [each for each in facts if isinstance(each, Holdup) and _is_near(each, first, last)]
    members = [each for each in facts if isinstance(each, MemberSummary)]
    owners = [each for each in group.facts(at) if isinstance(each, Owner)]
    events = [each for each in group.events if first <= each.at <= last and each.kind not in FREQUENT]
    events.sort(key=lambda each: each.at)
    return Moments(group.cluster, group.group, at, rebalances, holdups, owners, events, members)


def _is_near(fact: Rebalance | Holdup, first: int, last: int) -> bool:
    return fact.began <= last and (fact.ended is None or fact.ended >= first)

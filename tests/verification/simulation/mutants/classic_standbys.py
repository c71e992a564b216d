"""Bugs around ``HotStandby``, by which the leader of a classic group keeps members in reserve: which it chooses, what
it says to the others, and what these make of that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafka_nextgen.assignors import hot_standby
from kafka_nextgen.assignors.hot_standby import HotStandby
from kafka_nextgen.engine.member.standby import Standby
from tests.verification.simulation.mutants.planting import Garden, Plant, nothing


def _is_told_once(garden: Garden) -> None:
    def instead(note_named: Any, standby: Standby, place: int, may_get: Any) -> None:
        note_named(standby, place, frozenset(standby.may_get) if standby.place else may_get)

    garden.wrap(Standby, "note_named", instead)


CLASSIC_STANDBYS: Mapping[str, Plant] = {
    "hot-standby-replaces": lambda garden: garden.wrap(
        HotStandby, "_active", lambda active, assignor, group, in_order: active(assignor, group, sorted(in_order))
    ),
    "hot-standby-names-all": lambda garden: garden.wrap(
        hot_standby,
        "_may_get",
        lambda may_get, group, shared, member_id: frozenset().union(
            *(may_get(group, shared, each) for each in group.members)
        ),
    ),
    "hot-standby-stays": lambda garden: garden.set(Standby, "end", nothing),
    "hot-standby-told-once": _is_told_once,
}

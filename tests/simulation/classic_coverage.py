"""What runs with clients of the classic protocol went through: each arrow of the members' table, and each transition of
a group from one protocol to the other. ``NAMES`` are all that there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from kafka_nextgen.coordinator import records as r
from kafka_nextgen.coordinator.coordinator import Outcome
from kafka_nextgen.membership.classic.member import ClassicMember, is_late
from kafka_nextgen.membership.classic.transitions import RULES

__all__ = ["NAMES", "counted_classic", "transition_in"]

_handle = ClassicMember.handle

_ARROWS = {
    (rule.status, rule.event, to): f"classic member {rule.status.name} --{rule.event.__name__}--> {to.name}"
    for rule in RULES
    for to in sorted(rule.to, key=lambda status: status.name)
}
_UPGRADE = "migration: a classic group with members becomes a consumer group"
_DOWNGRADE = "migration: a consumer group with members becomes a classic group"
_EMPTY_CLASSIC = "migration: an empty classic group makes room for a consumer group"
_EMPTY_CONSUMER = "migration: an empty consumer group makes room for a classic group"

#: All that can be counted.
NAMES = (*_ARROWS.values(), _UPGRADE, _DOWNGRADE, _EMPTY_CLASSIC, _EMPTY_CONSUMER)


@contextmanager
def counted_classic(met: Counter[str]) -> Iterator[None]:
    """Count arrows while the block runs."""

    def handle(self: ClassicMember, event: object, now: float, chance: float) -> tuple[object, ...]:
        before = None if is_late(self.state, event) else self.status  # type: ignore[arg-type]
        effects = _handle(self, event, now, chance)  # type: ignore[arg-type]
        if before is not None and (name := _ARROWS.get((before, type(event), self.status))):
            met[name] += 1
        return effects

    with patch.object(ClassicMember, "handle", handle):
        yield


def transition_in(outcome: Outcome) -> str | None:
    """How an outcome takes a group from one protocol to the other, if it does."""
    kinds = {type(record) for record in outcome.records}
    if {r.ClassicGroupMetadataRemoved, r.GroupMetadata} <= kinds:
        classic = [each for each in outcome.records if isinstance(each, r.MemberMetadata) and each.classic is not None]
        return _UPGRADE if classic else _EMPTY_CLASSIC
    if {r.ClassicGroupMetadata, r.GroupMetadataRemoved} <= kinds:
        return _DOWNGRADE if r.MemberMetadataRemoved in kinds else _EMPTY_CONSUMER
    return None

"""What a run went through: each arrow, rule and row has to be met somewhere, or else the runs prove nothing of it.

Counted are, by name: each arrow of the members' table, each rule of ``coordinator/admission.py`` that refused a
request, and each row of the table in ``coordinator/reconciliation.py``. ``NAMES`` are all that there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator import reconciliation
from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.membership.member import Member, is_late
from kafka_nextgen.membership.transitions import RULES
from tests.simulation import classic_coverage

__all__ = ["NAMES", "counted", "rule_of"]

_ReconciliationInput = reconciliation.ReconciliationInput
_reconcile = reconciliation.reconcile
_handle = Member.handle

_ARROWS = {
    (rule.status, rule.event, to): f"member {rule.status.name} --{rule.event.__name__}--> {to.name}"
    for rule in RULES
    for to in sorted(rule.to, key=lambda status: status.name)
}
_ROWS = (
    "reconciliation: stable at the target",
    "reconciliation: stable at the target, gives up what it does not subscribe to",
    "reconciliation: stable at an older epoch",
    "reconciliation: unrevoked, not acknowledged",
    "reconciliation: unrevoked, not acknowledged, gives up what it does not subscribe to",
    "reconciliation: unrevoked, acknowledged",
    "reconciliation: unreleased",
)
_REFUSALS = {
    (ErrorCode.GROUP_ID_NOT_FOUND, False): "fencing: the group does not exist",
    (ErrorCode.GROUP_MAX_SIZE_REACHED, False): "fencing: the group is full",
    (ErrorCode.UNRELEASED_INSTANCE_ID, True): "fencing: the instance is held",
    (ErrorCode.UNKNOWN_MEMBER_ID, True): "fencing: the instance is unknown",
    (ErrorCode.FENCED_INSTANCE_ID, True): "fencing: the instance is another member's",
    (ErrorCode.UNKNOWN_MEMBER_ID, False): "fencing: the member is unknown",
    (ErrorCode.FENCED_MEMBER_EPOCH, False): "fencing: the epoch is not the member's",
}

#: All that can be counted.
NAMES = (*_ARROWS.values(), *_ROWS, *_REFUSALS.values(), *classic_coverage.NAMES)


def rule_of(request: ConsumerGroupHeartbeat, error: ErrorCode) -> str | None:
    """The rule of admission that refused a heartbeat, if it was one of these."""
    is_static = request.instance_id is not None
    return _REFUSALS.get((error, is_static)) or _REFUSALS.get((error, False))


@contextmanager
def counted(met: Counter[str]) -> Iterator[None]:
    """Count arrows and rows while the block runs."""

    def reconcile(current: CurrentMemberAssignment, course: _ReconciliationInput) -> CurrentMemberAssignment:
        reached = _reconcile(current, course)
        met[_row(current, course, reached is not current)] += 1
        return reached

    def handle(self: Member, event: object, now: float, chance: float) -> tuple[object, ...]:
        before = None if is_late(self.state, event) else self.status  # type: ignore[arg-type]
        effects = _handle(self, event, now, chance)  # type: ignore[arg-type]
        if before is not None and (name := _ARROWS.get((before, type(event), self.status))):
            met[name] += 1
        return effects

    with (
        classic_coverage.counted_classic(met),
        patch("kafka_nextgen.coordinator.reconciliation.reconcile", reconcile),
        patch.object(Member, "handle", handle),
    ):
        yield


def _row(current: CurrentMemberAssignment, course: _ReconciliationInput, changes: bool) -> str:
    trims = course.trims and changes
    if current.status is MemberStatus.STABLE and current.member_epoch == course.target_epoch:
        return _ROWS[1] if trims else _ROWS[0]
    if current.status is MemberStatus.STABLE:
        return _ROWS[2]
    if current.status is MemberStatus.UNRELEASED_PARTITIONS:
        return _ROWS[6]
    if course.shows_gone({partition for partition, _ in current.pending_revocation}):
        return _ROWS[5]
    return _ROWS[4] if trims else _ROWS[3]

"""What a run went through: each arrow, rule and row has to be met somewhere, or else the runs prove nothing of it.

Counted are, by name: each arrow of the members' tables, each rule of ``coordinator/admission.py`` that refused a
request, each row of the table in ``coordinator/reconciliation.py``, and each transition of a group from one protocol
to the other. ``NAMES`` are all that there are.

``UNMET`` is the closed list of those that no run has to meet, and why. Each of them is walked by a scenario none the
less (``tests/scenarios/test_arrows.py``), which is named here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from attrs import evolve, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups import records as r
from kafka_nextgen.groups.records import CurrentMemberAssignment, MemberStatus
from kafka_nextgen.membership import member, transitions
from kafka_nextgen.membership.classic import member as classic_member
from kafka_nextgen.membership.classic import transitions as classic_transitions
from kafka_nextgen.membership.events import StandbyStateChanged
from kafka_nextgen.membership.states import Status
from kafka_nextgen.testing.coordinator import reconciliation
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat

_ReconciliationInput = reconciliation.ReconciliationInput
_reconcile = reconciliation.reconcile

_Arrows = Mapping[tuple[object, type, object], str]


def _arrows(rules: Iterable[Any], who: str) -> _Arrows:
    return {
        (rule.status, rule.event, to): f"{who} {rule.status.name} --{rule.event.__name__}--> {to.name}"
        for rule in rules
        for to in sorted(rule.to, key=lambda status: status.name)
    }


_ARROWS = _arrows(transitions.RULES, "member")
_CLASSIC_ARROWS = _arrows(classic_transitions.RULES, "classic member")
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
_UPGRADE = "migration: a classic group with members becomes a consumer group"
_DOWNGRADE = "migration: a consumer group with members becomes a classic group"
_EMPTY_CLASSIC = "migration: an empty classic group makes room for a consumer group"
_EMPTY_CONSUMER = "migration: an empty consumer group makes room for a classic group"

#: All that can be counted.
NAMES = (
    *(*_ARROWS.values(), *_ROWS, *_REFUSALS.values()),
    *(*_CLASSIC_ARROWS.values(), _UPGRADE, _DOWNGRADE, _EMPTY_CLASSIC, _EMPTY_CONSUMER),
)


@frozen
class Unmet:
    """Why it need not come, and the scenario in which it comes."""

    why: str
    scenario: str


_OF_STANDBYS = Unmet("only standbys say whether they are ready, in runs with --standbys", "member/standby_state.txt")
_LEAVING_STANDBYS = evolve(_OF_STANDBYS, scenario="member/standby_state_leaving.txt")
_OUT = (Status.UNSUBSCRIBED, Status.PREPARE_LEAVING, Status.LEAVING, Status.STALE)

UNMET: Mapping[str, Unmet] = {
    **{
        name: _LEAVING_STANDBYS if status in _OUT else _OF_STANDBYS
        for (status, event, _), name in _ARROWS.items()
        if event is StandbyStateChanged
    },
    "member JOINING --HeartbeatAnswered--> JOINING": Unmet(
        "only coordinators before Kafka 4.3 answer a join with epoch 0, and those here are of 4.3 and 4.4",
        "member/join_disturbed.txt",
    ),
    "classic member PREPARING --JoinAnswered--> FATAL": Unmet(
        "our coordinator does not let members of another protocol type, or with another assignor, into the group",
        "classic/join_fatal.txt",
    ),
    "classic member COMPLETING --SyncAnswered--> FATAL": Unmet(
        "our coordinator answers with the protocol type and the assignor that the member joined with",
        "classic/sync_refused.txt",
    ),
    "classic member COMPLETING --CommitRefused--> FATAL": Unmet(
        "only classic groups refuse a commit with FENCED_INSTANCE_ID, and only after a downgrade by a static member "
        "that came back do these tell a member the generation in which it commits: within milliseconds of that "
        "another would have to take its instance id",
        "classic/commit_refused_while_syncing.txt",
    ),
    "classic member COMPLETING --CommitRefused--> PREPARING": Unmet(
        "an application commits what it reads: that of a member without partitions commits nothing, and what it "
        "committed before it gave them up is answered before its JoinGroup",
        "classic/commit_refused_while_syncing.txt",
    ),
}


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

    with (
        patch("kafka_nextgen.testing.coordinator.reconciliation.reconcile", reconcile),
        patch.object(member.Member, "handle", _counting(met, _ARROWS, member.Member.handle, member.is_late)),
        patch.object(
            classic_member.ClassicMember,
            "handle",
            _counting(met, _CLASSIC_ARROWS, classic_member.ClassicMember.handle, classic_member.is_late),
        ),
    ):
        yield


def _counting(
    met: Counter[str], arrows: _Arrows, handle: Callable[..., Any], is_late: Callable[..., bool]
) -> Callable[..., Any]:
    """A member's ``handle`` that counts the arrows it goes along."""

    def counting(self: Any, event: object, now: float, chance: float) -> Any:
        before = None if is_late(self.state, event) else self.status
        effects = handle(self, event, now, chance)
        if before is not None and (name := arrows.get((before, type(event), self.status))):
            met[name] += 1
        return effects

    return counting


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


def transition_in(outcome: Outcome) -> str | None:
    """How an outcome takes a group from one protocol to the other, if it does."""
    kinds = {type(record) for record in outcome.records}
    if {r.ClassicGroupMetadataRemoved, r.GroupMetadata} <= kinds:
        classic = [each for each in outcome.records if isinstance(each, r.MemberMetadata) and each.classic is not None]
        return _UPGRADE if classic else _EMPTY_CLASSIC
    if {r.ClassicGroupMetadata, r.GroupMetadataRemoved} <= kinds:
        return _DOWNGRADE if r.MemberMetadataRemoved in kinds else _EMPTY_CONSUMER
    return None

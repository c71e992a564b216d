"""What is attached to a coordinator at each of the points in ``coordinator.hooks``: the only door to what is here.

Whether any of it is in force ``CoordinatorSettings.extensions`` says, from moment to moment. Off means that the
coordinator behaves as Kafka's, and lets go of what an earlier coordinator kept of a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.draft import Draft, Outcome
from kafka_nextgen.coordinator.extensions import (
    assigning,
    carrying,
    computing,
    history,
    invariants,
    offers,
    refusing,
    statements,
    telling,
)
from kafka_nextgen.coordinator.extensions import records as x
from kafka_nextgen.coordinator.extensions import requests as xq
from kafka_nextgen.coordinator.extensions.registration import adding, classic, places, waiting
from kafka_nextgen.coordinator.extensions.state import HISTORY, PLACES
from kafka_nextgen.coordinator.group import Group
from kafka_nextgen.coordinator.hooks import ExtensionRecord, ExtensionRequest, Hooks
from kafka_nextgen.coordinator.records import MemberMetadata
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.coordinator.timers import Arm, TimerKind
from kafka_nextgen.types import JoinReason

__all__ = ["EXTENSIONS", "RING"]


def _understand(request: ConsumerGroupHeartbeat, settings: CoordinatorSettings) -> ConsumerGroupHeartbeat:
    """While extensions are off, what members say to them is not heard."""
    if settings.extensions or (request.client_assignors is None and request.join_reason is JoinReason.UNKNOWN):
        return request
    return evolve(request, client_assignors=None, join_reason=JoinReason.UNKNOWN)


def _will_leave(draft: Draft, members: Iterable[MemberMetadata]) -> None:
    places.give_up_places(draft, {member.instance_id for member in members})


def _group_deleted(draft: Draft) -> None:
    history.forget_history(draft)
    places.keep_places(draft, ())


def _send_back_held(draft: Draft) -> None:
    classic.send_back(draft, draft.classic.held.keys(), ErrorCode.REBALANCE_IN_PROGRESS)


_SERVE: Mapping[type, Callable[[Draft, Any], Outcome]] = {
    xq.AddMembers: adding.add_members,
    xq.PrepareAssignment: assigning.prepare_assignment,
    xq.InstallAssignment: assigning.install_assignment,
    xq.DescribeHistory: history.describe_history,
}


def _serve(draft: Draft, request: ExtensionRequest) -> Outcome:
    return _SERVE[type(request)](draft, request)


def _rebalance(group: Group, record: x.RebalanceRecorded) -> None:
    HISTORY.put(group, {**HISTORY.of(group), record.slot: record.rebalance})


def _rebalance_removed(group: Group, record: x.RebalanceRecordedRemoved) -> None:
    kept = {slot: rebalance for slot, rebalance in HISTORY.of(group).items() if slot != record.slot}
    HISTORY.put(group, kept)


def _expected(group: Group, record: x.ExpectedMembers) -> None:
    PLACES.put(group, {place.instance_id: place for place in record.places})


def _expected_removed(group: Group, _: x.ExpectedMembersRemoved) -> None:
    PLACES.put(group, {})


_APPLY: Mapping[type, Callable[[Group, Any], None]] = {
    x.RebalanceRecorded: _rebalance,
    x.RebalanceRecordedRemoved: _rebalance_removed,
    x.ExpectedMembers: _expected,
    x.ExpectedMembersRemoved: _expected_removed,
}


def _apply(group: Group, record: ExtensionRecord) -> None:
    _APPLY[type(record)](group, record)


def _look_at_places(draft: Draft) -> None:
    draft.cancel(TimerKind.EXPECTED)
    waiting.settle(draft)


#: What follows when a timer of these kinds has run out.
RING: Mapping[TimerKind, Callable[[Draft], None]] = {
    TimerKind.EXPECTED: _look_at_places,
    TimerKind.COMPUTE: computing.give_up_computing,
}


def _ring(draft: Draft, timer: Arm) -> None:
    RING[timer.key.kind](draft)


EXTENSIONS = Hooks(
    understand=_understand,
    refuse_malformed=refusing.refuse_malformed_assignors,
    refuse_entry=refusing.refuse_unsupported_assignors,
    seats_kept=places.seats_kept,
    admit=waiting.on_reserved_terms,
    update=telling.with_assignors,
    asks_for_assignment=telling.asks_for_assignment,
    asks_by_protocols=carrying.asks_by_user_data,
    asks_for_rebalance=statements.asks_for_rebalance,
    wants_rebalance=statements.wants_rebalance,
    with_statement=statements.with_statement,
    sets_aside=waiting.sets_aside,
    waiting=places.waiting,
    rebalance_began=history.note_rebalance,
    is_urgent=computing.is_urgent,
    retarget=computing.have_computed,
    is_computing=computing.is_computing,
    assignment_made=history.note_assignment,
    answer=telling.with_word_of_assignors,
    common_assignor=offers.common_assignor,
    expected=places.expected,
    will_leave=_will_leave,
    is_gone=computing.let_go_of_computation,
    let_in_if_alone=waiting.let_in_if_nobody_counts,
    settle=waiting.settle,
    group_ended=computing.forget_computation,
    group_deleted=_group_deleted,
    keeps_group=lambda group: bool(PLACES.of(group)),
    hold_join=waiting.hold_join,
    send_back_held=_send_back_held,
    left=waiting.expect_no_more,
    carried_assignor=carrying.carried_assignor,
    carried_metadata=carrying.carried_metadata,
    protocol_for=carrying.protocol_for,
    protocols_told=carrying.protocols_told,
    user_data=carrying.user_data_for,
    serve=_serve,
    apply=_apply,
    count_member=offers.count_assignors,
    timers=frozenset(RING),
    ring=_ring,
    violations=invariants.violations,
)

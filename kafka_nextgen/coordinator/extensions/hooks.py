"""The extensions' implementation of ``coordinator.hooks``, and the only entry point to this package.

``CoordinatorSettings.extensions`` turns the extensions on or off at any time. While they are off the coordinator
behaves as Kafka's, and removes extension state that an earlier coordinator kept of a group.
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
    offers,
    refusing,
    standbys,
    state,
    statements,
    telling,
)
from kafka_nextgen.coordinator.extensions import requests as xq
from kafka_nextgen.coordinator.extensions.registration import adding, classic, places, waiting
from kafka_nextgen.coordinator.hooks import ExtensionRequest, Hooks
from kafka_nextgen.coordinator.records import CurrentMemberAssignment, MemberMetadata
from kafka_nextgen.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.coordinator.timers import Arm, TimerKind
from kafka_nextgen.types import JoinReason

__all__ = ["EXTENSIONS", "RING", "Extensions"]


def _understand(request: ConsumerGroupHeartbeat, settings: CoordinatorSettings) -> ConsumerGroupHeartbeat:
    """Clear the extensions' fields of a heartbeat while extensions are off."""
    if settings.extensions or (request.client_assignors is None and request.join_reason is JoinReason.UNKNOWN):
        return request
    return evolve(request, client_assignors=None, join_reason=JoinReason.UNKNOWN)


def _members_leaving(draft: Draft, members: Iterable[MemberMetadata]) -> None:
    places.give_up_places(draft, {member.instance_id for member in members})


def _group_ended(draft: Draft) -> None:
    computing.forget_computation(draft)
    standbys.all_active(draft)


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


def _sets_aside(draft: Draft, member: MemberMetadata) -> bool:
    if not waiting.sets_aside(draft, member):
        return standbys.stands_by(draft, member)
    standbys.settle(draft)
    return True


def _settle(draft: Draft) -> None:
    waiting.settle(draft)
    standbys.settle(draft)


def _retarget(draft: Draft) -> bool:
    return standbys.takes_over(draft) or computing.have_computed(draft)


def _answer(
    draft: Draft,
    request: ConsumerGroupHeartbeat,
    member: MemberMetadata,
    current: CurrentMemberAssignment,
    answer: ConsumerGroupHeartbeatAnswer,
) -> ConsumerGroupHeartbeatAnswer:
    answer = telling.with_word_of_assignors(draft, request, member, current, answer)
    return standbys.with_standing(draft, member.member_id, answer)


def _look_at_places(draft: Draft) -> None:
    draft.cancel(TimerKind.EXPECTED)
    _settle(draft)


#: The handlers of the extensions' timers.
RING: Mapping[TimerKind, Callable[[Draft], None]] = {
    TimerKind.EXPECTED: _look_at_places,
    TimerKind.COMPUTE: computing.give_up_computing,
}


def _ring(draft: Draft, timer: Arm) -> None:
    RING[timer.key.kind](draft)


class Extensions(Hooks):
    """The hooks with all extensions."""

    understand = staticmethod(_understand)
    refuse_malformed = staticmethod(refusing.refuse_malformed_assignors)
    refuse_entry = staticmethod(refusing.refuse_unsupported_assignors)
    seats_kept = staticmethod(places.seats_kept)
    admit = staticmethod(waiting.on_reserved_terms)
    update = staticmethod(telling.with_assignors)
    asks_for_assignment = staticmethod(telling.asks_for_assignment)
    asks_by_protocols = staticmethod(carrying.asks_by_user_data)
    asks_for_rebalance = staticmethod(statements.asks_for_rebalance)
    wants_rebalance = staticmethod(statements.wants_rebalance)
    with_statement = staticmethod(statements.with_statement)
    sets_aside = staticmethod(_sets_aside)
    members_waiting = staticmethod(standbys.uncounted)
    rebalance_began = staticmethod(history.note_rebalance)
    is_urgent = staticmethod(computing.is_urgent)
    retarget = staticmethod(_retarget)
    is_computing = staticmethod(computing.is_computing)
    assignment_made = staticmethod(history.note_assignment)
    answer = staticmethod(_answer)
    common_assignor = staticmethod(offers.common_assignor)
    expected = staticmethod(places.expected)
    members_leaving = staticmethod(_members_leaving)
    members_removed = staticmethod(standbys.replace_leaving)
    member_absent = staticmethod(standbys.replace_absent)
    instance_came_back = staticmethod(standbys.instance_came_back)
    member_gone = staticmethod(computing.let_go_of_computation)
    let_in_if_alone = staticmethod(waiting.let_in_if_nobody_counts)
    settle = staticmethod(_settle)
    group_ended = staticmethod(_group_ended)
    group_deleted = staticmethod(_group_deleted)
    hold_join = staticmethod(waiting.hold_join)
    send_back_held = staticmethod(_send_back_held)
    leave_results = staticmethod(waiting.expect_no_more)
    carried_assignor = staticmethod(carrying.carried_assignor)
    carried_metadata = staticmethod(carrying.carried_metadata)
    protocol_for = staticmethod(carrying.protocol_for)
    protocols_told = staticmethod(carrying.protocols_told)
    user_data = staticmethod(carrying.user_data_for)
    serve = staticmethod(_serve)
    apply = staticmethod(state.apply)
    count_member = staticmethod(offers.count_assignors)
    timers = frozenset(RING)
    ring = staticmethod(_ring)


EXTENSIONS = Extensions()

"""The extensions' implementation of ``coordinator.hooks``, and the only entry point to this package.

``CoordinatorSettings.extensions`` turns the extensions on or off at any time. While they are off, the coordinator
behaves like Kafka's, and removes the extension state that an earlier coordinator left in groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.cause import Cause
from kafka_nextgen.groups.extension_requests import ExtensionRequest
from kafka_nextgen.groups.extensions.adding import AddMembers
from kafka_nextgen.groups.extensions.leaving import AnnounceLeaving
from kafka_nextgen.groups.records import CurrentMemberAssignment, MemberMetadata
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup
from kafka_nextgen.testing.coordinator.draft import Draft, Outcome
from kafka_nextgen.testing.coordinator.extensions import (
    assigning,
    assignor_admission,
    assignor_fields,
    assignor_selection,
    classic_user_data,
    computing,
    history,
    join_reasons,
    standby_answers,
    standbys,
    state,
    topic_changes,
)
from kafka_nextgen.testing.coordinator.extensions import requests as xq
from kafka_nextgen.testing.coordinator.extensions.leaving import announcing, leavers, taking_over
from kafka_nextgen.testing.coordinator.extensions.registration import adding, classic, slots, waiting
from kafka_nextgen.testing.coordinator.hooks import Hooks
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKind
from kafka_nextgen.types import JoinReason, StandbyState

__all__ = ["EXTENSIONS", "RING", "Extensions"]

R = TypeVar("R", ConsumerGroupHeartbeat, JoinGroup)


_SERVE: Mapping[type, Callable[[Draft, Any], Outcome]] = {
    AddMembers: adding.add_members,
    AnnounceLeaving: announcing.announce_leaving,
    xq.PrepareAssignment: assigning.prepare_assignment,
    xq.InstallAssignment: assigning.install_assignment,
    xq.DescribeHistory: history.describe_history,
}


def _look_at_slots(draft: Draft) -> None:
    draft.cancel(TimerKind.EXPECTED)
    EXTENSIONS.settle(draft)


def _look_at_leavers(draft: Draft) -> None:
    draft.cancel(TimerKind.LEAVING)
    EXTENSIONS.settle(draft)


#: The handlers of the extensions' timers.
RING: Mapping[TimerKind, Callable[[Draft], None]] = {
    TimerKind.EXPECTED: _look_at_slots,
    TimerKind.COMPUTE: computing.give_up_computing,
    TimerKind.LEAVING: _look_at_leavers,
}


class Extensions(Hooks):
    """The hooks with all extensions."""

    refuse_malformed = staticmethod(assignor_admission.refuse_malformed_assignors)
    refuse_entry = staticmethod(assignor_admission.refuse_unsupported_assignors)
    seats_kept = staticmethod(slots.seats_kept)
    admit = staticmethod(waiting.with_defaults_of_slot)
    update = staticmethod(assignor_fields.with_assignors)
    asks_for_assignment = staticmethod(assignor_fields.asks_for_assignment)
    asks_by_protocols = staticmethod(classic_user_data.asks_by_user_data)
    asks_for_rebalance = staticmethod(join_reasons.asks_for_rebalance)
    wants_rebalance = staticmethod(join_reasons.wants_rebalance)
    minds_subscription = staticmethod(join_reasons.minds_subscription)
    with_statement = staticmethod(join_reasons.with_statement)
    members_waiting = staticmethod(standbys.uncounted)
    is_urgent = staticmethod(computing.is_urgent)
    is_computing = staticmethod(computing.is_computing)
    common_assignor = staticmethod(assignor_selection.common_assignor)
    expected = staticmethod(slots.expected)
    leaving = staticmethod(leavers.described)
    standby_place = staticmethod(standby_answers.standby_place)
    standby_state = staticmethod(standby_answers.standby_state)
    defers_rebalance = staticmethod(taking_over.defers_rebalance)
    group_ended = staticmethod(computing.forget_computation)
    member_gone = staticmethod(computing.replace_computing_member)
    let_in_if_alone = staticmethod(waiting.let_in_if_alone)
    hold_join = staticmethod(waiting.hold_join)
    leave_results = staticmethod(waiting.remove_expected)
    carried_assignor = staticmethod(classic_user_data.carried_assignor)
    carried_metadata = staticmethod(classic_user_data.carried_metadata)
    protocol_for = staticmethod(classic_user_data.protocol_for)
    protocols_told = staticmethod(classic_user_data.protocols_told)
    user_data = staticmethod(classic_user_data.user_data_for)
    topics_changed = staticmethod(topic_changes.note_changes)
    apply = staticmethod(state.apply)
    count_member = staticmethod(assignor_selection.count_assignors)
    timers = frozenset(RING)

    def understand(self, request: R, settings: CoordinatorSettings) -> R:
        """Clear the extensions' fields of a request while extensions are off."""
        if settings.extensions:
            return request
        if isinstance(request, JoinGroup):
            return evolve(request, join_reason=JoinReason.UNKNOWN)
        if request.client_assignors is None and not (request.join_reason or request.standby_state):
            return request
        return evolve(
            request, client_assignors=None, join_reason=JoinReason.UNKNOWN, standby_state=StandbyState.UNKNOWN
        )

    def sets_aside(self, draft: Draft, member: MemberMetadata, stated: StandbyState = StandbyState.UNKNOWN) -> bool:
        """Whether the member waits for expected instances, or stands by."""
        if not waiting.sets_aside(draft, member):
            return standbys.stands_by(draft, member, stated)
        standbys.settle(draft)
        return True

    def settle(self, draft: Draft) -> None:
        """Update the slots, the standbys, and then the members that are announced to leave."""
        waiting.settle(draft)
        standbys.settle(draft)
        taking_over.settle(draft)
        computing.forget_if_empty(draft)

    def rebalance_began(self, draft: Draft, cause: Cause, caused_at_ms: int | None) -> None:
        """Note the rebalance. The next assignment takes the departed members into account."""
        history.note_rebalance(draft, cause, caused_at_ms)
        taking_over.forget_gone(draft)

    def retarget(self, draft: Draft) -> bool:
        """Whether standbys take over, or a member computes the target assignment."""
        return standbys.takes_over(draft) or computing.retarget_by_member(draft)

    def assignment_made(self, draft: Draft) -> None:
        """Remove partitions of members that became standbys from the target, and record the assignment.

        An assignment of a classic group no longer includes members that have left; in a consumer group, this holds from
        the beginning of the rebalance.
        """
        standbys.clear_targets(draft)
        if draft.group.classic is not None:
            taking_over.forget_gone(draft)
        history.note_assignment(draft)

    def answer(
        self,
        draft: Draft,
        request: ConsumerGroupHeartbeat,
        member: MemberMetadata,
        current: CurrentMemberAssignment,
        answer: ConsumerGroupHeartbeatAnswer,
    ) -> ConsumerGroupHeartbeatAnswer:
        """The answer with the fields for client-side assignors and for standbys."""
        answer = assignor_fields.answer_with_assignors(draft, request, member, current, answer)
        return standby_answers.with_standby_place(draft, request, member, answer)

    def members_leaving(self, draft: Draft, members: Iterable[MemberMetadata]) -> None:
        """Remove the slots of these members."""
        slots.give_up_slots(draft, {member.instance_id for member in members})

    def members_removed(self, draft: Draft, members: Sequence[MemberMetadata], cause: Cause | None) -> Cause | None:
        """Let standbys take over. If none does, and more members are announced to leave, the epoch does not change."""
        told = standbys.replace_leaving(draft, members, cause)
        return told if told != cause else taking_over.defer(draft, members, cause)

    def member_absent(self, draft: Draft, member: MemberMetadata) -> None:
        """Let a standby take over. An announced member has left."""
        standbys.replace_absent(draft, member)
        taking_over.settle(draft)

    def instance_came_back(self, draft: Draft, former_id: str, member_id: str) -> None:
        """A static member that stands by, or is announced to leave, has a new member id."""
        standbys.instance_came_back(draft, former_id, member_id)
        leavers.instance_came_back(draft, former_id, member_id)

    def group_deleted(self, draft: Draft) -> None:
        """Remove the group's history, slots and announcements."""
        history.forget_history(draft)
        slots.keep_slots(draft, ())
        leavers.keep_leavers(draft, ())

    def send_back_held(self, draft: Draft) -> None:
        """Answer the held joins with REBALANCE_IN_PROGRESS."""
        classic.send_back(draft, draft.classic.held.keys(), ErrorCode.REBALANCE_IN_PROGRESS)

    def serve(self, draft: Draft, request: ExtensionRequest) -> Outcome:
        """Serve a request."""
        return _SERVE[type(request)](draft, request)

    def ring(self, draft: Draft, timer: Arm) -> None:
        """Handle an expired timer."""
        RING[timer.key.kind](draft)


EXTENSIONS = Extensions()

"""Joining: a full heartbeat with epoch 0 (KIP-848, "Member Lifecycle").

A member joins when the application subscribes, and again after it was fenced or stopped polling. It starts with no
partitions, no target and no unresolved topics. It keeps its member id for the lifetime of the consumer; only a Kafka
3.x coordinator, which generates ids itself, can assign a different one.

A response with an epoch above 0 and an assignment admits the member. Before Kafka 4.3, the first member of a group can
get epoch 0 as long as its pattern is not resolved; it then keeps trying to join.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership import heartbeats, reconciliation
from kafka_nextgen.membership.any_member import Subscription
from kafka_nextgen.membership.events import AssignorsAsked, HeartbeatAnswered, StandbyStateChanged, Subscribed
from kafka_nextgen.membership.settings import MemberContext
from kafka_nextgen.membership.state import NOTHING, MemberState, Outcome
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.membership.timers import Timer
from kafka_nextgen.types import StandbyState

__all__ = [
    "admitted",
    "change_subscription",
    "join",
    "note_assignors",
    "note_standby_state",
    "return_to_group",
    "subscribe",
]

JOIN_EPOCH = 0


def subscribe(state: MemberState, event: Subscribed, at: MemberContext) -> Outcome:
    """The application subscribed while the consumer was not in the group: join."""
    state, _ = change_subscription(state, event, at)
    return return_to_group(state, at), ()


def change_subscription(state: MemberState, event: Subscribed, _at: MemberContext) -> Outcome:
    """Store the new subscription. If the member sends heartbeats, the next one is sent immediately."""
    return evolve(state, subscription=Subscription(event.topics, event.pattern)), ()


def note_assignors(state: MemberState, event: AssignorsAsked, _at: MemberContext) -> Outcome:
    """Store the metadata of the member's assignors. If it has changed, a heartbeat is sent immediately."""
    return evolve(state, assignors=event.assignors), ()


def note_standby_state(state: MemberState, event: StandbyStateChanged, _at: MemberContext) -> Outcome:
    """Store whether the member is ready as a standby. If that has changed, a heartbeat is sent immediately."""
    return evolve(state, standby_state=event.state), ()


def return_to_group(state: MemberState, at: MemberContext) -> MemberState:
    """Join immediately, even after failed requests."""
    return join(evolve(state, failures=0), at)


def join(state: MemberState, at: MemberContext) -> MemberState:
    """Start with no state except the member id. The join is sent immediately; a second join in a row is delayed.

    A standby that was ready may get other partitions to load, so it joins as one that is loading.
    """
    assert state.subscription is not None, "a member that joins has a subscription"
    assert not state.owned, "a member that joins has lost or given up everything"
    state = evolve(
        state,
        status=Status.JOINING,
        phase=Phase.IDLE,
        leaving=None,
        member_epoch=JOIN_EPOCH,
        owned=NOTHING,
        held=NOTHING,
        names={},
        target=None,
        goal=None,
        in_flight=None,
        sent=None,
        standby_state=StandbyState.LOADING if state.standby_state else StandbyState.UNKNOWN,
        deadlines={Timer.POLL: at.now + at.settings.max_poll_interval_s},
    )
    return heartbeats.back_off(state, at, first_at_once=True)


def admitted(state: MemberState, event: HeartbeatAnswered, at: MemberContext) -> Outcome:
    """The coordinator answered the join: take over its member id, epoch and first target."""
    state = heartbeats.answered(state, event, at)
    state = evolve(state, member_id=event.member_id or state.member_id)
    if state.member_epoch == JOIN_EPOCH or event.assignment is None:
        return state, ()  # not admitted yet; the next heartbeat is a full one again
    state = reconciliation.take_target(state, event.assignment)
    state, published = heartbeats.publish_epoch(state)
    state, effects = reconciliation.proceed(evolve(state, status=Status.RECONCILING), at)
    return state, published + effects

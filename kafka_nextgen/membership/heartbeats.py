"""Heartbeats: when to send one, what it contains, and what each response means for the next (KIP-848,
"ConsumerGroupHeartbeat API").

*When.* One heartbeat is in flight at a time. The next is sent when its timer is due: immediately to join, then at the
coordinator's interval, counted from when the last one was sent, so that a slow answer does not delay the next. It is
sent immediately when there is a change to report: another subscription, new metadata of the member's assignors, whether
it is ready as a standby, or a reconciliation to acknowledge ("After a revocation, it sends the next heartbeat
immediately"). A member that has just computed its group's target also sends one immediately, to get its own share.

*What.* A null field means unchanged since the last heartbeat. A full heartbeat contains every field. It is sent

* to join;
* after any error, timeout or disconnect: the member can't know what arrived, and the coordinator repeats a lost
  response only for a full heartbeat;
* as long as the member owns nothing: a lost first assignment would otherwise never be repeated.

To replace a pattern, the member removes the old one with one heartbeat and sends the new one with the next. If one
heartbeat did both and the new pattern matched nothing, the group epoch would not increase (Kafka 4.3.0), and no member
would read this member's earlier partitions. A join that follows an unanswered join does the same, because the
coordinator may have received the first. A static member that joins without a pattern sends an empty one: with null the
coordinator would keep the pattern of the instance's former member.

A keepalive has no partitions, so it releases none while they are being committed and revoked. A full heartbeat releases
none either: during a reconciliation, or when one may begin, it lists the partitions that the application still has and
those that it is about to get. The coordinator may assign any omitted partition to another member when the heartbeat
arrives, and by then the application may have begun to use it. If a new target has arrived in the meantime, an
acknowledgement lists that target too and is a full heartbeat: a delayed duplicate of a keepalive may have made the
coordinator withdraw that target, and only the response to a full heartbeat repeats it.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.any_member import Subscription
from kafka_nextgen.membership.effects import Effect, FindCoordinator, PublishEpoch, SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatAnswered, HeartbeatLost, TargetInstalled
from kafka_nextgen.membership.settings import MemberContext, MemberSettings
from kafka_nextgen.membership.state import NOTHING, MemberState, Outcome, Sent
from kafka_nextgen.membership.state_machine import numbered, retry_at
from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.timers import Timer, armed, disarmed, is_due
from kafka_nextgen.types import JoinReason, StandbyState, TopicIdPartition

__all__ = [
    "HEARTBEATING",
    "answered",
    "ask_for_share",
    "back_off",
    "failed",
    "keep_session",
    "lost",
    "publish_epoch",
    "send_if_due",
]

#: The statuses in which a member sends heartbeats. ``leaving`` sends the leave, even while a heartbeat is in flight.
HEARTBEATING = (Status.JOINING, Status.RECONCILING, Status.ACKNOWLEDGING, Status.STABLE, Status.PREPARE_LEAVING)

#: The statuses in which a member may take over partitions at any moment, including those of a target that is waiting
#: for the current reconciliation.
_MAY_TAKE = frozenset({Status.RECONCILING, Status.ACKNOWLEDGING})

#: Bounds for the coordinator's heartbeat interval (seconds).
SHORTEST_INTERVAL_S, LONGEST_INTERVAL_S = 0.05, 60.0


def send_if_due(state: MemberState, at: MemberContext) -> Outcome:
    """Send a heartbeat if one is due, or if there is a change to report."""
    if state.status not in HEARTBEATING or state.in_flight is not None:
        return state, ()
    if not is_due(state.deadlines, Timer.HEARTBEAT, at.now) and not _has_news(state):
        return state, ()
    state, number = numbered(state)
    heartbeat = _heartbeat(state, at.settings, number)
    return _remember(evolve(state, sent_at=at.now), heartbeat), (heartbeat,)


def _has_news(state: MemberState) -> bool:
    if state.sent is None or state.status is Status.PREPARE_LEAVING:
        return False  # after a failure only the backoff matters, and a leaving member has no changes to report
    return state.sent != _to_say(state)


def _to_say(state: MemberState) -> Sent:
    return Sent(_subscription_to_say(state), state.acknowledged, state.assignors, state.installed, state.standby_state)


def _subscription_to_say(state: MemberState) -> Subscription:
    """The application's subscription, without its pattern while the coordinator still has a different one to remove."""
    wanted = state.subscription or Subscription()
    replaces = state.pattern_told and wanted.pattern != state.pattern_told
    return evolve(wanted, pattern=None) if replaces else wanted


def _heartbeat(state: MemberState, settings: MemberSettings, number: int) -> SendHeartbeat:
    if state.status is Status.PREPARE_LEAVING:
        return SendHeartbeat(number, state.member_id, state.member_epoch, settings.instance_id)
    if state.status is Status.JOINING or state.sent is None or not _reported(state) or _is_about_to_take(state):
        heartbeat = _full(state, settings, number)
    else:
        heartbeat = _changes(state, state.sent, settings, number)
    return _with_extensions(state, heartbeat)


def _with_extensions(state: MemberState, heartbeat: SendHeartbeat) -> SendHeartbeat:
    """The heartbeat with the fields for coordinators with extensions.

    Assignors are sent again only when they change, or when the member can't know what arrived: a reason in their
    metadata triggers a new assignment each time it is sent. Each full heartbeat says whether the member is ready as a
    standby: standbys send only full ones, because they own nothing.
    """
    joins, sent = state.status is Status.JOINING, state.sent
    told = () if joins or sent is None else sent.assignors
    is_said = sent is not None and sent.standby_state is state.standby_state and not heartbeat.full
    return evolve(
        heartbeat,
        client_assignors=None if state.assignors == told else state.assignors,
        join_reason=state.join_reason if joins else JoinReason.UNKNOWN,
        standby_state=StandbyState.UNKNOWN if is_said else state.standby_state,
    )


def _is_about_to_take(state: MemberState) -> bool:
    """Whether an ACKNOWLEDGING member got a new target, which the coordinator may have withdrawn since."""
    return state.status is Status.ACKNOWLEDGING and _reported(state) != state.owned


def _reported(state: MemberState) -> frozenset[TopicIdPartition]:
    """The partitions that the member owns, or may own before the response arrives: no other member may get them."""
    if state.status not in _MAY_TAKE:
        return state.owned
    goal, target = (each.partitions if each else NOTHING for each in (state.goal, state.target))
    return state.owned | state.held | goal | target


def _full(state: MemberState, settings: MemberSettings, number: int) -> SendHeartbeat:
    subscription = _to_say(state).subscription
    may_have_pattern = state.pattern_told is not None or _may_inherit(state, settings)
    return SendHeartbeat(
        number,
        state.member_id,
        state.member_epoch,
        settings.instance_id,
        rack_id=settings.rack_id if state.status is Status.JOINING else None,
        rebalance_timeout_ms=settings.rebalance_timeout_ms,
        subscribed_topics=tuple(sorted(subscription.topics)),
        subscribed_pattern=subscription.pattern or ("" if may_have_pattern else None),
        server_assignor=settings.server_assignor,
        owned=_reported(state),
        full=True,
    )


def _may_inherit(state: MemberState, settings: MemberSettings) -> bool:
    """Whether the member may be replacing a former member with the same instance id, which may have had a pattern."""
    return settings.instance_id is not None and state.status is Status.JOINING


def _changes(state: MemberState, sent: Sent, settings: MemberSettings, number: int) -> SendHeartbeat:
    before, after = sent.subscription, _to_say(state).subscription
    return SendHeartbeat(
        number,
        state.member_id,
        state.member_epoch,
        settings.instance_id,
        subscribed_topics=tuple(sorted(after.topics)) if after.topics != before.topics else None,
        subscribed_pattern=(after.pattern or "") if after.pattern != before.pattern else None,
        owned=_reported(state) if state.acknowledged != sent.acknowledged else None,
    )


def _remember(state: MemberState, heartbeat: SendHeartbeat) -> MemberState:
    leaving = state.status is Status.PREPARE_LEAVING
    return evolve(
        state,
        in_flight=heartbeat.number,
        sent=state.sent if leaving else _to_say(state),
        pattern_told=state.pattern_told or heartbeat.subscribed_pattern,
        deadlines=disarmed(state.deadlines, Timer.HEARTBEAT),
    )


def answered(state: MemberState, event: HeartbeatAnswered, at: MemberContext) -> MemberState:
    """Process the fields that every successful response has: the epoch and the heartbeat interval.

    A negative epoch or an interval of 0 violates the protocol; both are ignored.
    """
    interval_s = _interval_s(state, event, at.settings)
    return evolve(
        state,
        member_epoch=event.member_epoch if event.member_epoch > 0 else state.member_epoch,
        interval_s=interval_s,
        join_reason=JoinReason.UNKNOWN,
        in_flight=None,
        failures=0,
        pattern_told=state.pattern_told and _pattern_told(state),
        instance_id_deadline=None,
        deadlines=armed(state.deadlines, Timer.HEARTBEAT, state.sent_at + interval_s),
    )


def _pattern_told(state: MemberState) -> str | None:
    """The coordinator's pattern for this member after the last answered heartbeat; "" if it was removed."""
    return state.pattern_told if state.sent is None else state.sent.subscription.pattern or ""


def _interval_s(state: MemberState, event: HeartbeatAnswered, settings: MemberSettings) -> float:
    if event.heartbeat_interval_ms <= 0:
        return state.interval_s or settings.retry_backoff_max_s
    return min(max(event.heartbeat_interval_ms / 1000, SHORTEST_INTERVAL_S), LONGEST_INTERVAL_S)


def ask_for_share(state: MemberState, _event: TargetInstalled, _at: MemberContext) -> Outcome:
    """Request the share of a target that is newer than the last heartbeat response."""
    return evolve(state, installed=state.installed + 1), ()


def publish_epoch(state: MemberState) -> Outcome:
    """Use the member's epoch in commits. The assignment of that epoch must be known."""
    if state.member_epoch == state.published_epoch:
        return state, ()
    state = evolve(state, published_epoch=state.member_epoch)
    return state, (PublishEpoch(state.member_id, state.member_epoch),)


def keep_session(state: MemberState, event: HeartbeatAnswered, at: MemberContext) -> Outcome:
    """Process a heartbeat response while preparing to leave. The last commits need its epoch; its target is ignored."""
    return publish_epoch(answered(state, event, at))


def lost(state: MemberState, _event: HeartbeatLost, at: MemberContext) -> Outcome:
    """No response: look up the coordinator, and send a full heartbeat after a pause."""
    effects: tuple[Effect, ...] = (FindCoordinator(),)
    return back_off(failed(state), at), effects


def failed(state: MemberState) -> MemberState:
    """Forget what was sent: the next heartbeat is full."""
    return evolve(state, in_flight=None, sent=None, failures=state.failures + 1)


def back_off(state: MemberState, at: MemberContext, *, first_at_once: bool = False) -> MemberState:
    """Schedule the next heartbeat after a backoff, given by the number of consecutive failures."""
    when = retry_at(state.failures, at, first_at_once=first_at_once)
    return evolve(state, deadlines=armed(state.deadlines, Timer.HEARTBEAT, when))

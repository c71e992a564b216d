"""Joining: when to send a JoinGroup, who assigns, and the SyncGroup.

A member joins when it has subscribed, when the coordinator reports a rebalance, and when its subscription has changed.
It also joins after topics have changed, after it has given up partitions, and if the application requests a rebalance.
It prepares first (see ``rebalancing``). If a reason arises while a JoinGroup is in flight, the member joins again
afterwards.

After the group has joined, the leader assigns, every member syncs, and each applies its part. A leader that must skip
the assignment (KIP-814) syncs like a follower and only watches the group's topics: it is a static member that
restarted, and the group keeps its assignment. ``comparing`` decides whether it still fits.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE
from kafka_nextgen.membership.any_member import Subscription, polled
from kafka_nextgen.membership.classic import assigning, computing, heartbeats, losing, rebalancing, requests, topics
from kafka_nextgen.membership.classic.events import JoinAnswered, JoinLost, RebalanceEnforced, SyncAnswered, SyncLost
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import FindCoordinator, PublishEpoch, RaiseToApplication
from kafka_nextgen.membership.events import Polled, Subscribed
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import Timer, armed, disarmed, is_due
from kafka_nextgen.types import JoinReason

__all__ = [
    "change_subscription",
    "change_subscription_before_joining",
    "change_subscription_of_member",
    "enforce",
    "enter",
    "join_if_due",
    "join_lost",
    "joined",
    "polled_when_stable",
    "subscribe",
    "sync_lost",
    "synced",
]


def subscribe(state: ClassicState, event: Subscribed, at: ClassicContext) -> Outcome:
    """The application subscribed while the consumer was not in the group: join."""
    state, _ = change_subscription(state, event, at)
    return enter(state, at), ()


def enter(state: ClassicState, at: ClassicContext) -> ClassicState:
    """Join as a new member, immediately."""
    limit = at.now + at.settings.max_poll_interval_s
    state = evolve(state, failures=0, leaving=None, reason="subscribed", deadlines={Timer.POLL: limit})
    return losing.rejoin(state, at)


def change_subscription(state: ClassicState, event: Subscribed, _at: ClassicContext) -> Outcome:
    """Store the new subscription."""
    return evolve(state, subscription=Subscription(event.topics, event.pattern), matching=None), ()


def change_subscription_before_joining(state: ClassicState, event: Subscribed, at: ClassicContext) -> Outcome:
    """The next JoinGroup carries the new subscription; a lookup for the old pattern is dropped."""
    state, _ = change_subscription(state, event, at)
    return _ask_anew(state, at), ()


def change_subscription_of_member(state: ClassicState, event: Subscribed, at: ClassicContext) -> Outcome:
    """Join again with the new subscription, after the current step."""
    if state.subscription == Subscription(event.topics, event.pattern):
        return state, ()
    state, _ = change_subscription(state, event, at)
    state = _ask_anew(state, at) if state.status is Status.STABLE else state
    return evolve(state, must_rejoin=True, reason="the subscription changed"), ()


def _ask_anew(state: ClassicState, at: ClassicContext) -> ClassicState:
    if state.phase is not Phase.RESOLVING:
        return state
    deadlines = disarmed(state.deadlines, Timer.TOPICS)
    if state.status is Status.UNJOINED:
        deadlines = armed(deadlines, Timer.JOIN, at.now)
    return evolve(state, asked=None, phase=Phase.IDLE, deadlines=deadlines)


def enforce(state: ClassicState, event: RebalanceEnforced, _at: ClassicContext) -> Outcome:
    """The application requested a rebalance (KIP-568): join again, after the current step."""
    return evolve(state, must_rejoin=True, reason=event.reason, join_reason=event.join_reason), ()


def join_if_due(state: ClassicState, at: ClassicContext, *, polling: bool = False) -> Outcome:
    """Begin to prepare for the JoinGroup if one is due and no other step is in progress."""
    if state.phase is not Phase.IDLE or not _is_due(state, at):
        return state, ()
    if topics.needs_pattern(state):
        return topics.ask_for_pattern(state)
    if state.status is Status.UNJOINED:
        return requests.send_join(state, at)
    state, prepared = rebalancing.begin(state, at, polling=polling)
    state, join = join_if_due(state, at)  # already prepared if it had no partitions to give up
    return state, prepared + join


def _is_due(state: ClassicState, at: ClassicContext) -> bool:
    if state.status is Status.STABLE:
        return state.must_rejoin and state.assigned is None
    return state.status is Status.UNJOINED and is_due(state.deadlines, Timer.JOIN, at.now)


def polled_when_stable(state: ClassicState, event: Polled, at: ClassicContext) -> Outcome:
    """The application polled: start the step that was waiting for it."""
    state, _ = polled(state, event, at)
    if state.phase is Phase.FAILED:
        return _polled_after_failure(state, at)
    if state.phase is not Phase.WAITING_FOR_POLL:
        return state, ()
    state = evolve(state, phase=Phase.IDLE)
    if state.assigned is not None:
        return rebalancing.begin(state, at, polling=True)
    return join_if_due(state, at, polling=True)


def _polled_after_failure(state: ClassicState, at: ClassicContext) -> Outcome:
    state, called = rebalancing.assign_again(state)
    state, effects = join_if_due(state, at, polling=True)
    return state, called + effects


def join_lost(state: ClassicState, _event: JoinLost, at: ClassicContext) -> Outcome:
    """The JoinGroup got no response: look up the coordinator and join again after a pause."""
    state = evolve(state, failures=state.failures + 1)
    return losing.rejoin(state, at, first_at_once=False), (FindCoordinator(),)


def joined(state: ClassicState, event: JoinAnswered, at: ClassicContext) -> Outcome:
    """The member is in the new generation, and its session begins; commits carry the old generation until it has
    synced."""
    if event.protocol_type not in (None, PROTOCOL_TYPE):
        return losing.fail_for_good(state, _other_protocol(event.protocol_type, event.strategy))
    is_leader = event.leader_id == event.member_id
    is_back = state.is_back or (at.settings.instance_id is not None and not state.member_id)
    state = evolve(
        state,
        status=Status.COMPLETING,
        request=None,
        join_reason=JoinReason.UNKNOWN,
        member_id=event.member_id,
        generation=event.generation,
        strategy=event.strategy,
        leader_id=event.leader_id,
        roster=event.members if is_leader else (),
        is_back=is_back,
        may_lead=not event.tells_leader,
    )
    state = heartbeats.begin(state, at)
    if not state.is_leader or event.skip_assignment:
        return requests.send_sync(state, at)
    if event.strategy not in at.settings.strategies:
        return losing.fail_for_good(state, _other_protocol(event.protocol_type, event.strategy))
    if not assigning.topics_of(state.roster):
        return topics.assign_group(state, {}, {}, at)
    return topics.ask_for_group(state)


def synced(state: ClassicState, event: SyncAnswered, at: ClassicContext) -> Outcome:
    """The assignment is known: commits carry the new generation, and the member begins to revoke or to assign.

    An assignment with topics that this member did not subscribe to is based on another subscription: join again.
    """
    if event.protocol_type not in (None, PROTOCOL_TYPE) or event.strategy not in (None, state.strategy):
        return losing.fail_for_good(state, _other_protocol(event.protocol_type, event.strategy))
    publish = PublishEpoch(state.member_id, state.generation)
    state = evolve(state, status=Status.STABLE, request=None, failures=0, published=state.generation)
    state = topics.begin_watching(state, event.partitions, at)
    foreign = {tp.topic for tp in event.partitions} - state.joined_topics
    if foreign:
        reason = f"was assigned topics it has not subscribed to: {', '.join(sorted(foreign))}"
        return evolve(state, phase=Phase.IDLE, must_rejoin=True, reason=reason), (publish,)
    state, told = computing.take_assignment(state, event, at)
    state, effects = rebalancing.begin(evolve(state, assigned=event.partitions), at)
    return state, (publish, *told, *effects)


def sync_lost(state: ClassicState, _event: SyncLost, at: ClassicContext) -> Outcome:
    """The SyncGroup got no response: look up the coordinator and join again after a pause."""
    state = evolve(state, failures=state.failures + 1, reason="the assignment was lost")
    return losing.rejoin(state, at, first_at_once=False), (FindCoordinator(),)


def _other_protocol(protocol_type: str | None, strategy: str | None) -> RaiseToApplication:
    message = f"the group has protocol type {protocol_type} and assignor {strategy}, which this member did not offer"
    return RaiseToApplication(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, message, fatal=True)

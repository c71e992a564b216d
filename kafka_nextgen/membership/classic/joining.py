"""Joining: when a JoinGroup goes out, and what makes a member join again.

A member joins when it has subscribed, when the coordinator says that the group rebalances, when its subscription
has changed, and when there is another reason: topics changed, partitions given up, the application's wish. It
prepares first (see ``rebalancing``). What happens while a JoinGroup is under way makes it join once more after
that.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.membership.any_member import Subscription
from kafka_nextgen.membership.classic import losing, rebalancing, requests, topics
from kafka_nextgen.membership.classic.events import JoinLost, RebalanceEnforced
from kafka_nextgen.membership.classic.settings import Moment
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.classic.timers import Timer
from kafka_nextgen.membership.effects import FindCoordinator
from kafka_nextgen.membership.events import Subscribed
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import armed, disarmed, is_due

__all__ = [
    "change_subscription",
    "change_subscription_before_joining",
    "change_subscription_of_member",
    "enforce",
    "enter",
    "join_if_due",
    "lost",
    "subscribe",
]


def subscribe(state: ClassicState, event: Subscribed, at: Moment) -> Outcome:
    """The application subscribed, and is not in the group: join."""
    state, _ = change_subscription(state, event, at)
    return enter(state, at), ()


def enter(state: ClassicState, at: Moment) -> ClassicState:
    """Join as a new member, at once."""
    limit = at.now + at.settings.max_poll_interval_s
    state = evolve(state, failures=0, leaving=None, reason="subscribed", deadlines={Timer.POLL: limit})
    return losing.rejoin(state, at)


def change_subscription(state: ClassicState, event: Subscribed, _at: Moment) -> Outcome:
    """Remember what the application wants now."""
    return evolve(state, subscription=Subscription(event.topics, event.pattern), matching=None), ()


def change_subscription_before_joining(state: ClassicState, event: Subscribed, at: Moment) -> Outcome:
    """The JoinGroup that is due brings the other subscription; a question for the old pattern is void."""
    state, _ = change_subscription(state, event, at)
    return _ask_anew(state, at), ()


def change_subscription_of_member(state: ClassicState, event: Subscribed, at: Moment) -> Outcome:
    """The group has to learn of another subscription: join again, after what is under way."""
    if state.subscription == Subscription(event.topics, event.pattern):
        return state, ()
    state, _ = change_subscription(state, event, at)
    state = _ask_anew(state, at) if state.status is Status.STABLE else state
    return evolve(state, must_rejoin=True, reason="the subscription changed"), ()


def _ask_anew(state: ClassicState, at: Moment) -> ClassicState:
    if state.phase is not Phase.RESOLVING:
        return state
    deadlines = disarmed(state.deadlines, Timer.TOPICS)
    if state.status is Status.UNJOINED:
        deadlines = armed(deadlines, Timer.JOIN, at.now)
    return evolve(state, asked=None, phase=Phase.IDLE, deadlines=deadlines)


def enforce(state: ClassicState, event: RebalanceEnforced, _at: Moment) -> Outcome:
    """The application wants the group to rebalance (KIP-568): join again, after what is under way."""
    return evolve(state, must_rejoin=True, reason=event.reason, to_state=event.join_reason), ()


def join_if_due(state: ClassicState, at: Moment, *, polling: bool = False) -> Outcome:
    """Take the first step towards the JoinGroup that is due, if there is one and nothing else is under way."""
    if state.phase is not Phase.IDLE or not _is_due(state, at):
        return state, ()
    if topics.needs_pattern(state):
        return topics.ask_for_pattern(state)
    if state.status is Status.UNJOINED:
        return requests.send_join(state, at)
    state, prepared = rebalancing.begin(state, at, polling=polling)
    state, join = join_if_due(state, at)  # if there was nothing to give up, that was all
    return state, prepared + join


def _is_due(state: ClassicState, at: Moment) -> bool:
    if state.status is Status.STABLE:
        return state.must_rejoin and state.assigned is None
    return state.status is Status.UNJOINED and is_due(state.deadlines, Timer.JOIN, at.now)


def lost(state: ClassicState, _event: JoinLost, at: Moment) -> Outcome:
    """The JoinGroup got no response: look up the coordinator and join again after a pause."""
    state = evolve(state, failures=state.failures + 1)
    return losing.rejoin(state, at, first_at_once=False), (FindCoordinator(),)

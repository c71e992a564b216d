"""After the group has joined: the leader assigns, everybody syncs, and each applies its part.

A leader that is told to skip the assignment (KIP-814) syncs like a follower, and only watches the group's topics:
a static member came back, and the group is to stay as it was.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.consumer_protocol import PROTOCOL_TYPE
from kafka_nextgen.membership.classic import assigning, computing, heartbeats, losing, rebalancing, requests, topics
from kafka_nextgen.membership.classic.events import JoinAnswered, SyncAnswered, SyncLost
from kafka_nextgen.membership.classic.settings import Moment
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.effects import FindCoordinator, PublishEpoch, RaiseToApplication
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.types import JoinReason

__all__ = ["joined", "lost", "synced"]


def joined(state: ClassicState, event: JoinAnswered, at: Moment) -> Outcome:
    """The member is in the new generation. Its session begins; commits go under the old one until it has synced."""
    if event.protocol_type not in (None, PROTOCOL_TYPE):
        return losing.fail_for_good(state, _other_protocol(event.protocol_type, event.strategy))
    is_leader = event.leader_id == event.member_id
    state = evolve(
        state,
        status=Status.COMPLETING,
        request=None,
        to_state=JoinReason.UNKNOWN,
        member_id=event.member_id,
        generation=event.generation,
        strategy=event.strategy,
        leader_id=event.leader_id,
        roster=event.members if is_leader else (),
    )
    state = heartbeats.begin(state, at)
    if not state.is_leader or event.skip_assignment:
        return requests.send_sync(state, at)
    if event.strategy not in at.settings.strategies:
        return losing.fail_for_good(state, _other_protocol(event.protocol_type, event.strategy))
    if not assigning.topics_of(state.roster):
        return topics.lead(state, {}, {}, at)
    return topics.ask_for_group(state)


def synced(state: ClassicState, event: SyncAnswered, at: Moment) -> Outcome:
    """The assignment is known: commits carry the new generation, and what is to be given up or taken over begins.

    An assignment with topics that this member did not subscribe to is based on another subscription: join again.
    """
    if event.protocol_type not in (None, PROTOCOL_TYPE) or event.strategy not in (None, state.strategy):
        return losing.fail_for_good(state, _other_protocol(event.protocol_type, event.strategy))
    publish = PublishEpoch(state.member_id, state.generation)
    state = evolve(state, status=Status.STABLE, request=None, failures=0, published=state.generation)
    state = topics.watch_from_now(state, at)
    foreign = {tp.topic for tp in event.partitions} - state.joined_topics
    if foreign:
        reason = f"was assigned topics it has not subscribed to: {', '.join(sorted(foreign))}"
        return evolve(state, phase=Phase.IDLE, must_rejoin=True, reason=reason), (publish,)
    state, told = computing.heard(state, event, at)
    state, effects = rebalancing.begin(evolve(state, assigned=event.partitions), at)
    return state, (publish, *told, *effects)


def lost(state: ClassicState, _event: SyncLost, at: Moment) -> Outcome:
    """The SyncGroup got no response: look up the coordinator and join again after a pause."""
    state = evolve(state, failures=state.failures + 1, reason="the assignment got lost")
    return losing.rejoin(state, at, first_at_once=False), (FindCoordinator(),)


def _other_protocol(protocol_type: str | None, strategy: str | None) -> RaiseToApplication:
    message = f"the group has protocol type {protocol_type} and assignor {strategy}, which this member did not offer"
    return RaiseToApplication(ErrorCode.INCONSISTENT_GROUP_PROTOCOL, message, fatal=True)

"""The content of each request, and the state change when it is sent. The rules decide when.

A JoinGroup lists every assignor with the same subscription, and client-side assignors with their metadata. A member
that rebalances cooperatively reports the partitions that it owns, and in which generation it got them (KIP-429). An
eager one owns nothing when it joins. A member owns all partitions that ``on_partitions_assigned`` was called with, even
if it raised: no other member may get these yet. Heartbeats pause while a JoinGroup is in flight, since it keeps the
session alive.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.assignors.cooperative_sticky import CooperativeStickyAssignor, generation_metadata
from kafka_nextgen.assignors.user_data import write_member_word
from kafka_nextgen.groups.consumer_protocol import MemberSubscription
from kafka_nextgen.membership.classic.effects import (
    MemberPart,
    Offer,
    SendClassicHeartbeat,
    SendJoinGroup,
    SendLeaveGroup,
    SendSyncGroup,
)
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import ClassicState, Outcome, topics_wanted
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.state_machine import numbered
from kafka_nextgen.membership.states import Phase
from kafka_nextgen.membership.timers import Timer, disarmed

__all__ = ["send_heartbeat", "send_join", "send_leave", "send_sync"]

#: The coordinator truncates reasons to this length (KIP-800).
LONGEST_REASON = 255


def send_join(state: ClassicState, at: ClassicContext) -> Outcome:
    """Send the JoinGroup; the member is PREPARING."""
    settings = at.settings
    topics = topics_wanted(state)
    state, number = numbered(state)
    join = SendJoinGroup(
        number,
        state.member_id,
        settings.instance_id,
        settings.session_timeout_ms,
        settings.rebalance_timeout_ms,
        tuple(_offer(name, state) for name in settings.strategies),
        MemberSubscription(topics, state.owned | state.held, state.published, settings.rack_id),
        state.reason[:LONGEST_REASON],
        settings.join_timeout_s,
        state.join_reason,
    )
    state = evolve(
        state,
        status=Status.PREPARING,
        phase=Phase.IDLE,
        waits_for=None,
        request=number,
        in_flight=None,
        must_rejoin=False,
        matching=None,  # the next JoinGroup resolves the pattern again
        joined_topics=topics,
        joined_words=state.words,
        failed_assignor=None,
        roster=(),
        asked=None,
        is_in_doubt=False,
        deadlines=disarmed(state.deadlines, Timer.JOIN, Timer.HEARTBEAT, Timer.SESSION, Timer.TOPICS, Timer.WATCH),
    )
    return state, (join,)


def _offer(strategy: str, state: ClassicState) -> Offer:
    if strategy in state.words:
        return Offer(strategy, write_member_word(state.words[strategy]))
    if strategy != CooperativeStickyAssignor.name:
        return Offer(strategy)
    return Offer(strategy, generation_metadata(state.published).payload)


def send_sync(state: ClassicState, at: ClassicContext, assignments: tuple[MemberPart, ...] = ()) -> Outcome:
    """Send the SyncGroup; the leader's contains all assignments."""
    state, number = numbered(state)
    settings, strategy = at.settings, state.strategy
    timeout_s = settings.sync_timeout_s(strategy)
    who = number, state.member_id, settings.instance_id, state.generation
    return evolve(state, phase=Phase.IDLE, request=number), (SendSyncGroup(*who, strategy, timeout_s, assignments),)


def send_heartbeat(state: ClassicState, at: ClassicContext) -> Outcome:
    """Send a heartbeat, which keeps the session alive."""
    state, number = numbered(state)
    heartbeat = SendClassicHeartbeat(number, state.member_id, at.settings.instance_id, state.generation)
    deadlines = disarmed(state.deadlines, Timer.HEARTBEAT)
    return evolve(state, in_flight=number, sent_at=at.now, deadlines=deadlines), (heartbeat,)


def send_leave(state: ClassicState, at: ClassicContext, reason: str) -> Outcome:
    """Leave the group; the member id is no longer valid."""
    assert state.member_id, "only a member can leave"
    state, number = numbered(state)
    leave = SendLeaveGroup(number, state.member_id, at.settings.instance_id, reason)
    return evolve(state, member_id="", request=number), (leave,)

"""What a member does about each error code its coordinator can answer a heartbeat with (KIP-848,
"ConsumerGroupHeartbeat API"; Kafka's own consumer for what the text leaves open).

After any of them the next heartbeat, if there is one, is full. A member that is about to leave has no use for
the reasons: short of an error that passes, it counts itself out, and leaves without a heartbeat.
"""

from __future__ import annotations

from enum import Enum

from attrs import evolve

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.membership import fencing, heartbeats, losing
from kafka_nextgen.membership.effects import FindCoordinator, RaiseToApplication
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.membership.settings import Moment
from kafka_nextgen.membership.state import MemberState, Outcome
from kafka_nextgen.membership.timers import Timer, armed

__all__ = ["REACTIONS", "Reaction", "reaction_to", "refused", "refused_while_leaving"]


class Reaction(Enum):
    """What to do about an error."""

    FIND_COORDINATOR = "find_coordinator"  # and send again without waiting
    BACK_OFF = "back_off"  # it passes
    REJOIN = "rejoin"  # fenced: lose everything, join with epoch 0
    RAISE = "raise"  # the application should know, but it may be repaired: keep all, keep trying
    WAIT_FOR_INSTANCE_ID = "wait_for_instance_id"  # try for a while, then give up
    FAIL = "fail"  # raise it; nothing is sent any more


#: Every code that is not fatal. All others are: no repetition will make the coordinator take this member.
REACTIONS = {
    ErrorCode.NOT_COORDINATOR: Reaction.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE: Reaction.FIND_COORDINATOR,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS: Reaction.BACK_OFF,
    ErrorCode.FENCED_MEMBER_EPOCH: Reaction.REJOIN,
    ErrorCode.UNKNOWN_MEMBER_ID: Reaction.REJOIN,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: Reaction.RAISE,
    ErrorCode.UNRELEASED_INSTANCE_ID: Reaction.WAIT_FOR_INSTANCE_ID,
}


def reaction_to(code: int) -> Reaction:
    """What a member of the group does about an error code."""
    return next((reaction for known, reaction in REACTIONS.items() if known == code), Reaction.FAIL)


def refused(state: MemberState, event: HeartbeatRefused, at: Moment) -> Outcome:
    """The coordinator refused a heartbeat of a member that wants to stay."""
    state = heartbeats.failed(state)
    reaction = reaction_to(event.code)
    if reaction is Reaction.REJOIN:
        return fencing.be_fenced(state, at)
    if reaction is Reaction.FAIL:
        return fencing.fail_for_good(state, _error(event, fatal=True))
    if reaction is Reaction.WAIT_FOR_INSTANCE_ID:
        return _wait_for_instance_id(state, event, at)
    return _try_again(state, event, at, reaction)


def _try_again(state: MemberState, event: HeartbeatRefused, at: Moment, reaction: Reaction) -> Outcome:
    if reaction is Reaction.FIND_COORDINATOR:
        return heartbeats.back_off(state, at, first_at_once=True), (FindCoordinator(),)
    state = heartbeats.back_off(state, at)
    return state, (_error(event, fatal=False),) if reaction is Reaction.RAISE else ()


def _wait_for_instance_id(state: MemberState, event: HeartbeatRefused, at: Moment) -> Outcome:
    """Another member holds our instance id: a crashed predecessor, whose session will end, or a real conflict.

    KIP-848 ("Static Membership") makes this fatal at once. But a consumer that restarts in a container meets its own
    predecessor, so the member retries for a while. A timeout of 0 behaves as in the KIP.
    """
    deadline = state.instance_id_deadline
    if deadline is None:
        deadline = at.now + at.settings.instance_id_retry_timeout_s
    if at.now >= deadline:
        return fencing.fail_for_good(state, _error(event, fatal=True))
    state = heartbeats.back_off(evolve(state, instance_id_deadline=deadline), at)
    last_try = min(state.deadlines[Timer.HEARTBEAT], deadline)
    return evolve(state, deadlines=armed(state.deadlines, Timer.HEARTBEAT, last_try)), ()


def refused_while_leaving(state: MemberState, event: HeartbeatRefused, at: Moment) -> Outcome:
    """The coordinator refused a heartbeat of a member that is preparing to leave.

    If it is out of the group, what was about to be revoked is lost. What ``on_partitions_revoked`` was called
    for is not lost on top; that is only waited for.
    """
    state = heartbeats.failed(state)
    reaction = reaction_to(event.code)
    if reaction in (Reaction.FIND_COORDINATOR, Reaction.BACK_OFF, Reaction.RAISE):
        return _try_again(state, event, at, reaction)
    return losing.abandon_all(state) if state.held else losing.count_out(state)


def _error(event: HeartbeatRefused, *, fatal: bool) -> RaiseToApplication:
    return RaiseToApplication(event.code, event.message or name_of(event.code), fatal)

"""The member's action for each error code of ConsumerGroupHeartbeat (KIP-848, "ConsumerGroupHeartbeat API"; where the
KIP does not specify an action, the member follows Kafka's own consumer).

After any error the next heartbeat is full. A member that is about to leave retries transient errors only; after any
other error it is out of the group, and leaves without a heartbeat.
"""

from __future__ import annotations

from attrs import evolve

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.membership import heartbeats, losing
from kafka_nextgen.membership.effects import FindCoordinator, RaiseToApplication
from kafka_nextgen.membership.error_actions import COORDINATOR_ACTIONS, ErrorAction, ErrorActions
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.membership.settings import MemberContext
from kafka_nextgen.membership.state import MemberState, Outcome
from kafka_nextgen.membership.timers import Timer, armed

__all__ = ["HEARTBEAT_ACTIONS", "refused", "refused_while_leaving"]

#: Every code that is not fatal. After any other code the coordinator would refuse every retry.
HEARTBEAT_ACTIONS: ErrorActions = {
    **COORDINATOR_ACTIONS,
    ErrorCode.FENCED_MEMBER_EPOCH: ErrorAction.RESET_EPOCH,
    ErrorCode.UNKNOWN_MEMBER_ID: ErrorAction.RESET_EPOCH,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: ErrorAction.RAISE,
    ErrorCode.UNRELEASED_INSTANCE_ID: ErrorAction.WAIT_FOR_INSTANCE_ID,
}


def refused(state: MemberState, event: HeartbeatRefused, at: MemberContext) -> Outcome:
    """The coordinator refused a heartbeat of a member that is not leaving."""
    state = heartbeats.failed(state)
    action = HEARTBEAT_ACTIONS.get(event.code, ErrorAction.FAIL)
    if action is ErrorAction.RESET_EPOCH:
        return losing.be_fenced(state, at)
    if action is ErrorAction.FAIL:
        return losing.fail_for_good(state, _error(event, fatal=True))
    if action is ErrorAction.WAIT_FOR_INSTANCE_ID:
        return _wait_for_instance_id(state, event, at)
    return _try_again(state, event, at, action)


def _try_again(state: MemberState, event: HeartbeatRefused, at: MemberContext, action: ErrorAction) -> Outcome:
    if action is ErrorAction.FIND_COORDINATOR:
        return heartbeats.back_off(state, at, first_at_once=True), (FindCoordinator(),)
    state = heartbeats.back_off(state, at)
    return state, (_error(event, fatal=False),) if action is ErrorAction.RAISE else ()


def _wait_for_instance_id(state: MemberState, event: HeartbeatRefused, at: MemberContext) -> Outcome:
    """Another member holds this instance id: a crashed predecessor, whose session will expire, or a real conflict.

    KIP-848 ("Static Membership") makes this fatal immediately. But a consumer that restarts in a container conflicts
    with its own predecessor, so the member retries for a while. A timeout of 0 behaves as in the KIP.
    """
    deadline = state.instance_id_deadline
    if deadline is None:
        deadline = at.now + at.settings.instance_id_retry_timeout_s
    if at.now >= deadline:
        return losing.fail_for_good(state, _error(event, fatal=True))
    state = heartbeats.back_off(evolve(state, instance_id_deadline=deadline), at)
    next_heartbeat = min(state.deadlines[Timer.HEARTBEAT], deadline)  # the last attempt is at the deadline
    return evolve(state, deadlines=armed(state.deadlines, Timer.HEARTBEAT, next_heartbeat)), ()


def refused_while_leaving(state: MemberState, event: HeartbeatRefused, at: MemberContext) -> Outcome:
    """The coordinator refused a heartbeat of a member that is preparing to leave.

    If the member was removed, the partitions not yet revoked are lost. Those for which ``on_partitions_revoked`` is
    running are not also reported as lost; the member waits for that callback.
    """
    state = heartbeats.failed(state)
    action = HEARTBEAT_ACTIONS.get(event.code, ErrorAction.FAIL)
    if action in (ErrorAction.FIND_COORDINATOR, ErrorAction.RETRY, ErrorAction.RAISE):
        return _try_again(state, event, at, action)
    return losing.abandon_all(state) if state.held else losing.count_out(state)


def _error(event: HeartbeatRefused, *, fatal: bool) -> RaiseToApplication:
    return RaiseToApplication(event.code, event.message or name_of(event.code), fatal)

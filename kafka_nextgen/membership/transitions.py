"""The membership protocol as a table: what a member does in each status on each event.

The rules in prose (KIP-848, "Member Lifecycle", "Fencing", "Consumer"):

1. A member that subscribes is JOINING. The coordinator's response contains an epoch, a heartbeat interval and a target
   assignment. The member is then RECONCILING: it commits, revokes and assigns until it owns the target. Next it is
   ACKNOWLEDGING: its next heartbeat reports what it owns. When that heartbeat is answered, the member is STABLE.
2. Any response may contain a new target. Only the latest one counts, but the member finishes a running reconciliation
   first.
3. After a transient error the member sends a full heartbeat again. After any other error it loses its partitions. It is
   then either FATAL, or FENCED until the callbacks have returned, after which it joins again.
4. A member that closes or unsubscribes is PREPARE_LEAVING while it commits and revokes, LEAVING until the leave is
   answered or times out, and finally UNSUBSCRIBED. If the application stops polling, the member is LEAVING immediately,
   and then STALE until the application polls. If the last callback before leaving takes longer than
   ``max.poll.interval.ms``, the member leaves immediately too, and is STALE until the callback returns.
5. A FATAL member sends no more requests.
6. A completion is late if the member waits for another number. It is ignored in every status.

Each row of ``RULES`` has a status, an event, the rule that applies, and the statuses that the rule may lead to.
``IGNORED`` has a reason for every pair of status and event without a rule. Importing this module fails if a pair is in
neither table or in both. Applying a rule fails if it leads to a status that its row does not list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership import failures, heartbeats, joining, leaving, reconciliation, resolving
from kafka_nextgen.membership.any_member import callback_finished, note_decision, polled
from kafka_nextgen.membership.settings import MemberContext
from kafka_nextgen.membership.state import MemberState, Outcome
from kafka_nextgen.membership.state_machine import IgnoredIn, RowOf, all_ignored, ignored, row, rows, stay, whole_table
from kafka_nextgen.membership.states import Status

__all__ = ["IGNORED", "RULES", "TABLE", "Ignored", "Row", "Rule"]

Rule = Callable[[MemberState, ev.Event, MemberContext], Outcome]


Row = RowOf[Status, Rule]
Ignored = IgnoredIn[Status]


UNSUBSCRIBED = Status.UNSUBSCRIBED
JOINING = Status.JOINING
RECONCILING = Status.RECONCILING
ACKNOWLEDGING = Status.ACKNOWLEDGING
STABLE = Status.STABLE
FENCED = Status.FENCED
PREPARE_LEAVING = Status.PREPARE_LEAVING
LEAVING = Status.LEAVING
STALE = Status.STALE
FATAL = Status.FATAL

NOT_HEARTBEATING = (UNSUBSCRIBED, FENCED, STALE, FATAL)


def _all_but(*statuses: Status) -> tuple[Status, ...]:
    return tuple(status for status in Status if status not in statuses)


RULES: tuple[Row, ...] = (
    # Not in a group.
    row(UNSUBSCRIBED, ev.Subscribed, joining.subscribe, JOINING),
    *rows(UNSUBSCRIBED, ev.LEAVE_DECIDED, leaving.leave_outside_group, UNSUBSCRIBED),
    # Joining.
    row(JOINING, ev.HeartbeatAnswered, joining.admitted, JOINING, RECONCILING),
    row(JOINING, ev.HeartbeatRefused, failures.refused, JOINING, FATAL),
    row(JOINING, ev.Unsubscribed, leaving.prepare_leaving, LEAVING),
    row(JOINING, ev.Closed, leaving.prepare_leaving, LEAVING, UNSUBSCRIBED),
    row(JOINING, ev.Polled, polled, JOINING),
    row(JOINING, ev.TimePassed, leaving.time_passed, JOINING, LEAVING),
    # Reconciling to the target.
    row(RECONCILING, ev.TopicsResolved, reconciliation.topics_resolved, RECONCILING),
    row(RECONCILING, ev.Polled, reconciliation.polled_while_reconciling, RECONCILING),
    row(RECONCILING, ev.CommitFinished, reconciliation.commit_finished, RECONCILING),
    row(RECONCILING, ev.RevokeFinished, reconciliation.revoke_finished, RECONCILING),
    row(RECONCILING, ev.AssignFinished, reconciliation.assign_finished, RECONCILING, ACKNOWLEDGING),
    row(RECONCILING, ev.HeartbeatAnswered, reconciliation.heartbeat_answered, RECONCILING),
    row(RECONCILING, ev.HeartbeatRefused, failures.refused, RECONCILING, JOINING, FENCED, FATAL),
    row(RECONCILING, ev.Unsubscribed, leaving.prepare_leaving, PREPARE_LEAVING, LEAVING),
    row(RECONCILING, ev.Closed, leaving.prepare_leaving, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED),
    row(RECONCILING, ev.TimePassed, leaving.time_passed_while_reconciling, RECONCILING, LEAVING),
    # Owns the target, not acknowledged yet.
    row(ACKNOWLEDGING, ev.HeartbeatAnswered, reconciliation.acknowledged, ACKNOWLEDGING, RECONCILING, STABLE),
    row(ACKNOWLEDGING, ev.HeartbeatRefused, failures.refused, ACKNOWLEDGING, JOINING, FENCED, FATAL),
    row(ACKNOWLEDGING, ev.TopicsResolved, resolving.remember_names, ACKNOWLEDGING),
    row(ACKNOWLEDGING, ev.Unsubscribed, leaving.prepare_leaving, PREPARE_LEAVING, LEAVING),
    row(ACKNOWLEDGING, ev.Closed, leaving.prepare_leaving, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED),
    row(ACKNOWLEDGING, ev.Polled, polled, ACKNOWLEDGING),
    row(ACKNOWLEDGING, ev.TimePassed, leaving.time_passed, ACKNOWLEDGING, LEAVING),
    # Owns the target, acknowledged.
    row(STABLE, ev.HeartbeatAnswered, reconciliation.heartbeat_answered, STABLE, RECONCILING),
    row(STABLE, ev.HeartbeatRefused, failures.refused, STABLE, JOINING, FENCED, FATAL),
    row(STABLE, ev.Unsubscribed, leaving.prepare_leaving, PREPARE_LEAVING, LEAVING),
    row(STABLE, ev.Closed, leaving.prepare_leaving, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED),
    row(STABLE, ev.Polled, polled, STABLE),
    row(STABLE, ev.TimePassed, leaving.time_passed, STABLE, LEAVING),
    # Removed from the group; waits for the callbacks to return.
    *rows(FENCED, ev.CALLBACK_FINISHED, leaving.callback_finished_when_out, JOINING, UNSUBSCRIBED),
    *rows(FENCED, ev.LEAVE_DECIDED, leaving.leave_outside_group, FENCED),
    # Gives up its partitions before leaving.
    row(PREPARE_LEAVING, ev.CommitFinished, leaving.commit_finished, PREPARE_LEAVING),
    row(PREPARE_LEAVING, ev.RevokeFinished, leaving.continue_leaving, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED, JOINING),
    row(PREPARE_LEAVING, ev.AssignFinished, leaving.continue_leaving, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED, JOINING),
    row(PREPARE_LEAVING, ev.LossFinished, leaving.callback_finished_when_out, UNSUBSCRIBED, JOINING),
    row(PREPARE_LEAVING, ev.HeartbeatAnswered, heartbeats.keep_session, PREPARE_LEAVING),
    row(PREPARE_LEAVING, ev.HeartbeatRefused, failures.refused_while_leaving, PREPARE_LEAVING),
    row(PREPARE_LEAVING, ev.Unsubscribed, note_decision, PREPARE_LEAVING),
    row(PREPARE_LEAVING, ev.Closed, note_decision, PREPARE_LEAVING),
    row(PREPARE_LEAVING, ev.TimePassed, leaving.expire_while_leaving, PREPARE_LEAVING, LEAVING, STALE),
    # Waits for the response to its leave.
    *rows(LEAVING, ev.HEARTBEAT_ENDED, leaving.left, UNSUBSCRIBED, STALE, JOINING),
    row(LEAVING, ev.TimePassed, leaving.leave_timed_out, LEAVING, UNSUBSCRIBED, STALE, JOINING),
    row(LEAVING, ev.LossFinished, callback_finished, LEAVING),
    row(LEAVING, ev.RevokeFinished, callback_finished, LEAVING),
    row(LEAVING, ev.AssignFinished, callback_finished, LEAVING),
    row(LEAVING, ev.Unsubscribed, note_decision, LEAVING),
    row(LEAVING, ev.Closed, note_decision, LEAVING),
    # Left the group because the application stopped polling.
    row(STALE, ev.Polled, leaving.rejoin_on_poll, STALE, JOINING),
    *rows(STALE, ev.CALLBACK_FINISHED, leaving.callback_finished_when_out, STALE, UNSUBSCRIBED, JOINING),
    *rows(STALE, ev.LEAVE_DECIDED, leaving.leave_outside_group, STALE, UNSUBSCRIBED),
    # Refused permanently.
    *rows(FATAL, ev.CALLBACK_FINISHED, leaving.callback_finished_when_out, FATAL),
    *rows(FATAL, ev.LEAVE_DECIDED, leaving.leave_outside_group, FATAL),
    # Changes of the subscription, assignors and standby state are sent with the next heartbeats, in any status.
    *stay(ev.Subscribed, joining.change_subscription, *_all_but(UNSUBSCRIBED, FATAL)),
    *stay(ev.AssignorsAsked, joining.note_assignors, *_all_but(FATAL)),
    *stay(ev.StandbyStateChanged, joining.note_standby_state, *_all_but(FATAL)),
    # A target computed by this member's local assignor was accepted.
    *stay(ev.TargetInstalled, heartbeats.ask_for_share, RECONCILING, ACKNOWLEDGING, STABLE),
    # A heartbeat got no response.
    *stay(ev.HeartbeatLost, heartbeats.lost, *heartbeats.HEARTBEATING),
)

IGNORED: tuple[Ignored, ...] = (
    ignored(ev.Subscribed, "the coordinator will not accept this member with any subscription", FATAL),
    ignored(ev.TargetInstalled, "it has no share, or is giving it up", *NOT_HEARTBEATING, PREPARE_LEAVING, LEAVING),
    ignored(ev.TargetInstalled, "its next heartbeat, the join, requests its share anyway", JOINING),
    ignored(ev.AssignorsAsked, "it sends no more heartbeats", FATAL),
    ignored(ev.StandbyStateChanged, "it sends no more heartbeats", FATAL),
    ignored(ev.Polled, "there is no session for a poll to keep alive", UNSUBSCRIBED, FENCED, FATAL),
    ignored(ev.Polled, "it is leaving anyway; a STALE member needs another poll", PREPARE_LEAVING, LEAVING),
    ignored(ev.TimePassed, "no timer runs", *NOT_HEARTBEATING),
    *all_ignored(ev.HEARTBEAT_ENDED, "no heartbeat is in flight", *NOT_HEARTBEATING),
    ignored(ev.TopicsResolved, "it has no target, so it needs no topic names", *NOT_HEARTBEATING, JOINING),
    ignored(ev.TopicsResolved, "it no longer follows a target", PREPARE_LEAVING, LEAVING),
    ignored(ev.TopicsResolved, "all topics of the target have names", STABLE),
    ignored(ev.CommitFinished, "no commit is pending", *_all_but(RECONCILING, PREPARE_LEAVING)),
    ignored(ev.RevokeFinished, "nothing is being revoked", UNSUBSCRIBED, JOINING, ACKNOWLEDGING, STABLE),
    ignored(ev.AssignFinished, "nothing is being assigned", UNSUBSCRIBED, JOINING, ACKNOWLEDGING, STABLE),
    ignored(ev.LossFinished, "a member in the group has lost nothing", JOINING, RECONCILING, ACKNOWLEDGING, STABLE),
    ignored(ev.LossFinished, "it has no partitions to lose", UNSUBSCRIBED),
)

#: The row for each status and event that has one.
TABLE = whole_table(RULES, IGNORED, Status, get_args(ev.Event))

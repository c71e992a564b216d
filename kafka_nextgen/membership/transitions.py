"""The membership protocol as a table: what a member does in each status on each event.

The rules in prose (KIP-848, "Member Lifecycle", "Fencing", "Consumer"):

1.  A member that subscribes is JOINING. The coordinator's answer brings an epoch, a heartbeat interval and a
    target assignment. It is then RECONCILING: it commits, revokes and assigns until it owns the target, as
    ACKNOWLEDGING says so, and when that is answered it is STABLE.
2.  A target may come with any answer. The latest counts; what is under way is finished first.
3.  What the coordinator refuses is either repeated in full, or costs the member its partitions: it is FENCED
    until the application has heard of its loss and joins again, or it is FATAL.
4.  A member leaves by PREPARE_LEAVING, in which it commits and revokes, and LEAVING, which lasts until the leave
    is answered or given up; it ends UNSUBSCRIBED. One whose application stopped polling goes to LEAVING at once
    and is STALE after it, until the application polls. So does one whose last callback takes as long; it is STALE
    until that returns.
5.  A member that is FATAL sends nothing any more.
6.  A completion whose number is not the one the member waits for is late, and means nothing in any status.

``RULES`` is read downwards: in this status, on this event, this rule applies, and leads to one of these statuses.
``IGNORED`` has the reason for every pair that has no rule. A pair in neither, or in both, is a mistake that shows
when this module is imported; a rule that leads elsewhere, when it is applied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from kafka_nextgen.membership import failures, fencing, heartbeats, joining, leaving, polling, reconciliation, resolving
from kafka_nextgen.membership.any_member import note_decision
from kafka_nextgen.membership.events import (
    AssignFinished,
    AssignorsAsked,
    Closed,
    CommitFinished,
    Event,
    HeartbeatAnswered,
    HeartbeatLost,
    HeartbeatRefused,
    LossFinished,
    Polled,
    RevokeFinished,
    Subscribed,
    TargetInstalled,
    TimePassed,
    TopicsResolved,
    Unsubscribed,
)
from kafka_nextgen.membership.settings import Moment
from kafka_nextgen.membership.state import MemberState, Outcome
from kafka_nextgen.membership.states import Status
from kafka_nextgen.membership.table import IgnoredIn, RowOf, ignored, row, whole_table

__all__ = ["IGNORED", "RULES", "TABLE", "Ignored", "Row", "Rule"]

Rule = Callable[[MemberState, Event, Moment], Outcome]


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

RULES: tuple[Row, ...] = (
    # Not in a group.
    row(UNSUBSCRIBED, Subscribed, joining.subscribe, JOINING),
    row(UNSUBSCRIBED, Unsubscribed, leaving.out_already, UNSUBSCRIBED),
    row(UNSUBSCRIBED, Closed, leaving.out_already, UNSUBSCRIBED),
    # Asking to be let in.
    row(JOINING, HeartbeatAnswered, joining.admitted, JOINING, RECONCILING),
    row(JOINING, HeartbeatRefused, failures.refused, JOINING, FATAL),
    row(JOINING, HeartbeatLost, heartbeats.lost, JOINING),
    row(JOINING, Subscribed, joining.change_subscription, JOINING),
    row(JOINING, Unsubscribed, leaving.give_up, LEAVING),
    row(JOINING, Closed, leaving.give_up, LEAVING, UNSUBSCRIBED),
    row(JOINING, Polled, polling.polled, JOINING),
    row(JOINING, TimePassed, polling.time_passed, JOINING, LEAVING),
    # On the way to the target.
    row(RECONCILING, TopicsResolved, reconciliation.topics_resolved, RECONCILING),
    row(RECONCILING, Polled, polling.polled_while_reconciling, RECONCILING),
    row(RECONCILING, CommitFinished, reconciliation.commit_finished, RECONCILING),
    row(RECONCILING, RevokeFinished, reconciliation.revoke_finished, RECONCILING),
    row(RECONCILING, AssignFinished, reconciliation.assign_finished, RECONCILING, ACKNOWLEDGING),
    row(RECONCILING, HeartbeatAnswered, reconciliation.heartbeat_answered, RECONCILING),
    row(RECONCILING, HeartbeatRefused, failures.refused, RECONCILING, JOINING, FENCED, FATAL),
    row(RECONCILING, HeartbeatLost, heartbeats.lost, RECONCILING),
    row(RECONCILING, Subscribed, joining.change_subscription, RECONCILING),
    row(RECONCILING, Unsubscribed, leaving.give_up, PREPARE_LEAVING, LEAVING),
    row(RECONCILING, Closed, leaving.give_up, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED),
    row(RECONCILING, TimePassed, polling.time_passed_while_reconciling, RECONCILING, LEAVING),
    # There, and about to say so.
    row(ACKNOWLEDGING, HeartbeatAnswered, reconciliation.acknowledged, ACKNOWLEDGING, RECONCILING, STABLE),
    row(ACKNOWLEDGING, HeartbeatRefused, failures.refused, ACKNOWLEDGING, JOINING, FENCED, FATAL),
    row(ACKNOWLEDGING, HeartbeatLost, heartbeats.lost, ACKNOWLEDGING),
    row(ACKNOWLEDGING, TopicsResolved, resolving.remember_names, ACKNOWLEDGING),
    row(ACKNOWLEDGING, Subscribed, joining.change_subscription, ACKNOWLEDGING),
    row(ACKNOWLEDGING, Unsubscribed, leaving.give_up, PREPARE_LEAVING, LEAVING),
    row(ACKNOWLEDGING, Closed, leaving.give_up, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED),
    row(ACKNOWLEDGING, Polled, polling.polled, ACKNOWLEDGING),
    row(ACKNOWLEDGING, TimePassed, polling.time_passed, ACKNOWLEDGING, LEAVING),
    # Owns what it is to own.
    row(STABLE, HeartbeatAnswered, reconciliation.heartbeat_answered, STABLE, RECONCILING),
    row(STABLE, HeartbeatRefused, failures.refused, STABLE, JOINING, FENCED, FATAL),
    row(STABLE, HeartbeatLost, heartbeats.lost, STABLE),
    row(STABLE, Subscribed, joining.change_subscription, STABLE),
    row(STABLE, Unsubscribed, leaving.give_up, PREPARE_LEAVING, LEAVING),
    row(STABLE, Closed, leaving.give_up, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED),
    row(STABLE, Polled, polling.polled, STABLE),
    row(STABLE, TimePassed, polling.time_passed, STABLE, LEAVING),
    # Thrown out; the application is being told.
    row(FENCED, LossFinished, fencing.callback_finished, JOINING, UNSUBSCRIBED),
    row(FENCED, RevokeFinished, fencing.callback_finished, JOINING, UNSUBSCRIBED),
    row(FENCED, AssignFinished, fencing.callback_finished, JOINING, UNSUBSCRIBED),
    row(FENCED, Subscribed, joining.change_subscription, FENCED),
    row(FENCED, Unsubscribed, leaving.out_already, FENCED),
    row(FENCED, Closed, leaving.out_already, FENCED),
    # Gives up its partitions before it leaves.
    row(PREPARE_LEAVING, CommitFinished, leaving.commit_finished, PREPARE_LEAVING),
    row(PREPARE_LEAVING, RevokeFinished, leaving.callback_finished, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED, JOINING),
    row(PREPARE_LEAVING, AssignFinished, leaving.callback_finished, PREPARE_LEAVING, LEAVING, UNSUBSCRIBED, JOINING),
    row(PREPARE_LEAVING, LossFinished, fencing.callback_finished, UNSUBSCRIBED, JOINING),
    row(PREPARE_LEAVING, HeartbeatAnswered, heartbeats.keep_session, PREPARE_LEAVING),
    row(PREPARE_LEAVING, HeartbeatRefused, failures.refused_while_leaving, PREPARE_LEAVING),
    row(PREPARE_LEAVING, HeartbeatLost, heartbeats.lost, PREPARE_LEAVING),
    row(PREPARE_LEAVING, Subscribed, joining.change_subscription, PREPARE_LEAVING),
    row(PREPARE_LEAVING, Unsubscribed, note_decision, PREPARE_LEAVING),
    row(PREPARE_LEAVING, Closed, note_decision, PREPARE_LEAVING),
    row(PREPARE_LEAVING, TimePassed, leaving.expire_while_leaving, PREPARE_LEAVING, LEAVING, STALE),
    # The leave is on its way.
    row(LEAVING, HeartbeatAnswered, leaving.left, UNSUBSCRIBED, STALE, JOINING),
    row(LEAVING, HeartbeatRefused, leaving.left, UNSUBSCRIBED, STALE, JOINING),
    row(LEAVING, HeartbeatLost, leaving.left, UNSUBSCRIBED, STALE, JOINING),
    row(LEAVING, TimePassed, leaving.time_passed, LEAVING, UNSUBSCRIBED, STALE, JOINING),
    row(LEAVING, LossFinished, leaving.heard_while_leaving, LEAVING),
    row(LEAVING, RevokeFinished, leaving.heard_while_leaving, LEAVING),
    row(LEAVING, AssignFinished, leaving.heard_while_leaving, LEAVING),
    row(LEAVING, Subscribed, joining.change_subscription, LEAVING),
    row(LEAVING, Unsubscribed, note_decision, LEAVING),
    row(LEAVING, Closed, note_decision, LEAVING),
    # Out, because the application stopped polling.
    row(STALE, Polled, leaving.return_if_heard, STALE, JOINING),
    row(STALE, LossFinished, fencing.callback_finished, STALE, UNSUBSCRIBED, JOINING),
    row(STALE, RevokeFinished, fencing.callback_finished, STALE, UNSUBSCRIBED, JOINING),
    row(STALE, AssignFinished, fencing.callback_finished, STALE, UNSUBSCRIBED, JOINING),
    row(STALE, Subscribed, joining.change_subscription, STALE),
    row(STALE, Unsubscribed, leaving.out_already, STALE, UNSUBSCRIBED),
    row(STALE, Closed, leaving.out_already, STALE, UNSUBSCRIBED),
    # Out for good.
    row(FATAL, LossFinished, fencing.callback_finished, FATAL),
    row(FATAL, RevokeFinished, fencing.callback_finished, FATAL),
    row(FATAL, AssignFinished, fencing.callback_finished, FATAL),
    row(FATAL, Unsubscribed, leaving.out_already, FATAL),
    row(FATAL, Closed, leaving.out_already, FATAL),
    # One of its own assignors has made a target.
    row(RECONCILING, TargetInstalled, heartbeats.ask_for_share, RECONCILING),
    row(ACKNOWLEDGING, TargetInstalled, heartbeats.ask_for_share, ACKNOWLEDGING),
    row(STABLE, TargetInstalled, heartbeats.ask_for_share, STABLE),
    # What its own assignors have to say goes out with the next heartbeats, wherever it stands.
    *(row(status, AssignorsAsked, joining.note_assignors, status) for status in Status if status is not FATAL),
)

NOT_HEARTBEATING = (UNSUBSCRIBED, FENCED, STALE, FATAL)
NOT_COMMITTING = tuple(status for status in Status if status not in (RECONCILING, PREPARE_LEAVING))

IGNORED: tuple[Ignored, ...] = (
    ignored(Subscribed, "no subscription makes the coordinator take this member", FATAL),
    ignored(TargetInstalled, "it has no share in it, or gives it up", *NOT_HEARTBEATING, PREPARE_LEAVING, LEAVING),
    ignored(TargetInstalled, "its next heartbeat, which joins, asks anyhow", JOINING),
    ignored(AssignorsAsked, "nothing is sent that could say so", FATAL),
    ignored(Polled, "there is no session that a poll would keep", UNSUBSCRIBED, FENCED, FATAL),
    ignored(Polled, "it is leaving anyway; a STALE member asks for another poll", PREPARE_LEAVING, LEAVING),
    ignored(TimePassed, "no timer runs", *NOT_HEARTBEATING),
    ignored(HeartbeatAnswered, "no heartbeat is in flight", *NOT_HEARTBEATING),
    ignored(HeartbeatRefused, "no heartbeat is in flight", *NOT_HEARTBEATING),
    ignored(HeartbeatLost, "no heartbeat is in flight", *NOT_HEARTBEATING),
    ignored(TopicsResolved, "there is no target whose topics need names", *NOT_HEARTBEATING, JOINING),
    ignored(TopicsResolved, "no target is followed any more", PREPARE_LEAVING, LEAVING),
    ignored(TopicsResolved, "all topics of the target have names", STABLE),
    ignored(CommitFinished, "no commit is waited for", *NOT_COMMITTING),
    ignored(RevokeFinished, "nothing is being revoked", UNSUBSCRIBED, JOINING, ACKNOWLEDGING, STABLE),
    ignored(AssignFinished, "nothing is being assigned", UNSUBSCRIBED, JOINING, ACKNOWLEDGING, STABLE),
    ignored(LossFinished, "a member of the group has lost nothing", JOINING, RECONCILING, ACKNOWLEDGING, STABLE),
    ignored(LossFinished, "it has nothing to lose", UNSUBSCRIBED),
)

#: The row for each status and event that has one.
TABLE = whole_table(RULES, IGNORED, Status, get_args(Event))

"""The classic protocol as a table: what a member does in each status on each event.

The rules in prose (KIP-62 for heartbeats and polling, KIP-345 for static members, KIP-429 for cooperation):

1. A member that subscribes is UNJOINED until it sends its JoinGroup, and PREPARING until the response arrives, which is
   when the whole group has joined. In the new generation it is COMPLETING: the leader assigns, and every member asks
   for its part with a SyncGroup. When the response arrives, the member is STABLE.
2. A STABLE member takes over its assignment and sends heartbeats. When there is a reason to join again, it finishes the
   current step, prepares, and starts again at 1.
3. After a retriable error the member tries again. After any other error it loses its partitions: it is UNJOINED until
   the application has been informed, and then joins again; or it is FATAL.
4. A member that closes or unsubscribes is PREPARE_LEAVING while it commits and revokes, LEAVING until the LeaveGroup is
   answered or times out, and UNSUBSCRIBED at the end. A member whose application stopped polling is STALE until the
   application polls. A member whose last callback takes longer than the poll interval is STALE until the callback
   returns.
5. A FATAL member sends nothing more.
6. A completion is late if the member waits for another number. It is ignored in every status.

After each rule the member sends what is due: a JoinGroup, a topic lookup, a heartbeat. A row's statuses include that
step.

Each row of ``RULES`` has a status, an event, the rule that applies, and the statuses that the rule may lead to.
``IGNORED`` has a reason for every pair of status and event without a rule. Importing this module fails if a pair is in
neither table or in both. Applying a rule fails if it leads to a status that its row does not list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from kafka_nextgen.membership.any_member import note_decision, polled
from kafka_nextgen.membership.classic import (
    computing,
    failures,
    heartbeats,
    joining,
    leaving,
    losing,
    rebalancing,
    topics,
)
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.membership.classic.settings import ClassicContext
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.events import (
    CALLBACK_FINISHED,
    LEAVE_DECIDED,
    AssignFinished,
    AssignorsAsked,
    Closed,
    CommitFinished,
    HeartbeatLost,
    HeartbeatRefused,
    LossFinished,
    Polled,
    RevokeFinished,
    Subscribed,
    TimePassed,
    Unsubscribed,
)
from kafka_nextgen.membership.state_machine import IgnoredIn, RowOf, all_ignored, ignored, row, rows, stay, whole_table

__all__ = ["IGNORED", "RULES", "TABLE", "Ignored", "Row", "Rule"]

Rule = Callable[[ClassicState, ev.ClassicEvent, ClassicContext], Outcome]


Row = RowOf[Status, Rule]
Ignored = IgnoredIn[Status]


UNSUBSCRIBED = Status.UNSUBSCRIBED
UNJOINED = Status.UNJOINED
PREPARING = Status.PREPARING
COMPLETING = Status.COMPLETING
STABLE = Status.STABLE
PREPARE_LEAVING = Status.PREPARE_LEAVING
LEAVING = Status.LEAVING
STALE = Status.STALE
FATAL = Status.FATAL

OUT = (UNSUBSCRIBED, LEAVING, STALE, FATAL)
OUT_AT_ONCE = (PREPARE_LEAVING, LEAVING, UNSUBSCRIBED)


def _all_but(*statuses: Status) -> tuple[Status, ...]:
    return tuple(status for status in Status if status not in statuses)


RULES: tuple[Row, ...] = (
    # Not in a group.
    row(UNSUBSCRIBED, Subscribed, joining.subscribe, UNJOINED, PREPARING),
    *rows(UNSUBSCRIBED, LEAVE_DECIDED, leaving.leave_outside_group, UNSUBSCRIBED),
    # A JoinGroup is due.
    *rows(UNJOINED, CALLBACK_FINISHED, losing.loss_reported, UNJOINED, PREPARING),
    row(UNJOINED, ev.TopicsDescribed, topics.described_for_join, PREPARING),
    row(UNJOINED, Subscribed, joining.change_subscription_before_joining, UNJOINED, PREPARING),
    *rows(UNJOINED, LEAVE_DECIDED, leaving.leave_during_rebalance, *OUT_AT_ONCE),
    row(UNJOINED, AssignorsAsked, computing.note_metadata, UNJOINED, PREPARING),
    row(UNJOINED, Polled, polled, UNJOINED, PREPARING),
    row(UNJOINED, TimePassed, leaving.time_passed, UNJOINED, PREPARING, STALE),
    # The group is joining.
    row(PREPARING, ev.JoinAnswered, joining.joined, COMPLETING, FATAL),
    row(PREPARING, ev.JoinRefused, failures.join_refused, UNJOINED, PREPARING, FATAL),
    row(PREPARING, ev.JoinLost, joining.join_lost, UNJOINED),
    row(PREPARING, Subscribed, joining.change_subscription_of_member, PREPARING),
    *rows(PREPARING, LEAVE_DECIDED, leaving.leave_during_rebalance, *OUT_AT_ONCE),
    row(PREPARING, Polled, polled, PREPARING),
    row(PREPARING, TimePassed, leaving.time_passed, PREPARING, STALE),
    # The leader is assigning.
    row(COMPLETING, ev.SyncAnswered, joining.synced, STABLE, PREPARING, FATAL),
    row(COMPLETING, ev.SyncRefused, failures.sync_refused, UNJOINED, PREPARING, FATAL),
    row(COMPLETING, ev.SyncLost, joining.sync_lost, UNJOINED),
    row(COMPLETING, ev.TopicsDescribed, topics.described_for_leader, COMPLETING),
    row(COMPLETING, ev.AssignorReturned, computing.returned, COMPLETING),
    row(COMPLETING, ev.AssignorFailed, computing.failed, COMPLETING),
    row(COMPLETING, HeartbeatRefused, failures.heartbeat_refused, COMPLETING, UNJOINED, PREPARING, FATAL),
    row(COMPLETING, ev.CommitRefused, failures.commit_refused, COMPLETING, UNJOINED, PREPARING, FATAL),
    row(COMPLETING, Subscribed, joining.change_subscription_of_member, COMPLETING),
    row(COMPLETING, ev.RebalanceEnforced, joining.enforce, COMPLETING),
    *rows(COMPLETING, LEAVE_DECIDED, leaving.leave_during_rebalance, *OUT_AT_ONCE),
    row(COMPLETING, Polled, polled, COMPLETING),
    row(COMPLETING, TimePassed, leaving.time_passed, COMPLETING, STALE),
    # Applies and keeps its assignment, and prepares for the next one.
    row(STABLE, HeartbeatRefused, failures.heartbeat_refused, STABLE, UNJOINED, PREPARING, FATAL),
    row(STABLE, ev.CommitRefused, failures.commit_refused, STABLE, UNJOINED, PREPARING, FATAL),
    row(STABLE, CommitFinished, rebalancing.commit_finished, STABLE, UNJOINED, PREPARING),
    row(STABLE, RevokeFinished, rebalancing.revoke_finished, STABLE, UNJOINED, PREPARING),
    row(STABLE, AssignFinished, rebalancing.assign_finished, STABLE, PREPARING),
    row(STABLE, ev.TopicsDescribed, topics.described_when_stable, STABLE, PREPARING),
    row(STABLE, Subscribed, joining.change_subscription_of_member, STABLE, PREPARING),
    row(STABLE, AssignorsAsked, computing.note_metadata, STABLE, PREPARING),
    row(STABLE, ev.RebalanceEnforced, joining.enforce, STABLE, PREPARING),
    *rows(STABLE, LEAVE_DECIDED, leaving.prepare_leaving, *OUT_AT_ONCE),
    row(STABLE, Polled, joining.polled_when_stable, STABLE, PREPARING),
    row(STABLE, TimePassed, leaving.time_passed, STABLE, STALE),
    # Gives up its partitions before it leaves.
    row(PREPARE_LEAVING, CommitFinished, leaving.commit_finished, PREPARE_LEAVING),
    row(PREPARE_LEAVING, RevokeFinished, leaving.continue_leaving, *OUT_AT_ONCE, UNJOINED, PREPARING),
    row(PREPARE_LEAVING, AssignFinished, leaving.continue_leaving, *OUT_AT_ONCE, UNJOINED, PREPARING),
    row(PREPARE_LEAVING, LossFinished, leaving.loss_reported, LEAVING, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(PREPARE_LEAVING, HeartbeatRefused, failures.heartbeat_refused_while_leaving, PREPARE_LEAVING),
    row(PREPARE_LEAVING, ev.CommitRefused, failures.commit_refused_while_leaving, PREPARE_LEAVING),
    row(PREPARE_LEAVING, Unsubscribed, note_decision, PREPARE_LEAVING),
    row(PREPARE_LEAVING, Closed, note_decision, PREPARE_LEAVING),
    row(PREPARE_LEAVING, TimePassed, leaving.expire_while_leaving, PREPARE_LEAVING, STALE),
    # The LeaveGroup is in flight.
    row(LEAVING, ev.LeaveEnded, leaving.left, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(LEAVING, TimePassed, leaving.leave_timed_out, LEAVING, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(LEAVING, Unsubscribed, note_decision, LEAVING),
    row(LEAVING, Closed, note_decision, LEAVING),
    # Left because the application stopped polling.
    row(STALE, Polled, leaving.rejoin_on_poll, STALE, UNJOINED, PREPARING),
    *rows(STALE, CALLBACK_FINISHED, leaving.callback_finished_when_out, STALE, UNSUBSCRIBED, UNJOINED, PREPARING),
    *rows(STALE, LEAVE_DECIDED, leaving.leave_outside_group, STALE, UNSUBSCRIBED),
    # Failed permanently.
    *rows(FATAL, CALLBACK_FINISHED, leaving.callback_finished_when_out, FATAL),
    *rows(FATAL, LEAVE_DECIDED, leaving.leave_outside_group, FATAL),
    # In every status with heartbeats.
    *stay(ev.SessionKept, heartbeats.kept, *heartbeats.HEARTBEATING),
    *stay(HeartbeatLost, heartbeats.lost, *heartbeats.HEARTBEATING),
    # Stored for the next JoinGroup.
    *stay(Subscribed, joining.change_subscription, PREPARE_LEAVING, LEAVING, STALE),
    *stay(AssignorsAsked, computing.note_metadata, *_all_but(UNJOINED, STABLE, FATAL)),
    # Retried after a backoff.
    *stay(ev.TopicsNotDescribed, topics.not_described, UNJOINED, COMPLETING, STABLE),
)

IGNORED: tuple[Ignored, ...] = (
    ignored(Subscribed, "the coordinator will not accept this member with any subscription", FATAL),
    ignored(Polled, "there is no session for a poll to keep alive", UNSUBSCRIBED, FATAL),
    ignored(Polled, "it is leaving anyway", PREPARE_LEAVING, LEAVING),
    ignored(TimePassed, "no timer runs", UNSUBSCRIBED, STALE, FATAL),
    *all_ignored((ev.JoinAnswered, ev.JoinRefused, ev.JoinLost), "no JoinGroup is in flight", *_all_but(PREPARING)),
    *all_ignored((ev.SyncAnswered, ev.SyncRefused, ev.SyncLost), "no SyncGroup is in flight", *_all_but(COMPLETING)),
    *all_ignored(
        (ev.SessionKept, HeartbeatRefused, HeartbeatLost), "no heartbeat is in flight", UNJOINED, PREPARING, *OUT
    ),
    ignored(ev.LeaveEnded, "no LeaveGroup is in flight", *_all_but(LEAVING)),
    *all_ignored(
        (ev.TopicsDescribed, ev.TopicsNotDescribed), "no lookup is in flight", PREPARING, PREPARE_LEAVING, *OUT
    ),
    ignored(AssignorsAsked, "it never joins again", FATAL),
    *all_ignored((ev.AssignorReturned, ev.AssignorFailed), "no assignor is running", *_all_but(COMPLETING)),
    ignored(ev.RebalanceEnforced, "it joins anyway", UNJOINED, PREPARING),
    ignored(ev.RebalanceEnforced, "there is no group to rebalance", PREPARE_LEAVING, *OUT),
    ignored(ev.CommitRefused, "the JoinGroup response shows whether it is in the group", UNJOINED, PREPARING),
    ignored(ev.CommitRefused, "it has already left the group", *OUT),
    ignored(CommitFinished, "no commit is pending", *_all_but(STABLE, PREPARE_LEAVING)),
    ignored(RevokeFinished, "nothing is being revoked", UNSUBSCRIBED, PREPARING, COMPLETING, LEAVING),
    ignored(AssignFinished, "nothing is being assigned", UNSUBSCRIBED, PREPARING, COMPLETING, LEAVING),
    ignored(LossFinished, "nothing was lost", UNSUBSCRIBED, PREPARING, COMPLETING, STABLE, LEAVING),
)

#: The rows, by status and event.
TABLE = whole_table(RULES, IGNORED, Status, get_args(ev.ClassicEvent))

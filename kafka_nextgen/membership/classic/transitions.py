"""The classic protocol as a table: what a member does in every state and on every event.

The rules in prose (KIP-62 for heartbeats and polling, KIP-345 for static members, KIP-429 for cooperation):

1.  A member that subscribes is UNJOINED until its JoinGroup goes out, and PREPARING until that is answered, which
    is when the whole group has joined. In the new generation it is COMPLETING: the leader assigns, and everybody
    asks for its part with a SyncGroup. When that is answered it is STABLE.
2.  A STABLE member takes its assignment over, and heartbeats. When there is a reason to join again it finishes what
    is under way, prepares, and goes through 1 again.
3.  What the coordinator refuses is tried again, or costs the member its partitions: it is UNJOINED until the
    application has heard of its loss, and joins again; or it is FATAL.
4.  A member leaves by PREPARE_LEAVING, in which it commits and revokes, and LEAVING, which lasts until the
    LeaveGroup is answered or given up; it ends UNSUBSCRIBED. One whose application stopped polling is STALE until
    the application polls; one whose last callback takes as long, until that returns.
5.  A member that is FATAL sends nothing any more.
6.  A completion whose number is not the one the member waits for is late, and means nothing in any status.

What is due after a rule is done at once and belongs to its row: the JoinGroup, a question for topics, a heartbeat.

``RULES`` is read downwards: in this status, on this event, this rule applies, and leads to one of these statuses.
``IGNORED`` has the reason for every pair that has no rule. A pair in neither, or in both, is a mistake that shows
when this module is imported; a rule that leads elsewhere, when it is applied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from kafka_nextgen.membership.any_member import note_decision
from kafka_nextgen.membership.classic import (
    computing,
    failures,
    heartbeats,
    joining,
    leaving,
    losing,
    polling,
    rebalancing,
    syncing,
    topics,
)
from kafka_nextgen.membership.classic.events import (
    AssignorFailed,
    AssignorReturned,
    ClassicEvent,
    CommitRefused,
    JoinAnswered,
    JoinLost,
    JoinRefused,
    LeaveEnded,
    RebalanceEnforced,
    SessionKept,
    SyncAnswered,
    SyncLost,
    SyncRefused,
    TopicsDescribed,
    TopicsNotDescribed,
)
from kafka_nextgen.membership.classic.settings import Moment
from kafka_nextgen.membership.classic.state import ClassicState, Outcome
from kafka_nextgen.membership.classic.states import Status
from kafka_nextgen.membership.events import (
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
from kafka_nextgen.membership.table import IgnoredIn, RowOf, ignored, row, whole_table

__all__ = ["IGNORED", "RULES", "TABLE", "Ignored", "Row", "Rule"]

Rule = Callable[[ClassicState, ClassicEvent, Moment], Outcome]


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

OUT_AT_ONCE = (PREPARE_LEAVING, LEAVING, UNSUBSCRIBED)

RULES: tuple[Row, ...] = (
    # Not in a group.
    row(UNSUBSCRIBED, Subscribed, joining.subscribe, UNJOINED, PREPARING),
    row(UNSUBSCRIBED, Unsubscribed, leaving.out_already, UNSUBSCRIBED),
    row(UNSUBSCRIBED, Closed, leaving.out_already, UNSUBSCRIBED),
    row(UNSUBSCRIBED, AssignorsAsked, computing.note_words, UNSUBSCRIBED),
    # A JoinGroup is due.
    row(UNJOINED, LossFinished, losing.heard_of_loss, UNJOINED, PREPARING),
    row(UNJOINED, RevokeFinished, losing.heard_of_loss, UNJOINED, PREPARING),
    row(UNJOINED, AssignFinished, losing.heard_of_loss, UNJOINED, PREPARING),
    row(UNJOINED, TopicsDescribed, topics.described_for_join, PREPARING),
    row(UNJOINED, TopicsNotDescribed, topics.not_described, UNJOINED),
    row(UNJOINED, Subscribed, joining.change_subscription_before_joining, UNJOINED, PREPARING),
    row(UNJOINED, Unsubscribed, leaving.give_up_between, *OUT_AT_ONCE),
    row(UNJOINED, Closed, leaving.give_up_between, *OUT_AT_ONCE),
    row(UNJOINED, AssignorsAsked, computing.note_words, UNJOINED, PREPARING),
    row(UNJOINED, Polled, polling.polled, UNJOINED, PREPARING),
    row(UNJOINED, TimePassed, polling.time_passed, UNJOINED, PREPARING, STALE),
    # The group joins.
    row(PREPARING, JoinAnswered, syncing.joined, COMPLETING, FATAL),
    row(PREPARING, JoinRefused, failures.join_refused, UNJOINED, PREPARING, FATAL),
    row(PREPARING, JoinLost, joining.lost, UNJOINED),
    row(PREPARING, Subscribed, joining.change_subscription_of_member, PREPARING),
    row(PREPARING, Unsubscribed, leaving.give_up_between, *OUT_AT_ONCE),
    row(PREPARING, Closed, leaving.give_up_between, *OUT_AT_ONCE),
    row(PREPARING, AssignorsAsked, computing.note_words, PREPARING),
    row(PREPARING, Polled, polling.polled, PREPARING),
    row(PREPARING, TimePassed, polling.time_passed, PREPARING, STALE),
    # The leader assigns.
    row(COMPLETING, SyncAnswered, syncing.synced, STABLE, PREPARING, FATAL),
    row(COMPLETING, SyncRefused, failures.sync_refused, UNJOINED, PREPARING, FATAL),
    row(COMPLETING, SyncLost, syncing.lost, UNJOINED),
    row(COMPLETING, TopicsDescribed, topics.described_for_leader, COMPLETING),
    row(COMPLETING, TopicsNotDescribed, topics.not_described, COMPLETING),
    row(COMPLETING, AssignorReturned, computing.returned, COMPLETING),
    row(COMPLETING, AssignorFailed, computing.failed, COMPLETING),
    row(COMPLETING, AssignorsAsked, computing.note_words, COMPLETING),
    row(COMPLETING, SessionKept, heartbeats.kept, COMPLETING),
    row(COMPLETING, HeartbeatRefused, failures.heartbeat_refused, COMPLETING, UNJOINED, PREPARING, FATAL),
    row(COMPLETING, HeartbeatLost, heartbeats.lost, COMPLETING),
    row(COMPLETING, CommitRefused, failures.commit_refused, COMPLETING, UNJOINED, PREPARING, FATAL),
    row(COMPLETING, Subscribed, joining.change_subscription_of_member, COMPLETING),
    row(COMPLETING, RebalanceEnforced, joining.enforce, COMPLETING),
    row(COMPLETING, Unsubscribed, leaving.give_up_between, *OUT_AT_ONCE),
    row(COMPLETING, Closed, leaving.give_up_between, *OUT_AT_ONCE),
    row(COMPLETING, Polled, polling.polled, COMPLETING),
    row(COMPLETING, TimePassed, polling.time_passed, COMPLETING, STALE),
    # Has its assignment; takes it over, keeps it, prepares for the next.
    row(STABLE, SessionKept, heartbeats.kept, STABLE),
    row(STABLE, HeartbeatRefused, failures.heartbeat_refused, STABLE, UNJOINED, PREPARING, FATAL),
    row(STABLE, HeartbeatLost, heartbeats.lost, STABLE),
    row(STABLE, CommitRefused, failures.commit_refused, STABLE, UNJOINED, PREPARING, FATAL),
    row(STABLE, CommitFinished, rebalancing.commit_finished, STABLE, UNJOINED, PREPARING),
    row(STABLE, RevokeFinished, rebalancing.revoke_finished, STABLE, UNJOINED, PREPARING),
    row(STABLE, AssignFinished, rebalancing.assign_finished, STABLE, PREPARING),
    row(STABLE, TopicsDescribed, topics.described_when_stable, STABLE, PREPARING),
    row(STABLE, TopicsNotDescribed, topics.not_described, STABLE),
    row(STABLE, Subscribed, joining.change_subscription_of_member, STABLE, PREPARING),
    row(STABLE, AssignorsAsked, computing.note_words, STABLE, PREPARING),
    row(STABLE, RebalanceEnforced, joining.enforce, STABLE, PREPARING),
    row(STABLE, Unsubscribed, leaving.give_up, *OUT_AT_ONCE),
    row(STABLE, Closed, leaving.give_up, *OUT_AT_ONCE),
    row(STABLE, Polled, polling.polled_when_stable, STABLE, PREPARING),
    row(STABLE, TimePassed, polling.time_passed, STABLE, STALE),
    # Gives up its partitions before it leaves.
    row(PREPARE_LEAVING, CommitFinished, leaving.commit_finished, PREPARE_LEAVING),
    row(PREPARE_LEAVING, RevokeFinished, leaving.callback_finished, *OUT_AT_ONCE, UNJOINED, PREPARING),
    row(PREPARE_LEAVING, AssignFinished, leaving.callback_finished, *OUT_AT_ONCE, UNJOINED, PREPARING),
    row(PREPARE_LEAVING, LossFinished, leaving.heard_of_loss, LEAVING, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(PREPARE_LEAVING, SessionKept, heartbeats.kept, PREPARE_LEAVING),
    row(PREPARE_LEAVING, HeartbeatRefused, failures.heartbeat_refused_while_leaving, PREPARE_LEAVING),
    row(PREPARE_LEAVING, HeartbeatLost, heartbeats.lost, PREPARE_LEAVING),
    row(PREPARE_LEAVING, CommitRefused, failures.commit_refused_while_leaving, PREPARE_LEAVING),
    row(PREPARE_LEAVING, Subscribed, joining.change_subscription, PREPARE_LEAVING),
    row(PREPARE_LEAVING, Unsubscribed, note_decision, PREPARE_LEAVING),
    row(PREPARE_LEAVING, Closed, note_decision, PREPARE_LEAVING),
    row(PREPARE_LEAVING, AssignorsAsked, computing.note_words, PREPARE_LEAVING),
    row(PREPARE_LEAVING, TimePassed, leaving.expire_while_leaving, PREPARE_LEAVING, STALE),
    # The LeaveGroup is on its way.
    row(LEAVING, LeaveEnded, leaving.left, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(LEAVING, TimePassed, leaving.time_passed, LEAVING, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(LEAVING, AssignorsAsked, computing.note_words, LEAVING),
    row(LEAVING, Subscribed, joining.change_subscription, LEAVING),
    row(LEAVING, Unsubscribed, note_decision, LEAVING),
    row(LEAVING, Closed, note_decision, LEAVING),
    # Out, because the application stopped polling.
    row(STALE, Polled, leaving.return_if_heard, STALE, UNJOINED, PREPARING),
    row(STALE, LossFinished, leaving.heard_when_out, STALE, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(STALE, RevokeFinished, leaving.heard_when_out, STALE, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(STALE, AssignFinished, leaving.heard_when_out, STALE, UNSUBSCRIBED, UNJOINED, PREPARING),
    row(STALE, AssignorsAsked, computing.note_words, STALE),
    row(STALE, Subscribed, joining.change_subscription, STALE),
    row(STALE, Unsubscribed, leaving.out_already, STALE, UNSUBSCRIBED),
    row(STALE, Closed, leaving.out_already, STALE, UNSUBSCRIBED),
    # Out for good.
    row(FATAL, LossFinished, leaving.heard_when_out, FATAL),
    row(FATAL, RevokeFinished, leaving.heard_when_out, FATAL),
    row(FATAL, AssignFinished, leaving.heard_when_out, FATAL),
    row(FATAL, Unsubscribed, leaving.out_already, FATAL),
    row(FATAL, Closed, leaving.out_already, FATAL),
)

OUT = (UNSUBSCRIBED, LEAVING, STALE, FATAL)


def _all_but(*statuses: Status) -> tuple[Status, ...]:
    return tuple(status for status in Status if status not in statuses)


IGNORED: tuple[Ignored, ...] = (
    ignored(Subscribed, "no subscription makes the coordinator take this member", FATAL),
    ignored(Polled, "there is no session that a poll would keep", UNSUBSCRIBED, FATAL),
    ignored(Polled, "it is leaving anyway", PREPARE_LEAVING, LEAVING),
    ignored(TimePassed, "no timer runs", UNSUBSCRIBED, STALE, FATAL),
    ignored(JoinAnswered, "no JoinGroup is under way", *_all_but(PREPARING)),
    ignored(JoinRefused, "no JoinGroup is under way", *_all_but(PREPARING)),
    ignored(JoinLost, "no JoinGroup is under way", *_all_but(PREPARING)),
    ignored(SyncAnswered, "no SyncGroup is under way", *_all_but(COMPLETING)),
    ignored(SyncRefused, "no SyncGroup is under way", *_all_but(COMPLETING)),
    ignored(SyncLost, "no SyncGroup is under way", *_all_but(COMPLETING)),
    ignored(SessionKept, "no heartbeat is in flight", UNJOINED, PREPARING, *OUT),
    ignored(HeartbeatRefused, "no heartbeat is in flight", UNJOINED, PREPARING, *OUT),
    ignored(HeartbeatLost, "no heartbeat is in flight", UNJOINED, PREPARING, *OUT),
    ignored(LeaveEnded, "no leave is waited for", *_all_but(LEAVING)),
    ignored(TopicsDescribed, "nothing was asked", PREPARING, PREPARE_LEAVING, *OUT),
    ignored(TopicsNotDescribed, "nothing was asked", PREPARING, PREPARE_LEAVING, *OUT),
    ignored(AssignorsAsked, "it never joins again", FATAL),
    ignored(AssignorReturned, "no assignor runs", *_all_but(COMPLETING)),
    ignored(AssignorFailed, "no assignor runs", *_all_but(COMPLETING)),
    ignored(RebalanceEnforced, "it joins anyway", UNJOINED, PREPARING),
    ignored(RebalanceEnforced, "there is no group to rebalance", PREPARE_LEAVING, *OUT),
    ignored(CommitRefused, "the JoinGroup, due or under way, tells the member where it stands", UNJOINED, PREPARING),
    ignored(CommitRefused, "it is out already", *OUT),
    ignored(CommitFinished, "no commit is waited for", *_all_but(STABLE, PREPARE_LEAVING)),
    ignored(RevokeFinished, "nothing is being revoked", UNSUBSCRIBED, PREPARING, COMPLETING, LEAVING),
    ignored(AssignFinished, "nothing is being assigned", UNSUBSCRIBED, PREPARING, COMPLETING, LEAVING),
    ignored(LossFinished, "nothing was lost", UNSUBSCRIBED, PREPARING, COMPLETING, STABLE, LEAVING),
)

#: The row for each status and event that has one.
TABLE = whole_table(RULES, IGNORED, Status, get_args(ClassicEvent))

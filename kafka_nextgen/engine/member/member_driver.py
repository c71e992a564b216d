"""Drives a membership machine: feeds it events, carries out its effects, and wakes it at its deadlines.

The machine decides; the driver carries out the effects, using the table at the end of its class. This class contains
the part that both protocols share; ``ConsumerDriver`` and ``ClassicDriver`` add their requests. Everything runs on the
I/O thread.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.config import GroupProtocol
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCallback
from kafka_nextgen.engine.member.coordinator_requests import CoordinatorRequests
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.member_log import log_fenced, log_left_during_callback, log_poll_timeout
from kafka_nextgen.engine.observability.rebalance import MemberName, RebalanceCause
from kafka_nextgen.engine.observability.rebalance_history import RebalanceHistory
from kafka_nextgen.engine.observability.rebalance_rules import RebalanceRules
from kafka_nextgen.errors import KafkaNextgenError, RequestTimeoutError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.offsets.events import EpochPublished
from kafka_nextgen.membership.states import Status
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.failures import error_from_coordinator
from kafka_nextgen.transport.waiting import Timer, wait_for_event
from kafka_nextgen.types import format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.engine.member.local_assignors import LocalAssignors
    from kafka_nextgen.engine.member.standby import Standby
    from kafka_nextgen.membership.classic.member import ClassicMember
    from kafka_nextgen.membership.member import Member

__all__ = ["MemberDriver"]

logger = logger_of("kafka_nextgen.member")

#: The time (seconds) reserved for sending the leave if the steps before it took too long.
LEAVE_GRACE_S = 1.0
#: The shortest wait (seconds) for the leave; without any wait it would not be sent at all.
SHORTEST_LEAVE_S = 0.1
_STALE = (Status.STALE, ClassicStatus.STALE)
_LEAVES = frozenset({RebalanceCause.CLOSED, RebalanceCause.UNSUBSCRIBED})


M = TypeVar("M", bound="Member | ClassicMember")


class MemberDriver(Generic[M]):
    """One member of one group, from subscribe to close."""

    protocol: ClassVar[GroupProtocol]
    rules: ClassVar[RebalanceRules[Any]]
    standby: Standby | None = None  # in classic groups, only a member with local assignors has one

    def __init__(self, member: M, context: DriverContext, own: LocalAssignors | None = None) -> None:
        self._member = member
        self._own = own
        self._cluster = context.cluster
        self._identity = context.identity
        self._offsets = context.offsets
        self._fetcher = context.fetcher
        self._mailbox = context.mailbox
        self._tasks = context.tasks
        self._exchanges = CoordinatorRequests(context.tasks)
        self._config = context.config
        self._counters = context.counters
        self._timer = Timer(self._wake)
        #: For each operation that the member is waiting for: creates the event for its failure.
        self._owed: dict[int, Callable[[str], ev.Event]] = {}
        self._outlasting_callback: PendingCallback | None = None  # running, but the member is no longer waiting for it
        self._after_callback: Callable[[], None] | None = None  # called when that callback ends
        self._left = asyncio.Event()
        self.last_heartbeat_at: float | None = None  # when a heartbeat was last answered
        self.has_listener = False
        self.history = RebalanceHistory(self.rules, self._name)

    def set_listener(self, *, has_listener: bool, loads_as_standby: bool) -> None:
        """Note whether the application has a listener, and whether it has ``on_standby``."""
        self.has_listener = has_listener
        if self.standby is not None:
            self.standby.note_listener(loads_as_standby)

    @property
    def member(self) -> M:
        """The machine; other threads may only read its state."""
        return self._member

    @property
    def coordinator_error(self) -> str | None:
        """Why the coordinator can't be reached; can be read from any thread."""
        return self._cluster.coordinator_trouble(self._identity.group_id)

    def instance_id_wait_s(self, now: float) -> float | None:
        """How long (seconds) the member will retry an instance id that is in use; None without such a conflict."""
        return None

    def feed(self, event: Any) -> None:
        """Feed an event to the member and carry out the effects."""
        wanted_poll = self._member.wants_poll
        before, now = self._member.state, clocks.monotonic()
        effects = self._member.handle(event, now, random.random())
        self._mailbox.wants_poll = self._member.wants_poll
        logger.debug("%s: %s -> %s", self._identity.group_id, event, effects)
        self._counters.watch(event, effects, now, self.rules)
        self._note(event, before, effects, now)
        for effect in effects:
            self.carry_out[type(effect)](self, effect)
        self._timer.set(self._member.deadline())
        if self._member.wants_poll and not wanted_poll:
            self._mailbox.note_news()

    def _name(self, member_id: str) -> MemberName:
        identity = self._identity
        cluster_id = self._cluster.metadata.cluster_id or ""
        protocol = self.protocol.value
        return MemberName(cluster_id, identity.group_id, protocol, member_id, identity.instance_id, identity.client_id)

    def _note(self, event: object, before: Any, effects: tuple[object, ...], now: float) -> None:
        """Log an event of the member, with the id it had before, because the event may end the membership."""
        group_id, member_id = self._identity.group_id, before.member_id
        cause = self.history.under_way
        rebalance = self.history.watch(event, before, self._member.state, effects, now, clocks.time())
        if rebalance is not None:
            self._counters.note_rebalance(rebalance, now)
            logger.info("group %s: %s", group_id, rebalance)
        latest = self.history.under_way or (rebalance and rebalance.cause)  # a rebalance may begin and end in one step
        if latest is RebalanceCause.FENCED is not cause:
            reason = self.history.reason or ("" if rebalance is None else rebalance.reason)
            log_fenced(group_id, member_id, reason)
        if latest is RebalanceCause.POLL_TIMEOUT is not cause:
            log_poll_timeout(group_id, member_id, self._config.max_poll_interval_ms)
        is_out = rebalance is not None and rebalance.cause in _LEAVES and self._member.state.leaving is not None
        if is_out and self._member.status in _STALE:
            log_left_during_callback(group_id, member_id, self._config.max_poll_interval_ms)

    async def leave(self, event: ev.Closed | ev.Unsubscribed, timeout_s: float) -> None:
        """Leave the group; returns when the coordinator has answered, or after ``timeout_s`` seconds.

        A commit or callback that takes longer is abandoned shortly before that, so that the leave is still sent.
        """
        grace_s = min(LEAVE_GRACE_S, timeout_s / 2)
        self._left.clear()
        self.feed(event)
        if await wait_for_event(self._left, timeout_s - grace_s):
            return
        self._give_up_waiting()
        if not await wait_for_event(self._left, max(grace_s, SHORTEST_LEAVE_S)):
            logger.warning(
                "group %s: no response to the leave in time; the member may stay until its session expires",
                self._identity.group_id,
            )

    def _give_up_waiting(self) -> None:
        while self._owed and not self._left.is_set():
            number = next(iter(self._owed))
            logger.warning("group %s: leaving without waiting any longer", self._identity.group_id)
            self.feed(self._owed.pop(number)("it did not finish in time"))

    def stop(self) -> None:
        """Stop feeding time-based events."""
        self._timer.set(None)

    def _wake(self) -> None:
        self.feed(ev.TimePassed())

    # ---- the group

    def _commit_consumed(self, effect: fx.CommitConsumed) -> None:
        self._owed[effect.number] = lambda error: ev.CommitFinished(effect.number, error)
        self._tasks.start(self._commit(effect))

    async def _commit(self, effect: fx.CommitConsumed) -> None:
        error: str | None = None
        try:
            await self._offsets.commit_before_revoking(clocks.seconds_until(effect.deadline))
        except KafkaNextgenError as failed:
            logger.warning(
                "group %s: the commit before giving up partitions failed: %s", self._identity.group_id, failed
            )
            error = str(failed)
        except Exception as bug:  # the task reports it; the member must not wait forever
            self._commit_finished(effect, describe_error(bug))
            raise
        self._commit_finished(effect, error)

    def _commit_finished(self, effect: fx.CommitConsumed, error: str | None) -> None:
        self._owed.pop(effect.number, None)
        self.feed(ev.CommitFinished(effect.number, error))

    def _apply_assignment(self, effect: fx.ApplyAssignment) -> None:
        logger.info(
            "group %s: member %s owns %s at epoch %d",
            self._identity.group_id,
            self._member.member_id or "-",
            format_partitions(effect.partitions),
            self._member.member_epoch,
        )
        self._fetcher.assign(effect.partitions, effect.added, dict(effect.topic_ids))

    def _publish_epoch(self, effect: fx.PublishEpoch) -> None:
        self._identity.publish(effect.member_id, effect.member_epoch)
        self._offsets.feed(EpochPublished(effect.member_id, effect.member_epoch))

    # ---- the application

    def _call_listener(self, effect: fx.CallOnRevoked | fx.CallOnAssigned | fx.CallOnLost) -> None:
        callback = PendingCallback(_CALLS[type(effect)], effect.number, effect.partitions)
        self._owed[callback.number] = lambda error: self._dropped(callback, error)
        if self.has_listener:
            self._mailbox.post_callback(callback)
        else:
            asyncio.get_running_loop().call_soon(self.callback_finished, callback, None)

    def _dropped(self, callback: PendingCallback, error: str) -> ev.Event:
        if not self._mailbox.drop_callback(callback) and self.has_listener:
            self._outlasting_callback = callback
        return _ended(callback, RequestTimeoutError(error))

    def note_poll(self) -> None:
        """Note that the application has polled."""
        self.feed(ev.Polled())

    def callback_finished(self, callback: PendingCallback, error: BaseException | None) -> None:
        """Inform the member how a callback ended; after ``on_partitions_assigned``, its partitions are fetched.

        Repeated calls have no effect: an application that is interrupted during this call makes it again.
        """
        if callback is self._outlasting_callback:
            self._outlasting_callback = None
            if self._after_callback is not None:
                self.call_after_callback(self._after_callback)
        if self._owed.pop(callback.number, None) is None:
            return
        if callback.kind is CallbackKind.ASSIGNED and error is None:
            self._fetcher.release(callback.partitions)
        if callback.kind is CallbackKind.REVOKED and error is None and self.has_listener:
            self._fetcher.let_go(callback.partitions)
        self.feed(_ended(callback, error))

    def call_after_callback(self, act: Callable[[], None]) -> None:
        """Call ``act`` now, or, if a callback is still running after the leave, when it returns."""
        self._after_callback = None if self._outlasting_callback is None else act
        if self._after_callback is None:
            act()

    def _raise_to_application(self, effect: fx.RaiseToApplication) -> None:
        identity = self._identity  # still has the epoch: this effect precedes PublishEpoch
        member_id = identity.member_id or self._member.member_id
        error = error_from_coordinator(
            effect,
            self.protocol,
            identity.group_id,
            member_id,
            identity.member_epoch,
            has_own_assignors=self._own is not None,
        )
        (logger.error if effect.fatal else logger.warning)("%s", error)
        (self._mailbox.post_fatal if effect.fatal else self._mailbox.post_error)(error)

    def _note_left(self, effect: fx.Left) -> None:
        self._exchanges.cancel_pending()
        self._left.set()

    # An effect that is missing from this table fails when it first occurs.
    carry_out: Mapping[type, Callable[[Any, Any], None]] = {
        fx.FindCoordinator: lambda self, _: self._cluster.forget_coordinator(self._identity.group_id),
        fx.StopFetching: lambda self, effect: self._fetcher.stop(effect.partitions),
        fx.CommitConsumed: _commit_consumed,
        fx.CallOnRevoked: _call_listener,
        fx.CallOnAssigned: _call_listener,
        fx.CallOnLost: _call_listener,
        fx.ApplyAssignment: _apply_assignment,
        fx.PublishEpoch: _publish_epoch,
        fx.RaiseToApplication: _raise_to_application,
        fx.Left: _note_left,
    }


_CALLS: Mapping[type, CallbackKind] = {
    fx.CallOnRevoked: CallbackKind.REVOKED,
    fx.CallOnAssigned: CallbackKind.ASSIGNED,
    fx.CallOnLost: CallbackKind.LOST,
}

_ENDS: Mapping[CallbackKind, type[ev.AssignFinished] | type[ev.RevokeFinished] | type[ev.LossFinished]] = {
    CallbackKind.ASSIGNED: ev.AssignFinished,
    CallbackKind.REVOKED: ev.RevokeFinished,
    CallbackKind.LOST: ev.LossFinished,
}


def _ended(callback: PendingCallback, error: BaseException | None) -> ev.Event:
    """Return the event that reports the end of a callback."""
    return _ENDS[callback.kind](callback.number, None if error is None else describe_error(error))

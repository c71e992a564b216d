"""Drives a member of the consumer group protocol: its heartbeats, and the names of its topics (KIP-848)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import evolve

from kafka_nextgen import clocks
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.config import GroupProtocol
from kafka_nextgen.engine.mailbox import PendingCallback
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.heartbeat import UNSUPPORTED_ASSIGNORS, HeartbeatResult, send_heartbeat
from kafka_nextgen.engine.member.member_driver import MemberDriver
from kafka_nextgen.engine.member.standby import Standby
from kafka_nextgen.engine.observability.rebalance_rules import ConsumerRebalanceRules
from kafka_nextgen.errors import ConfigError, KafkaNextgenError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.member import Member, is_late
from kafka_nextgen.membership.timers import Timer, is_due
from kafka_nextgen.requests.consumer_group_heartbeat import NoPatternsError
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.topic_lookup import PatternWatch
from kafka_nextgen.types import StandbyState, TopicId

if TYPE_CHECKING:  # modules that few members need are imported on demand
    from kafka_nextgen.engine.member.assignor_driver import AssignorDriver
    from kafka_nextgen.engine.member.local_assignors import LocalAssignors
    from kafka_nextgen.membership.assigning.events import HeartbeatHeard

__all__ = ["ConsumerDriver"]

logger = logger_of("kafka_nextgen.member")


class ConsumerDriver(MemberDriver[Member]):
    """One member of one consumer group."""

    protocol = GroupProtocol.CONSUMER
    rules = ConsumerRebalanceRules()

    _stopped = False
    _resolving: asyncio.Task[None] | None = None
    #: Called with the reason if the cluster lacks this protocol and another protocol can be tried.
    on_unsupported: Callable[[str], None] | None = None

    def __init__(self, member: Member, context: DriverContext, own: LocalAssignors | None = None) -> None:
        super().__init__(member, context, own)
        self._own_member_id = member.member_id
        self._assigning: AssignorDriver | None = None
        self._may_be_known = False  # whether a heartbeat may have reached the coordinator
        self.standby: Standby = Standby(
            context.identity.group_id,
            context.mailbox,
            context.tasks,
            self._names_of,
            lambda: self.has_listener,
            self._say_state,
        )
        max_age_s = context.config.metadata_max_age_ms / 1000
        self._watch = PatternWatch(context.cluster, context.tasks, max_age_s, self._take_names)
        if own is not None:
            from kafka_nextgen.engine.member.assignor_driver import AssignorDriver

            self._assigning = AssignorDriver(own, context, lambda: self.feed(ev.TargetInstalled()))
            self.feed(ev.AssignorsAsked(own.known))

    def feed(self, event: Any) -> None:
        """Feed an event to the member; after a new subscription, the previous pattern is no longer matched."""
        if self._stopped:
            return
        if isinstance(event, ev.Subscribed | ev.Unsubscribed | ev.Closed):
            self._watch.stop()
        waited = self._member.state.instance_id_deadline is not None
        super().feed(event)
        if self._member.member_epoch <= 0:
            self.standby.end()
        if isinstance(event, ev.HeartbeatRefused) and not waited:
            self._say_if_waiting(event)

    def set_listener(self, *, has_listener: bool, loads_as_standby: bool) -> None:
        """Note the listener. With ``on_standby``, the member says that it is loading from its join on."""
        super().set_listener(has_listener=has_listener, loads_as_standby=loads_as_standby)
        if not loads_as_standby:
            self._say_state(StandbyState.READY)
        elif self._member.state.standby_state is StandbyState.UNKNOWN:
            self._say_state(StandbyState.LOADING)

    def _say_state(self, state: StandbyState) -> None:
        """Let the member report whether it is ready as a standby. Until it first says LOADING, it counts as ready."""
        said = self._member.state.standby_state
        counts_as_ready = state is StandbyState.READY and said is StandbyState.UNKNOWN
        if not (self._stopped or state is said or counts_as_ready):
            super().feed(ev.StandbyStateChanged(state))
            logger.debug("group %s: as a standby, this member is %s", self._identity.group_id, state.name)

    def callback_finished(self, callback: PendingCallback, error: BaseException | None) -> None:
        """Inform the member, and a standby, how a callback ended."""
        self.standby.finished(callback, error)
        super().callback_finished(callback, error)

    def instance_id_wait_s(self, now: float) -> float | None:
        """How long (seconds) the member will retry an instance id that is in use; None without such a conflict."""
        deadline = self._member.state.instance_id_deadline
        return None if deadline is None else max(0.0, deadline - now)

    def _say_if_waiting(self, refusal: ev.HeartbeatRefused) -> None:
        left_s = self.instance_id_wait_s(clocks.monotonic())
        if left_s is None:
            return
        logger.warning(
            "group %s: another member holds group.instance.id=%s (%s); retrying for %.0f s "
            "(instance.id.retry.timeout.ms), in case that member is gone and its session expires",
            self._identity.group_id,
            self._identity.instance_id,
            refusal.message or name_of(refusal.code),
            left_s,
        )

    async def leave(self, event: ev.Closed | ev.Unsubscribed, timeout_s: float) -> None:
        """Leave the group; returns immediately if no coordinator can have this member.

        The member generates its own id (KIP-848, "Member ID"), so the coordinator knows it as soon as one heartbeat has
        arrived.
        """
        if self._may_be_known:
            await super().leave(event, timeout_s)
        else:
            self.feed(event)

    def _note_sending(self) -> None:
        self._may_be_known = True

    def stop(self) -> None:
        """Stop feeding time-based events."""
        super().stop()
        self._stopped = True
        self.standby.end()
        self._watch.stop()
        if self._assigning is not None:
            self._assigning.stop()

    def _wake(self) -> None:
        if self._own is None or not is_due(self._member.state.deadlines, Timer.HEARTBEAT, clocks.monotonic()):
            super()._wake()
        else:
            self._tasks.start(self._ask_and_wake(self._own))

    async def _ask_and_wake(self, own: LocalAssignors) -> None:
        """Refresh the metadata of the assignors before the next heartbeat."""
        try:
            await own.ask_again(lambda: self.feed(ev.AssignorsAsked(own.known)))
        finally:  # the heartbeat is sent in any case
            self.feed(ev.TimePassed())

    def _publish_epoch(self, effect: fx.PublishEpoch) -> None:
        from kafka_nextgen.membership.assigning.events import MembershipEnded

        super()._publish_epoch(effect)
        if self._assigning is not None and effect.member_epoch < 0:
            self._assigning.feed(MembershipEnded())

    def _send_heartbeat(self, effect: fx.SendHeartbeat) -> None:
        if effect.member_epoch < 0:
            self._exchanges.leave(self._heartbeat(effect))
        elif effect.member_epoch == 0:
            self._exchanges.join(self._heartbeat(effect))
        else:
            self._exchanges.ask(self._heartbeat(effect))

    async def _heartbeat(self, effect: fx.SendHeartbeat) -> None:
        group_id = self._identity.group_id
        try:
            heard = await send_heartbeat(
                self._cluster,
                group_id,
                effect,
                self._own_member_id,
                self._config.request_timeout_ms / 1000,
                self._note_sending,
                self._own is not None,
            )
        except NoPatternsError as old_broker:
            heard = HeartbeatResult(self._match_here(effect, str(old_broker)))
        except Exception as bug:  # the task reports it; the member must not wait forever
            self.feed(ev.HeartbeatLost(effect.number, describe_error(bug)))
            raise
        self._take(heard)

    def _take(self, heard: HeartbeatResult) -> None:
        group_id, event = self._identity.group_id, heard.event
        if isinstance(event, ev.HeartbeatAnswered):
            if self.last_heartbeat_at is None and self.on_unsupported is not None:
                logger.info("group %s: joining with the consumer group protocol, which the cluster supports", group_id)
            self.last_heartbeat_at = clocks.monotonic()
            self._tell_assignors(event, heard.for_assignors)
            if not (self._stopped or is_late(self._member.state, event)):
                self._note_standby(heard)
        self.feed(event)

    def _note_standby(self, heard: HeartbeatResult) -> None:
        """Note whether this member is a standby.

        A member that was active gives up its partitions first: ``on_partitions_revoked`` may drop the same state that
        ``on_standby`` loads. The next answer contains the partitions that it may get again.
        """
        state = self._member.state
        has_any = bool(state.owned or state.held)
        self.standby.note(heard.standby_place, None if has_any else heard.may_get)

    def _tell_assignors(self, event: ev.HeartbeatAnswered, told: HeartbeatHeard | None) -> None:
        """Feed the assignors' part of a response before the member's event.

        So ``on_assignment`` is called before ``on_partitions_assigned``.
        """
        if self._assigning is None or told is None or is_late(self._member.state, event):
            return
        self._assigning.feed(evolve(told, member_id=told.member_id or self._member.member_id))

    def _match_here(self, effect: fx.SendHeartbeat, why: str) -> ev.HeartbeatRefused | ev.HeartbeatLost:
        """Match the pattern on the client for an old coordinator; the unsent heartbeat is retried with names.

        If the application has changed the subscription in the meantime, the next heartbeat contains the new one.
        """
        assert effect.subscribed_pattern, "only a heartbeat with a pattern is refused for its pattern"
        wanted = self._member.state.subscription
        if wanted is None or wanted.pattern != effect.subscribed_pattern:
            return ev.HeartbeatLost(effect.number, why)
        try:
            begins = self._watch.start(effect.subscribed_pattern)
        except ConfigError as unreadable:
            return ev.HeartbeatRefused(effect.number, ErrorCode.INVALID_REGULAR_EXPRESSION, f"{why}, and {unreadable}")
        if begins:
            text = "group %s: %s: this member matches pattern %r itself, and looks for new topics every %g s"
            logger.warning(text, self._identity.group_id, why, effect.subscribed_pattern, self._watch.max_age_s)
        return ev.HeartbeatLost(effect.number, why)

    def _take_names(self, pattern: str, names: frozenset[str]) -> None:
        super().feed(ev.Subscribed(names, matched_by=pattern))

    def _resolve_topics(self, effect: fx.ResolveTopics) -> None:
        if self._resolving is not None:
            self._resolving.cancel()
        self._resolving = self._tasks.start(self._resolve(effect.topic_ids))

    async def _resolve(self, topic_ids: frozenset[TopicId]) -> None:
        names = await self._names_of(topic_ids)
        if names:
            self.feed(ev.TopicsResolved(names))

    async def _names_of(self, topic_ids: frozenset[TopicId]) -> Mapping[TopicId, str]:
        try:
            await self._cluster.refresh_metadata(topic_ids=topic_ids)
        except KafkaNextgenError as transient:  # the member retries on its own
            logger.info("the names of topic ids %s are not known yet: %s", sorted(map(str, topic_ids)), transient)
        topics = self._cluster.metadata.topics_by_id
        return {topic_id: topics[topic_id].name for topic_id in topic_ids if topic_id in topics}

    def _raise_or_fall_back(self, effect: fx.RaiseToApplication) -> None:
        unsupported = effect.code == ErrorCode.UNSUPPORTED_VERSION or effect.message.startswith(UNSUPPORTED_ASSIGNORS)
        if unsupported and self.last_heartbeat_at is None and self.on_unsupported is not None:
            self.on_unsupported(effect.message)
        else:
            self._raise_to_application(effect)

    carry_out: Mapping[type, Callable[[Any, Any], None]] = {
        **MemberDriver.carry_out,
        fx.PublishEpoch: _publish_epoch,
        fx.SendHeartbeat: _send_heartbeat,
        fx.ResolveTopics: _resolve_topics,
        fx.RaiseToApplication: _raise_or_fall_back,
    }

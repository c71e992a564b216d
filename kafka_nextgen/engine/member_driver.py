"""Drives the membership machine: tells it what happened, carries out what it answers, and wakes it in time.

Everything here runs on the I/O thread. The machine decides; this file only knows how each effect is done, one
short method per effect, in the table at the end of the class.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Mapping
from typing import Any

from kafka_nextgen.bridge import consumer_group_heartbeat as bridge
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.failures import error_from_coordinator
from kafka_nextgen.engine.fetcher import Fetcher
from kafka_nextgen.engine.identity import Identity
from kafka_nextgen.engine.mailbox import CallbackKind, Mailbox, PendingCallback
from kafka_nextgen.engine.offsets import OffsetClient
from kafka_nextgen.engine.tasks import TaskSet
from kafka_nextgen.errors import (
    DecodeError,
    KafkaNextgenError,
    TransportError,
    UnsupportedProtocolError,
)
from kafka_nextgen.membership import effects as fx
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.member import Member
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.types import TopicId, format_partitions
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatResponse

__all__ = ["MemberDriver"]

logger = logging.getLogger("kafka_nextgen.member")


class MemberDriver:
    """One member of one group, from subscribe to close."""

    def __init__(
        self,
        member: Member,
        cluster: ClusterClient,
        identity: Identity,
        offsets: OffsetClient,
        fetcher: Fetcher,
        mailbox: Mailbox,
        tasks: TaskSet,
        request_timeout_s: float,
    ) -> None:
        self._member = member
        self._cluster = cluster
        self._identity = identity
        self._offsets = offsets
        self._fetcher = fetcher
        self._mailbox = mailbox
        self._tasks = tasks
        self._request_timeout_s = request_timeout_s
        self._timer: asyncio.TimerHandle | None = None
        self._resolving: asyncio.Task[None] | None = None
        self.has_listener = False
        self.left = asyncio.Event()

    @property
    def wants_poll(self) -> bool:
        """Whether something waits for the application to poll; may be read from any thread."""
        return self._member.wants_poll

    def feed(self, event: ev.Event) -> None:
        """Tell the member what happened and carry out what it answers."""
        effects = self._member.handle(event, time.monotonic(), random.random())
        logger.debug("%s: %s -> %s", self._identity.group_id, event, effects)
        for effect in effects:
            self._carry_out[type(effect)](self, effect)
        self._rearm()

    def stop(self) -> None:
        """Feed nothing any more by time."""
        if self._timer is not None:
            self._timer.cancel()

    def _rearm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline = self._member.deadline()
        if deadline is not None:
            delay_s = max(0.0, deadline - time.monotonic())
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(delay_s, lambda: self.feed(ev.TimePassed()))

    # ---- heartbeats

    def _send_heartbeat(self, effect: fx.SendHeartbeat) -> None:
        self._tasks.start(self._heartbeat(effect))

    async def _heartbeat(self, effect: fx.SendHeartbeat) -> None:
        group = self._identity.group_id
        try:
            answer = await self._cluster.call(
                Coordinator(group),
                CONSUMER_GROUP_HEARTBEAT,
                lambda version: bridge.to_request(effect, group, version),
                self._request_timeout_s,
            )
            assert isinstance(answer, ConsumerGroupHeartbeatResponse)
            event: ev.Event = bridge.to_event(effect.number, answer)
        except UnsupportedProtocolError as missing:
            event = ev.HeartbeatRefused(effect.number, ErrorCode.UNSUPPORTED_VERSION, str(missing))
        except (TransportError, DecodeError) as lost:
            logger.warning("group %s: heartbeat lost: %s", group, lost)
            event = ev.HeartbeatLost(effect.number, str(lost))
        self.feed(event)

    def _find_coordinator(self, effect: fx.FindCoordinator) -> None:
        self._cluster.forget_coordinator(self._identity.group_id)

    # ---- reconciliation

    def _resolve_topics(self, effect: fx.ResolveTopics) -> None:
        if self._resolving is not None:
            self._resolving.cancel()
        self._resolving = self._tasks.start(self._resolve(effect.topic_ids))

    async def _resolve(self, topic_ids: frozenset[TopicId]) -> None:
        try:
            await self._cluster.refresh_metadata(topic_ids=topic_ids)
        except KafkaNextgenError as weather:  # the member asks again by itself
            logger.info("topic ids %s not resolved yet: %s", sorted(map(str, topic_ids)), weather)
        topics = self._cluster.metadata.topics_by_id
        names = {topic_id: topics[topic_id].name for topic_id in topic_ids if topic_id in topics}
        if names:
            self.feed(ev.TopicsResolved(names))

    def _stop_fetching(self, effect: fx.StopFetching) -> None:
        self._fetcher.stop(effect.partitions)

    def _commit_consumed(self, effect: fx.CommitConsumed) -> None:
        self._tasks.start(self._commit(effect))

    async def _commit(self, effect: fx.CommitConsumed) -> None:
        error: str | None = None
        timeout_s = max(0.0, effect.deadline - time.monotonic())
        try:
            await self._offsets.commit_before_revoking(self._fetcher.consumed_offsets(), timeout_s)
        except KafkaNextgenError as failed:
            logger.warning("group %s: commit before giving partitions up: %s", self._identity.group_id, failed)
            error = str(failed)
        self.feed(ev.CommitFinished(effect.number, error))

    def _apply_assignment(self, effect: fx.ApplyAssignment) -> None:
        logger.info(
            "group %s: member %s owns %s at epoch %d",
            self._identity.group_id,
            self._member.member_id,
            format_partitions(effect.partitions),
            self._member.member_epoch,
        )
        self._fetcher.assign(effect.partitions, effect.added, dict(effect.topic_ids))

    def _publish_epoch(self, effect: fx.PublishEpoch) -> None:
        self._identity.publish(effect.member_id, effect.member_epoch)

    # ---- the application

    def _call_on_revoked(self, effect: fx.CallOnRevoked) -> None:
        self._call_back(PendingCallback(CallbackKind.REVOKED, effect.number, effect.partitions))

    def _call_on_assigned(self, effect: fx.CallOnAssigned) -> None:
        self._call_back(PendingCallback(CallbackKind.ASSIGNED, effect.number, effect.partitions))

    def _call_on_lost(self, effect: fx.CallOnLost) -> None:
        self._call_back(PendingCallback(CallbackKind.LOST, effect.number, effect.partitions))

    def _call_back(self, callback: PendingCallback) -> None:
        if self.has_listener:
            self._mailbox.post_callback(callback)
        else:
            asyncio.get_running_loop().call_soon(self.callback_finished, callback, None)

    def callback_finished(self, callback: PendingCallback, error: BaseException | None) -> None:
        """Tell the member how a callback ended; after ``on_partitions_assigned`` its partitions flow."""
        if callback.kind is CallbackKind.ASSIGNED and error is None:
            self._fetcher.release(callback.partitions)
        self.feed(callback.finished(error))

    def _raise_to_application(self, effect: fx.RaiseToApplication) -> None:
        error = error_from_coordinator(effect, self._identity.group_id, self._member.member_id)
        (logger.error if effect.fatal else logger.warning)("group %s: %s", self._identity.group_id, error)
        self._mailbox.post_error(error)

    def _left(self, effect: fx.Left) -> None:
        self.left.set()

    # each effect, and the method that does it; a new effect without a method fails the first time it comes
    _carry_out: Mapping[type[fx.Effect], Callable[[MemberDriver, Any], None]] = {
        fx.SendHeartbeat: _send_heartbeat,
        fx.FindCoordinator: _find_coordinator,
        fx.ResolveTopics: _resolve_topics,
        fx.StopFetching: _stop_fetching,
        fx.CommitConsumed: _commit_consumed,
        fx.CallOnRevoked: _call_on_revoked,
        fx.CallOnAssigned: _call_on_assigned,
        fx.CallOnLost: _call_on_lost,
        fx.ApplyAssignment: _apply_assignment,
        fx.PublishEpoch: _publish_epoch,
        fx.RaiseToApplication: _raise_to_application,
        fx.Left: _left,
    }

"""The requests of a member of a classic group, whose outcomes become events.

A request that failed before it was sent (the broker lacks the API, or the client may not find the coordinator) counts
as refused with that error code. An answer that can't be decoded counts as lost, like a request whose authentication
failed, because the credentials may become valid before the session times out.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeVar

from kafka_nextgen.codes import name_of
from kafka_nextgen.engine.member.coordinator_requests import LEAVE_CONNECT_TIMEOUT_S, supports_history
from kafka_nextgen.errors import (
    BrokerError,
    DecodeError,
    KafkaNextgenError,
    TransportError,
)
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.classic import effects as fx
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.membership.events import HeartbeatLost, HeartbeatRefused
from kafka_nextgen.requests import describe_groups, heartbeat, join_group, leave_group, sync_group
from kafka_nextgen.requests.described_parts import parts_of
from kafka_nextgen.requests.extensions.join_group import to_request as to_join_group
from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.transport.failures import error_from_code
from kafka_nextgen.types import JoinReason
from kafka_nextgen.wire.apis import DESCRIBE_GROUPS, HEARTBEAT, JOIN_GROUP, LEAVE_GROUP, SYNC_GROUP, Api
from kafka_nextgen.wire.messages import (
    DescribeGroupsResponse,
    HeartbeatResponse,
    JoinGroupResponse,
    LeaveGroupResponse,
    SyncGroupResponse,
)
from kafka_nextgen.wire.schema import Message

__all__ = ["ClassicRequests"]

logger = logger_of("kafka_nextgen.member")

A = TypeVar("A")


class ClassicRequests:
    """Sends requests to the coordinator of one group. Timeouts are in seconds."""

    def __init__(self, cluster: ClusterClient, group_id: str, request_timeout_s: float) -> None:
        self._cluster = cluster
        self._group_id = group_id
        self._request_timeout_s = request_timeout_s

    async def join(self, effect: fx.SendJoinGroup) -> ev.ClassicEvent:
        """Send a JoinGroup; the coordinator delays the answer until the group has joined."""
        sent_version = JOIN_GROUP.max_version

        def build(version: int) -> Message:
            nonlocal sent_version
            sent_version = version
            return to_join_group(effect, self._group_id, version, with_extensions=extended)

        try:
            extended = await self._is_to_state(effect)
            answer = await self._call(JOIN_GROUP, build, JoinGroupResponse, effect.timeout_s)
            return join_group.to_event(effect.number, answer, sent_version)
        except BrokerError as refused:
            return ev.JoinRefused(effect.number, refused.code, message=str(refused))
        except (TransportError, DecodeError) as lost:
            return ev.JoinLost(effect.number, self._lost(lost))

    async def _is_to_state(self, effect: fx.SendJoinGroup) -> bool:
        if effect.join_reason is JoinReason.UNKNOWN:
            return False
        return await supports_history(self._cluster, self._group_id, JOIN_GROUP, self._request_timeout_s)

    async def sync(self, effect: fx.SendSyncGroup) -> ev.ClassicEvent:
        """Send a SyncGroup; the coordinator delays the answer until the leader has sent the assignment."""
        try:
            answer = await self._call(
                SYNC_GROUP,
                lambda _: sync_group.to_request(effect, self._group_id),
                SyncGroupResponse,
                effect.timeout_s,
            )
            return sync_group.to_event(effect.number, answer)
        except BrokerError as refused:
            return ev.SyncRefused(effect.number, refused.code)
        except (TransportError, DecodeError) as lost:
            return ev.SyncLost(effect.number, self._lost(lost))

    async def heartbeat(self, effect: fx.SendClassicHeartbeat) -> ev.ClassicEvent:
        """Send a Heartbeat."""
        try:
            answer = await self._call(
                HEARTBEAT, lambda _: heartbeat.to_request(effect, self._group_id), HeartbeatResponse
            )
            return heartbeat.to_event(effect.number, answer)
        except BrokerError as refused:
            return HeartbeatRefused(effect.number, refused.code, str(refused))
        except (TransportError, DecodeError) as lost:
            return HeartbeatLost(effect.number, self._lost(lost))

    async def leave(self, effect: fx.SendLeaveGroup) -> ev.ClassicEvent:
        """Send a LeaveGroup; its outcome is ignored."""
        try:
            answer = await self._call(
                LEAVE_GROUP,
                lambda version: leave_group.to_request(effect, self._group_id, version),
                LeaveGroupResponse,
                connect_timeout_s=LEAVE_CONNECT_TIMEOUT_S,
            )
            for code in leave_group.errors_in(answer):
                logger.info("group %s: the coordinator answered LeaveGroup with %s", self._group_id, name_of(code))
        except KafkaNextgenError as failure:
            logger.warning(
                "group %s: LeaveGroup failed; the member may stay until its session expires: %s",
                self._group_id,
                failure,
            )
        return ev.LeaveEnded(effect.number)

    async def describe(self) -> tuple[ev.DescribedPart, ...] | None:
        """Describe every member's part of the assignment; None if there is none, or if the client may not see it.

        Raises ``KafkaNextgenError`` for transient failures.
        """
        try:
            answer = await self._call(
                DESCRIBE_GROUPS, lambda _: describe_groups.to_request([self._group_id]), DescribeGroupsResponse
            )
            (group,) = describe_groups.from_response(answer, [self._group_id]).groups
            if group.error:
                raise error_from_code(group.error, f"group {self._group_id}: describing it", group_id=self._group_id)
        except BrokerError as refused:
            if refused.retriable:
                raise
            logger.info("group %s: its assignment can't be compared with the topics: %s", self._group_id, refused)
            return None
        return parts_of(group)

    async def _call(
        self,
        api: Api,
        build: Callable[[int], Message],
        kind: type[A],
        timeout_s: float | None = None,
        connect_timeout_s: float = inf,
    ) -> A:
        answer = await self._cluster.call(
            Coordinator(self._group_id),
            api,
            build,
            self._request_timeout_s if timeout_s is None else timeout_s,
            connect_timeout_s=connect_timeout_s,
        )
        assert isinstance(answer, kind)
        return answer

    def _lost(self, failure: KafkaNextgenError) -> str:
        logger.warning("group %s: %s", self._group_id, failure)
        return str(failure)

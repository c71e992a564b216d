"""Drives a member of a classic group: its four requests, and its questions for topics."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any

from kafka_nextgen.config import GroupProtocol
from kafka_nextgen.engine.member.classic_requests import ClassicRequests
from kafka_nextgen.engine.member.member_driver import MemberDriver
from kafka_nextgen.engine.member.topic_descriptions import describe_topics
from kafka_nextgen.errors import ConfigError, KafkaNextgenError
from kafka_nextgen.membership.classic import effects as fx
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.membership.events import HeartbeatLost

__all__ = ["ClassicDriver"]


class ClassicDriver(MemberDriver[ClassicMember]):
    """One member of one classic group."""

    protocol = GroupProtocol.CLASSIC

    @property
    def _requests(self) -> ClassicRequests:
        return ClassicRequests(self._cluster, self._identity.group_id, self._request_timeout_s)

    async def _exchange(
        self, request: Callable[[], Coroutine[object, object, ev.ClassicEvent]], lost: Callable[[str], ev.ClassicEvent]
    ) -> None:
        try:
            event = await request()
        except Exception as bug:  # the application is told; the member does not wait for ever
            self.feed(lost(repr(bug)))
            raise
        if isinstance(event, ev.SessionKept | ev.JoinAnswered | ev.SyncAnswered):
            self.heard_at = time.monotonic()
        self.feed(event)

    def _send_join(self, effect: fx.SendJoinGroup) -> None:
        join = partial(self._requests.join, effect)
        self._exchanges.join(self._exchange(join, lambda why: ev.JoinLost(effect.number, why)))

    def _send_sync(self, effect: fx.SendSyncGroup) -> None:
        sync = partial(self._requests.sync, effect)
        self._exchanges.ask(self._exchange(sync, lambda why: ev.SyncLost(effect.number, why)))

    def _send_heartbeat(self, effect: fx.SendClassicHeartbeat) -> None:
        beat = partial(self._requests.heartbeat, effect)
        self._exchanges.ask(self._exchange(beat, lambda why: HeartbeatLost(effect.number, why)))

    def _send_leave(self, effect: fx.SendLeaveGroup) -> None:
        leave = partial(self._requests.leave, effect)
        self._exchanges.leave(self._exchange(leave, lambda _: ev.LeaveEnded(effect.number)))

    def _ask_for_topics(self, effect: fx.AskForTopics) -> None:
        question = partial(self._describe, effect)
        self._tasks.start(self._exchange(question, lambda why: ev.TopicsNotDescribed(effect.number, why)))

    async def _describe(self, effect: fx.AskForTopics) -> ev.ClassicEvent:
        try:
            topics, matching = await describe_topics(self._cluster, effect.topics, effect.pattern)
        except ConfigError as unreadable:  # a pattern that no repetition makes readable
            self._mailbox.post_fatal(unreadable)
            return ev.TopicsNotDescribed(effect.number, str(unreadable))
        except KafkaNextgenError as weather:
            return ev.TopicsNotDescribed(effect.number, str(weather))
        return ev.TopicsDescribed(effect.number, topics, matching)

    carry_out: Mapping[type, Callable[[Any, Any], None]] = {
        **MemberDriver.carry_out,
        fx.SendJoinGroup: _send_join,
        fx.SendSyncGroup: _send_sync,
        fx.SendClassicHeartbeat: _send_heartbeat,
        fx.SendLeaveGroup: _send_leave,
        fx.AskForTopics: _ask_for_topics,
    }

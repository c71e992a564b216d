"""Drives a member of a classic group: its four requests, its topic lookups, and its local assignors."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from kafka_nextgen import clocks
from kafka_nextgen.config import GroupProtocol
from kafka_nextgen.engine.member.classic_assignors import ClassicAssignors
from kafka_nextgen.engine.member.classic_requests import ClassicRequests
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.local_assignors import LocalAssignors
from kafka_nextgen.engine.member.member_driver import MemberDriver
from kafka_nextgen.engine.observability.classic_rebalance_rules import ClassicRebalanceRules
from kafka_nextgen.errors import ConfigError, KafkaNextgenError
from kafka_nextgen.membership.classic import effects as fx
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.membership.classic.member import ClassicMember
from kafka_nextgen.membership.events import HeartbeatLost
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.topic_lookup import describe_topics
from kafka_nextgen.types import TopicId

if TYPE_CHECKING:  # modules that few members need are imported on demand
    from kafka_nextgen.assignors.standby_metadata import StandbyWord
    from kafka_nextgen.engine.member.standby import Standby

__all__ = ["ClassicDriver"]


class ClassicDriver(MemberDriver[ClassicMember]):
    """One member of one classic group."""

    protocol = GroupProtocol.CLASSIC
    rules = ClassicRebalanceRules()

    def __init__(self, member: ClassicMember, context: DriverContext, own: LocalAssignors | None = None) -> None:
        super().__init__(member, context, own)
        self._requests = ClassicRequests(
            context.cluster, context.identity.group_id, context.config.request_timeout_ms / 1000
        )
        self._leading = None if own is None else ClassicAssignors(own, context, self.feed)
        self._standby_word: StandbyWord | None = None  # from the leader, until the member has given up its partitions
        if self._leading is not None:
            from kafka_nextgen.engine.member.standby import Standby

            self.standby = Standby(
                context.identity.group_id, context.mailbox, context.tasks, _no_names, lambda: self.has_listener
            )
            self._leading.offer()

    def feed(self, event: Any) -> None:
        """Feed an event to the member; a member that has given up its partitions may stand by from now on."""
        super().feed(event)
        if self.standby is not None:
            self._follow_standby(self.standby)

    def _follow_standby(self, standby: Standby) -> None:
        """Let the member stand by as the leader said, once it has given up its partitions; with some, it is active.

        A group that has changed to a built-in assignor has no standbys, even if a member has no partitions.
        """
        state, word = self._member.state, self._standby_word
        if self._member.member_epoch < 0 or state.strategy not in self._member.settings.local_assignors:
            self._standby_word = None
            standby.end()
        elif state.owned or state.held:
            standby.end()
        elif word is not None:
            self._standby_word = None
            standby.note_named(word.place, word.may_get)

    def _tell_assignor(self, effect: fx.TellAssignor) -> None:
        if self.standby is not None:
            from kafka_nextgen.assignors.standby_metadata import HOT_STANDBY, read_standby_word

            is_from_hot_standby = effect.assignor == HOT_STANDBY
            self._standby_word = read_standby_word(effect.metadata) if is_from_hot_standby else None
            if self._standby_word is None:
                self.standby.end()
        self._leads.tell(effect, self._member.member_id)

    def stop(self) -> None:
        """Stop feeding time-based events."""
        super().stop()
        if self.standby is not None:
            self.standby.end()

    async def _exchange(
        self, request: Callable[[], Coroutine[object, object, ev.ClassicEvent]], lost: Callable[[str], ev.ClassicEvent]
    ) -> None:
        try:
            event = await request()
        except Exception as bug:  # the task reports it; the member must not wait forever
            self.feed(lost(describe_error(bug)))
            raise
        if isinstance(event, ev.SessionKept | ev.JoinAnswered | ev.SyncAnswered):
            self.last_heartbeat_at = clocks.monotonic()
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
        if self._leading is not None:
            self._leading.ask()

    def _send_leave(self, effect: fx.SendLeaveGroup) -> None:
        leave = partial(self._requests.leave, effect)
        self._exchanges.leave(self._exchange(leave, lambda _: ev.LeaveEnded(effect.number)))

    def _ask_for_topics(self, effect: fx.AskForTopics) -> None:
        question = partial(self._describe, effect)
        self._tasks.start(self._exchange(question, lambda why: ev.TopicsNotDescribed(effect.number, why)))

    async def _describe(self, effect: fx.AskForTopics) -> ev.ClassicEvent:
        try:
            described = await describe_topics(self._cluster, effect.topics, effect.pattern)
            parts = await self._requests.describe() if effect.with_parts else None
        except ConfigError as unreadable:  # an invalid pattern: a retry would not help
            self._mailbox.post_fatal(unreadable)
            return ev.TopicsNotDescribed(effect.number, str(unreadable))
        except KafkaNextgenError as transient:
            return ev.TopicsNotDescribed(effect.number, str(transient))
        return ev.TopicsDescribed(effect.number, *described, parts)

    @property
    def _leads(self) -> ClassicAssignors:
        assert self._leading is not None, "only a member with local assignors gets effects for assignors"
        return self._leading

    carry_out: Mapping[type, Callable[[Any, Any], None]] = {
        **MemberDriver.carry_out,
        fx.SendJoinGroup: _send_join,
        fx.SendSyncGroup: _send_sync,
        fx.SendClassicHeartbeat: _send_heartbeat,
        fx.SendLeaveGroup: _send_leave,
        fx.AskForTopics: _ask_for_topics,
        fx.RunAssignor: lambda self, effect: self._leads.run(effect),
        fx.TellAssignor: _tell_assignor,
        fx.RaiseAssignorFailed: lambda self, effect: self._leads.raise_failed(effect, self._member.member_id),
    }


async def _no_names(_topic_ids: frozenset[TopicId]) -> Mapping[TopicId, str]:
    raise AssertionError("assignments of classic groups name their topics")

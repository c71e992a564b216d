"""The member of one group, with the configured protocol or, with ``auto``, with the protocol that the cluster supports.

With ``auto``, a member first tries the consumer group protocol. If the cluster answers UNSUPPORTED_VERSION or lacks the
API before the member has ever been in the group, the member starts again with the classic protocol.

The modules of each protocol and of local assignors are imported on demand: a manual assignment does not need them.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, TypeAlias
from uuid import uuid4

from kafka_nextgen.config import GroupProtocol
from kafka_nextgen.engine.mailbox import PendingCallback
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.missing_topics import MissingTopics
from kafka_nextgen.engine.settings import classic_settings, member_settings
from kafka_nextgen.logs import logger_of
from kafka_nextgen.types import JoinReason, LeaveMode, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.engine.member.classic_driver import ClassicDriver
    from kafka_nextgen.engine.member.consumer_driver import ConsumerDriver
    from kafka_nextgen.engine.member.local_assignors import LocalAssignors
    from kafka_nextgen.membership.events import Subscribed

__all__ = ["Driver", "Membership"]

logger = logger_of("kafka_nextgen.member")

Driver: TypeAlias = "ConsumerDriver | ClassicDriver"


class Membership:
    """Creates the driver at the first subscription, and another one if the cluster lacks the protocol."""

    def __init__(self, context: DriverContext) -> None:
        config = self._config = context.config
        self._context = context
        self._offsets = context.offsets
        self._subscribed: Subscribed | None = None
        self._loads_as_standby = False
        self._own: LocalAssignors | None = None
        if config.group_local_assignors:
            from kafka_nextgen.engine.member.local_assignors import LocalAssignors

            self._own = LocalAssignors(context)
        self.missing = MissingTopics(config.group_id or "", context.cluster, context.tasks)
        self.driver: Driver | None = None

    @property
    def protocol(self) -> GroupProtocol | None:
        """The protocol of the group; with ``auto``, it is None until it has been detected."""
        if self._config.group_protocol is not GroupProtocol.AUTO:
            return self._config.group_protocol
        if self.driver is not None and self.driver.protocol is GroupProtocol.CLASSIC:
            return GroupProtocol.CLASSIC
        return GroupProtocol.CONSUMER if self.driver is not None and self.driver.last_heartbeat_at is not None else None

    @property
    def assignor_error(self) -> str | None:
        """The current error of the local assignors; can be read from any thread."""
        return None if self._own is None else self._own.trouble

    @property
    def standby_partitions(self) -> tuple[TopicPartition, ...]:
        """The partitions that this member may get while it is a standby; can be read from any thread."""
        standby = None if self.driver is None else self.driver.standby
        return () if standby is None else standby.may_get

    def standby_ready(self, partitions: Collection[TopicPartition] | None) -> None:
        """The application has loaded these partitions, or those of the latest ``on_standby``."""
        standby = None if self.driver is None else self.driver.standby
        if standby is not None:
            standby.ready(partitions)

    @property
    def topics(self) -> frozenset[str]:
        """The topics subscribed to by name."""
        return frozenset() if self._subscribed is None else self._subscribed.topics

    async def subscribe(self, event: Subscribed, *, has_listener: bool, loads_as_standby: bool = False) -> None:
        """Subscribe; the first call creates the member. Raises AssignorError."""
        from kafka_nextgen.membership.offsets.events import GroupEntered

        if self._own is not None and self.driver is None:
            await self._own.ask_first()
        self._subscribed = event
        self._context.cluster.allow_topic_creation(event.topics)
        self.missing.watch(event.topics)
        if self.driver is None:
            self.driver = self._first_driver()
        self._context.identity.belongs = True
        self._offsets.feed(GroupEntered())
        self._loads_as_standby = loads_as_standby
        self.driver.set_listener(has_listener=has_listener, loads_as_standby=loads_as_standby)
        self.driver.feed(event)

    async def leave(self, mode: LeaveMode | None, timeout_s: float) -> None:
        """Leave the group, either to close or, without a mode, to continue outside the group.

        Later commits are sent as a non-member, unless the application has subscribed again. The exception is a callback
        that outlasts the leave: its partitions may belong to another member by then, and a coordinator would accept a
        non-member's commit if the group is empty.
        """
        if self.driver is None:
            return
        from kafka_nextgen.membership.events import Closed, Subscribed, Unsubscribed
        from kafka_nextgen.membership.offsets.events import GroupQuit

        nothing = self._subscribed = Subscribed()
        self.missing.watch(frozenset())
        await self.driver.leave(Unsubscribed() if mode is None else Closed(mode), timeout_s)

        def quit_group() -> None:
            if self._subscribed is nothing:
                self._context.identity.belongs = False
                self._offsets.feed(GroupQuit())

        self.driver.call_after_callback(quit_group)

    def note_poll(self) -> None:
        """Inform the member, if any, that the application has polled."""
        if self.driver is not None:
            self.driver.note_poll()

    def callback_finished(self, callback: PendingCallback, error: BaseException | None) -> None:
        """Inform the member how a callback ended."""
        assert self.driver is not None, "a callback without a member"
        self.driver.callback_finished(callback, error)

    def stop(self) -> None:
        """Stop the member and its local assignors."""
        if self.driver is not None:
            self.driver.stop()
        if self._own is not None:
            self._own.stop()

    def enforce_rebalance(self, reason: str, join_reason: JoinReason) -> None:
        """Make the group rebalance, if members can do that with this protocol."""
        if self.driver is not None and self.driver.protocol is GroupProtocol.CLASSIC:
            from kafka_nextgen.membership.classic.events import RebalanceEnforced

            self.driver.feed(RebalanceEnforced(reason, join_reason))

    def _first_driver(self) -> Driver:
        if self._config.group_protocol is GroupProtocol.CLASSIC:
            return self._classic_driver()
        from kafka_nextgen.engine.member.consumer_driver import ConsumerDriver
        from kafka_nextgen.membership.member import Member
        from kafka_nextgen.membership.offsets.events import ProtocolChosen
        from kafka_nextgen.membership.offsets.rules import RULES

        member = Member(member_settings(self._config), str(uuid4()))
        driver = ConsumerDriver(member, self._context, self._own)
        driver.on_unsupported = self._fall_back if self._config.group_protocol is GroupProtocol.AUTO else None
        self._offsets.feed(ProtocolChosen(RULES))
        return driver

    def _classic_driver(self) -> ClassicDriver:
        from kafka_nextgen.engine.member.classic_driver import ClassicDriver
        from kafka_nextgen.membership.classic.events import CommitRefused
        from kafka_nextgen.membership.classic.member import ClassicMember
        from kafka_nextgen.membership.offsets.events import ProtocolChosen
        from kafka_nextgen.membership.offsets.rules import CLASSIC_RULES

        member = ClassicMember(classic_settings(self._config))
        driver = ClassicDriver(member, self._context, self._own)
        self._offsets.feed(ProtocolChosen(CLASSIC_RULES))
        self._offsets.on_refusal = lambda code, generation: driver.feed(CommitRefused(code, generation))
        return driver

    def _fall_back(self, why: str) -> None:
        logger.info(
            "group %s: joining with the classic protocol, because the consumer group protocol was refused: %s",
            self._config.group_id,
            why,
        )
        assert self.driver is not None, "only a member can be refused"
        assert self._subscribed is not None, "a member that is refused was joining"
        self.driver.stop()
        has_listener, self.driver = self.driver.has_listener, self._classic_driver()
        self.driver.set_listener(has_listener=has_listener, loads_as_standby=self._loads_as_standby)
        self.driver.feed(self._subscribed)

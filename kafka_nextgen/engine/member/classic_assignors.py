"""The local assignors of a member of a classic group: their metadata, their assignments and ``on_assignment``.

The metadata is read before the member exists, and refreshed with every heartbeat.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.assignors.spec import MemberAssignment, PartitionAssignorError
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.engine.member.local_assignors import LocalAssignors
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.classic import effects as fx
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.membership.events import AssignorsAsked
from kafka_nextgen.text import describe_error
from kafka_nextgen.transport.topic_lookup import id_of
from kafka_nextgen.types import TopicId

__all__ = ["ClassicAssignors"]

logger = logger_of("kafka_nextgen.member")


class ClassicAssignors:
    """Connects a member, which gets its events through ``feed``, with its assignors, on the I/O thread."""

    def __init__(self, own: LocalAssignors, context: DriverContext, feed: Callable[[ev.ClassicEvent], None]) -> None:
        self._own = own
        self._cluster = context.cluster
        self._identity = context.identity
        self._tasks = context.tasks
        self._feed = feed
        self._cause: BaseException | None = None  # of this member's last failed computation

    def offer(self) -> None:
        """Feed the metadata to the member."""
        self._feed(AssignorsAsked(self._own.known))

    def ask(self) -> None:
        """Refresh the metadata in the background."""
        self._tasks.start(self._own.ask_again(self.offer))

    def run(self, effect: fx.RunAssignor) -> None:
        """Run an assignor for the group, and feed the outcome to the member."""
        self._cause = None
        self._tasks.start(self._run(effect))

    async def _run(self, effect: fx.RunAssignor) -> None:
        try:
            assignment = await self._own.compute(effect.assignor, effect.group)
        except PartitionAssignorError as failed:
            self._cause = failed.__cause__
            self._feed(ev.AssignorFailed(effect.number, str(failed)))
        except Exception as bug:  # the task reports it; the member must not wait forever
            self._feed(ev.AssignorFailed(effect.number, describe_error(bug)))
            raise
        else:
            self._feed(ev.AssignorReturned(effect.number, assignment))

    def tell(self, effect: fx.TellAssignor, member_id: str) -> None:
        """Make the next poll call ``on_assignment`` with the member's partitions.

        Assignors identify topics by id; unknown ids are looked up first.
        """
        identity = self._identity
        group = ConsumerGroupMetadata(identity.group_id, effect.generation, member_id, identity.instance_id)
        unknown = {tp.topic for tp in effect.partitions} - self._cluster.metadata.topics_by_name.keys()
        if unknown:
            self._tasks.start(self._ask_and_call(effect, group, frozenset(unknown)))
        else:
            self._call(effect, group)

    async def _ask_and_call(
        self, effect: fx.TellAssignor, group: ConsumerGroupMetadata, unknown: frozenset[str]
    ) -> None:
        try:
            await self._cluster.refresh_metadata(topics=unknown)
        except KafkaNextgenError as transient:
            logger.warning(
                "group %s: assignor %s is called without topic ids, because looking them up failed: %s",
                group.group_id,
                effect.assignor,
                transient,
            )
        self._call(effect, group)

    def _call(self, effect: fx.TellAssignor, group: ConsumerGroupMetadata) -> None:
        share: dict[TopicId, set[int]] = {}
        for tp in sorted(effect.partitions):
            share.setdefault(id_of(self._cluster.metadata, tp.topic), set()).add(tp.partition)
        self._own.call_on_assignment(effect.assignor, effect.error, MemberAssignment(share, effect.metadata), group)

    def raise_failed(self, effect: fx.RaiseAssignorFailed, member_id: str) -> None:
        """Make the next poll raise an error, because the group has no new assignment."""
        is_own = effect.leader_id == member_id
        of = "this member, which leads its group," if is_own else f"the leader, {effect.leader_id},"
        self._own.tell_failure(effect.why, effect.assignor, self._cause if is_own else None, of=of)

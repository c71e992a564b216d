"""What a member of a classic group has its own assignors do: say what they have to say, assign, and hear of it.

They are asked what they have to say with every heartbeat, and first before the member joins; not while they are at
work, for then they would answer only after it. One that can't be asked is asked again after a while: the
application hears why it doesn't join.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kafka_nextgen.assignors.spec import ConsumerGroupMetadata, MemberAssignment, PartitionAssignorError
from kafka_nextgen.assignors.user_data import word_of
from kafka_nextgen.engine.member.own_assignors import OwnAssignors
from kafka_nextgen.engine.member.surroundings import Surroundings
from kafka_nextgen.engine.member.topic_descriptions import id_of
from kafka_nextgen.membership.classic import effects as fx
from kafka_nextgen.membership.classic import events as ev
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["Leading"]

#: The pause before asking again an assignor that could not say anything, in seconds.
_PAUSE_S = 1.0


class Leading:
    """Between a member and its assignors; lives on the I/O thread, as they do."""

    def __init__(self, own: OwnAssignors, surroundings: Surroundings, feed: Callable[[ev.ClassicEvent], None]) -> None:
        self._own = own
        self._cluster = surroundings.cluster
        self._identity = surroundings.identity
        self._tasks = surroundings.tasks
        self._feed = feed
        self._knows = False  # what they have to say was heard at least once
        self._asking: asyncio.Task[None] | None = None
        self._cause: BaseException | None = None  # of the last computation that failed here

    def ask(self) -> None:
        """Ask them all what they have to say, unless they are being asked, or are at work and have been heard."""
        is_asking = self._asking is not None and not self._asking.done()
        if not is_asking and not (self._knows and self._own.is_busy):
            self._asking = self._tasks.start(self._ask())

    async def _ask(self) -> None:
        while True:
            try:
                offers = await self._own.offers()
            except PartitionAssignorError as failed:
                self._own.tell_failure(str(failed), ", ".join(self._own.by_name), failed.__cause__)
                if self._knows:
                    return  # what it said before stands
                await asyncio.sleep(_PAUSE_S)
            else:
                self._knows = True
                self._feed(ev.AssignorsAsked({offer.name: word_of(offer) for offer in offers}))
                return

    def run(self, effect: fx.RunAssignor) -> None:
        """Have one assign the group, and tell the member what came of it."""
        self._cause = None
        self._tasks.start(self._run(effect))

    async def _run(self, effect: fx.RunAssignor) -> None:
        try:
            assignment = await self._own.compute(effect.assignor, effect.group)
        except PartitionAssignorError as failed:
            self._cause = failed.__cause__
            self._feed(ev.AssignorFailed(effect.number, str(failed)))
        else:
            self._feed(ev.AssignorReturned(effect.number, assignment))

    def tell(self, effect: fx.TellAssignor, member_id: str) -> None:
        """Have the assignor hear of its member's part, where the application polls."""
        share: dict[TopicId, set[int]] = {}
        for tp in sorted(effect.partitions):
            share.setdefault(self._id_of(tp), set()).add(tp.partition)
        identity = self._identity
        group = ConsumerGroupMetadata(identity.group_id, effect.generation, member_id, identity.instance_id)
        assignment = MemberAssignment(share, effect.metadata)
        self._own.call_on_assignment(effect.assignor, effect.error, assignment, group)

    def _id_of(self, tp: TopicPartition) -> TopicId:
        return id_of(self._cluster.metadata, tp.topic)

    def raise_failed(self, effect: fx.RaiseAssignorFailed, member_id: str) -> None:
        """Have the application hear that the group has no new assignment."""
        is_own = effect.leader_id == member_id
        of = "this member, which leads its group," if is_own else f"the leader, {effect.leader_id},"
        self._own.tell_failure(effect.why, effect.assignor, self._cause if is_own else None, of=of)

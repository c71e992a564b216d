"""A standby member (``group.target.size``): its place, and how the application is informed.

| the coordinator's answer | effect |
|---|---|
| the member is a standby, and may get these partitions | ``on_standby`` |
| it may get other partitions than before | ``on_standby`` again; a call that has not begun is replaced |
| it is active, or has left the group | a call that has not begun is dropped |

The answer contains topic ids. If some names are unknown, for example because a topic has just been deleted, the
application first gets the other partitions, and is called again once the names are known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from kafka_nextgen.engine.mailbox import CallbackKind, Mailbox, PendingCallback
from kafka_nextgen.logs import logger_of
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.types import TopicId, TopicIdPartition, TopicPartition

__all__ = ["Standby"]

logger = logger_of("kafka_nextgen.member")

#: The interval (seconds) at which unknown names are looked up.
_LOOKUP_INTERVAL_S = 1.0


class Standby:
    """The state of a standby. ``place`` and ``may_get`` can be read from any thread.

    ``place`` is 1 for the standby that takes over first, 0 for an active member. ``may_get`` are the partitions of the
    active members, with names, if these are known.
    """

    def __init__(
        self,
        group_id: str,
        mailbox: Mailbox,
        tasks: TaskSet,
        names_of: Callable[[frozenset[TopicId]], Awaitable[Mapping[TopicId, str]]],
        has_listener: Callable[[], bool],
    ) -> None:
        self._group_id = group_id
        self._mailbox, self._tasks = mailbox, tasks
        self._names_of, self._has_listener = names_of, has_listener
        self.place = 0
        self.may_get: tuple[TopicPartition, ...] = ()
        self._partitions: frozenset[TopicIdPartition] | None = None
        self._lookup: asyncio.Task[None] | None = None
        self._callback: PendingCallback | None = None

    def note(self, place: int, partitions: frozenset[TopicIdPartition] | None) -> None:
        """Process the place in an answer, and the partitions that the member may get if the answer contains them."""
        if place <= 0:
            self.end()
            return
        if not self.place:
            logger.info("group %s: this member is a standby, in position %d", self._group_id, place)
        self.place = place
        if partitions is not None and partitions != self._partitions:
            self._partitions = partitions
            self._drop()
            self._lookup = self._tasks.start(self._tell(partitions))

    def end(self) -> None:
        """Note that the member is active, or no longer in the group."""
        self.place, self.may_get, self._partitions = 0, (), None
        self._drop()

    def _drop(self) -> None:
        if self._lookup is not None:
            self._lookup.cancel()
        if self._callback is not None:
            self._mailbox.drop_callback(self._callback)
        self._lookup = self._callback = None

    async def _tell(self, partitions: frozenset[TopicIdPartition]) -> None:
        topic_ids = frozenset(partition.topic_id for partition in partitions)
        names = await self._names_of(topic_ids)
        self._post(partitions, names)
        while len(names) < len(topic_ids):
            await asyncio.sleep(_LOOKUP_INTERVAL_S)
            before, names = names, await self._names_of(topic_ids)
            if names != before:
                self._post(partitions, names)

    def _post(self, partitions: frozenset[TopicIdPartition], names: Mapping[TopicId, str]) -> None:
        known = (each for each in partitions if each.topic_id in names)
        self.may_get = tuple(sorted(TopicPartition(names[each.topic_id], each.partition) for each in known))
        if self._callback is not None:
            self._mailbox.drop_callback(self._callback)
        self._callback = PendingCallback(CallbackKind.STANDBY, partitions=self.may_get)
        if self._has_listener():
            self._mailbox.post_callback(self._callback)

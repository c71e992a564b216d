"""A standby member (``group.target.size``): its place, and the calls of ``on_standby``.

| the coordinator's answer | effect |
|---|---|
| the member is a standby, and may get these partitions | ``on_standby`` |
| it may get other partitions than before | ``on_standby`` again; a call that has not begun is replaced |
| it is active, or has left the group | a call that has not begun is dropped |

A member whose application has ``on_standby`` says LOADING from its join on, and READY once the latest call has
returned, or once the application has called ``standby_ready``. The coordinator ignores this for active members.

The answer contains topic ids. If some names are unknown, for example because a topic has just been deleted, the
application first gets the other partitions, and is called again once the names are known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping

from kafka_nextgen.engine.mailbox import Mailbox, PendingCallback, StandbyCallback
from kafka_nextgen.logs import logger_of
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.types import StandbyState, TopicId, TopicIdPartition, TopicPartition

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
        say: Callable[[StandbyState], None] = lambda _: None,
    ) -> None:
        self._group_id = group_id
        self._mailbox, self._tasks = mailbox, tasks
        self._names_of, self._has_listener, self._say = names_of, has_listener, say
        self._loads = False
        self.place = 0
        self.may_get: tuple[TopicPartition, ...] = ()
        self._partitions: frozenset[TopicIdPartition] | None = None
        self._lookup: asyncio.Task[None] | None = None
        self._callback: StandbyCallback | None = None  # the latest, even if it has ended
        self._in_background: StandbyCallback | None = None  # the latest that returned LOADING

    def note_listener(self, loads: bool) -> None:
        """Note whether the application has ``on_standby``: otherwise it has nothing to load, and reports no state.

        If a standby's application gets ``on_standby`` only now, call it for the partitions from earlier responses.
        """
        is_new, self._loads = loads and not self._loads, loads
        if is_new and self._callback is not None:
            self._post_callback(self.may_get)

    def note(self, place: int, partitions: frozenset[TopicIdPartition] | None) -> None:
        """Process the place in an answer, and the partitions that the member may get if the answer contains them."""
        if place <= 0:
            self.end()
            return
        self._take_place(place)
        if partitions is not None and partitions != self._partitions:
            self._partitions = partitions
            self._drop()
            self._note_load()
            self._lookup = self._tasks.start(self._tell(partitions))

    def note_named(self, place: int, may_get: frozenset[TopicPartition]) -> None:
        """Process the place that an assignment of a classic group states, and the partitions by their names."""
        is_known = self.place > 0 and set(self.may_get) == may_get
        self._take_place(place)
        if not is_known:
            self._post_callback(tuple(sorted(may_get)))

    def end(self) -> None:
        """Note that the member is active, or no longer in the group."""
        self.place, self.may_get, self._partitions = 0, (), None
        self._drop()

    def finished(self, callback: PendingCallback, error: BaseException | None) -> None:
        """Process the end of a callback: if it was the latest ``on_standby``, the member may be ready."""
        if callback is self._callback and callback is not self._in_background and error is None:
            self._say(StandbyState.READY)

    def ready(self, partitions: Collection[TopicPartition] | None) -> None:
        """The application has loaded ``partitions``, or those that the latest ``on_standby`` named."""
        callback = self._callback
        if callback is None or callback in self._mailbox.callbacks:
            return  # active by now, or ``on_standby`` is about to be called with other partitions
        if partitions is not None and set(partitions) != set(callback.partitions):
            return
        self._say(StandbyState.READY)

    def _take_place(self, place: int) -> None:
        if not self.place:
            self._note_load()
            logger.info("group %s: this member is a standby, in position %d", self._group_id, place)
        self.place = place

    def _note_load(self) -> None:
        """The application has something to load, unless it has no ``on_standby``."""
        self._say(StandbyState.LOADING if self._loads else StandbyState.READY)

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
        self._post_callback(tuple(sorted(TopicPartition(names[each.topic_id], each.partition) for each in known)))

    def _post_callback(self, may_get: tuple[TopicPartition, ...]) -> None:
        """Have ``on_standby`` called, instead of a call that has not begun."""
        self.may_get = may_get
        if self._callback is not None:
            self._mailbox.drop_callback(self._callback)
        self._callback = callback = StandbyCallback(
            partitions=self.may_get, say_loading=lambda: self._note_background(callback)
        )
        if self._has_listener():
            self._note_load()
            self._mailbox.post_callback(callback)

    def _note_background(self, callback: StandbyCallback) -> None:
        self._in_background = callback

"""What a member's own assignors have to say to their peers: asked before the member joins, and again before heartbeats.

They are asked on their own thread. A heartbeat waits for the answer a moment, and then goes out without it: what comes
later is told by the next, at once. An assignor that is at work on an assignment is not asked. Whatever can't be said is
told to the application, and what was said before stays in force.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from kafka_nextgen.assignors.spec import ClientAssignor, PartitionAssignorError
from kafka_nextgen.engine.member.own_assignors import OwnAssignors
from kafka_nextgen.engine.tasks import TaskSet

__all__ = ["AssignorAsking"]

#: How long (seconds) a heartbeat waits for what assignors have to say.
PATIENCE_S = 0.1


class AssignorAsking:
    """Asks the assignors of one member. Lives on the I/O thread."""

    def __init__(self, own: OwnAssignors, tasks: TaskSet) -> None:
        self._own = own
        self._tasks = tasks
        self._known: dict[str, ClientAssignor] = {}
        self._asking: asyncio.Task[None] | None = None

    @property
    def known(self) -> tuple[ClientAssignor, ...]:
        """What they said last, the preferred one first."""
        return tuple(self._known[name] for name in self._own.by_name if name in self._known)

    async def ask_first(self) -> None:
        """Ask for the first time, as long as it takes. Raises AssignorError: without a word nobody can join."""
        for name in self._own.by_name:
            try:
                self._known[name] = await self._own.offer(name)
            except PartitionAssignorError as failed:
                raise self._own.error(str(failed), name, failed.__cause__) from failed.__cause__

    async def ask_again(self, on_news: Callable[[], None]) -> None:
        """Ask once more, unless that is under way or would wait, and wait a moment; ``on_news`` is told of others."""
        if self._asking is None or self._asking.done():
            if self._own.is_busy:
                return
            self._asking = self._tasks.start(self._ask(on_news))
        await asyncio.wait({self._asking}, timeout=PATIENCE_S)

    async def _ask(self, on_news: Callable[[], None]) -> None:
        before = self.known
        for name in self._own.by_name:
            try:
                self._known[name] = await self._own.offer(name)
            except PartitionAssignorError as failed:
                self._own.tell_failure(str(failed), name, failed.__cause__)
        if self.known != before:
            on_news()

"""The application's own assignors (``group.local.assignors``), with either protocol.

``metadata`` and ``assign`` run on a thread of their own, one after the other, so the I/O thread never waits for them.
``on_assignment`` runs where the application polls, as rebalance callbacks do and before those of the same epoch. What
an assignor does wrong is an ``AssignorError`` of the next poll, which is not raised twice in a row for one error.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeVar

from kafka_nextgen.assignors.spec import (
    AssignmentSpec,
    ClientAssignor,
    GroupAssignment,
    MemberAssignment,
    PartitionAssignor,
    PartitionAssignorError,
)
from kafka_nextgen.engine.mailbox import CallbackKind, PendingCall
from kafka_nextgen.engine.member.driver_context import DriverContext
from kafka_nextgen.errors import AssignorError
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.assigning.running import compute, offer_of
from kafka_nextgen.transport.background import run_and_hold_outcome, watch_work

__all__ = ["AssignorThread", "LocalAssignors"]

T = TypeVar("T")


class AssignorThread:
    """Runs one piece of work at a time, in order; used on the I/O thread, which never waits for it.

    A daemon, because work that never returns must not keep the process alive. So callers that wait need a time limit.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._under_way = 0

    @property
    def is_busy(self) -> bool:
        """Whether work is under way, so that new work would wait."""
        return self._under_way > 0

    def do(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run ``work``; the future has its result or error, unless the event loop is closed by then."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[T] = loop.create_future()
        self._under_way += 1
        watch_work(ended)
        self._work.put(lambda: self._run(work, ended, loop))
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._thread.start()
        return ended

    def stop(self) -> None:
        """End after the work requested so far."""
        self._work.put(None)

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            work()

    def _run(self, work: Callable[[], T], ended: asyncio.Future[T], loop: asyncio.AbstractEventLoop) -> None:
        set_outcome = run_and_hold_outcome(work, ended)
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._end, set_outcome)

    def _end(self, set_outcome: Callable[[], None]) -> None:
        self._under_way -= 1
        set_outcome()


#: How long (seconds) a heartbeat waits for the metadata of assignors.
PATIENCE_S = 0.1

logger = logger_of("kafka_nextgen.member")


class LocalAssignors:
    """The assignors of one member, and their metadata, which its peers get: read before it joins, and refreshed.

    A heartbeat waits for a refresh for a moment, then goes out without it; the next one has what comes later. An
    assignor that is computing an assignment is not asked. If it fails, the application is told, and what it said
    before stays in force. Used on the I/O thread; ``trouble`` may be read from any thread.
    """

    def __init__(self, context: DriverContext) -> None:
        assignors, group_id = context.config.group_local_assignors, context.config.group_id or ""
        self._by_name: Mapping[str, PartitionAssignor] = {assignor.name: assignor for assignor in assignors}
        self.trouble: str | None = None  # the last error raised, as long as it holds
        self._group_id = group_id
        self._mailbox = context.mailbox
        self._tasks = context.tasks
        self._known: dict[str, ClientAssignor] = {}
        self._asking: asyncio.Task[None] | None = None
        self._thread = AssignorThread(f"kafka_nextgen assignors of {group_id}")

    @property
    def known(self) -> tuple[ClientAssignor, ...]:
        """The last metadata, the preferred assignor first."""
        return tuple(self._known[name] for name in self._by_name if name in self._known)

    async def ask_first(self) -> None:
        """Read the metadata for the first time, which a member needs to join. Raises AssignorError."""
        for name in self._by_name:
            try:
                self._known[name] = await self._offer(name)
            except PartitionAssignorError as failed:
                raise self._error(str(failed), name, failed.__cause__) from failed.__cause__

    async def ask_again(self, on_news: Callable[[], None]) -> None:
        """Refresh, unless that is under way or would wait, and wait a moment; a change calls ``on_news``."""
        if self._asking is None or self._asking.done():
            if self._thread.is_busy:
                return
            self._asking = self._tasks.start(self._ask(on_news))
        await asyncio.wait({self._asking}, timeout=PATIENCE_S)

    async def _ask(self, on_news: Callable[[], None]) -> None:
        before = self.known
        for name in self._by_name:
            try:
                self._known[name] = await self._offer(name)
            except PartitionAssignorError as failed:
                self.tell_failure(str(failed), name, failed.__cause__)
        if self.known != before:
            on_news()

    async def _offer(self, name: str) -> ClientAssignor:
        """The current metadata of one assignor. Raises PartitionAssignorError."""
        assignor = self._by_name[name]
        return await self._thread.do(lambda: offer_of(assignor))

    async def compute(self, name: str, group: AssignmentSpec) -> GroupAssignment:
        """Assign the group. Raises PartitionAssignorError, also for an invalid assignment."""
        assignor = self._by_name[name]
        return await self._thread.do(lambda: compute(assignor, group))

    def call_on_assignment(
        self, name: str, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata
    ) -> None:
        """Have the next poll call ``on_assignment``: there is a target, so an earlier error is over."""
        self.trouble = None
        assignor = self._by_name[name]
        call = PendingCall(CallbackKind.ASSIGNMENT, run=lambda: assignor.on_assignment(error, assignment, group))
        self._mailbox.post_callback(call)

    def tell_failure(
        self, why: str, name: str | None, cause: BaseException | None = None, *, of: str = "this member"
    ) -> None:
        """Have the next poll raise AssignorError. Without a ``name``, ``why`` names the assignor."""
        error = self._error(why, name, cause, of=of)
        if str(error) == self.trouble:
            return
        self.trouble = str(error)
        logger.error("%s", error, exc_info=cause)
        self._mailbox.post_error(error)

    def _error(
        self, why: str, name: str | None, cause: BaseException | None = None, *, of: str = "this member"
    ) -> AssignorError:
        """The error for a failed assignor."""
        what = why if name is None else f"assignor {name!r} of {of} failed: {why}"
        error = AssignorError(f"group {self._group_id}: {what}", assignor=name or "", group=self._group_id)
        error.__cause__ = cause
        return error

    def stop(self) -> None:
        """Stop calling the assignors."""
        self._thread.stop()

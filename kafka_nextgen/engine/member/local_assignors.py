"""The application's own assignors (``group.local.assignors``), with either protocol.

``metadata`` and ``assign`` run on a separate thread, one at a time, so the I/O thread never waits for them.
``on_assignment`` runs where the application polls, like rebalance callbacks, and before the rebalance callbacks of the
same epoch. If an assignor fails, the next poll raises ``AssignorError``, but not twice in a row for the same error.
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
    """Runs one piece of work at a time, in order; used by the I/O thread, which never blocks on it.

    The thread is a daemon, because work that never returns must not keep the process alive. So callers that wait need a
    time limit.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._under_way = 0

    @property
    def is_busy(self) -> bool:
        """Whether work is in progress, so that new work would have to wait."""
        return self._under_way > 0

    def do(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run ``work``; the future gets its result or error, unless the event loop has been closed by then."""
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
        """End the thread after the work requested so far."""
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
    """The assignors of one member, and their metadata, which is sent to the other members.

    The metadata is read before the member joins, and refreshed later. A heartbeat waits briefly for a refresh, and is
    then sent without it; the next heartbeat contains the late result. An assignor that is computing an assignment is
    not called. If a refresh fails, the application is informed, and the previous metadata stays in effect. Used on the
    I/O thread; ``trouble`` can be read from any thread.
    """

    def __init__(self, context: DriverContext) -> None:
        assignors, group_id = context.config.group_local_assignors, context.config.group_id or ""
        self._by_name: Mapping[str, PartitionAssignor] = {assignor.name: assignor for assignor in assignors}
        self.trouble: str | None = None  # the last error raised, as long as it persists
        self._group_id = group_id
        self._mailbox = context.mailbox
        self._tasks = context.tasks
        self._known: dict[str, ClientAssignor] = {}
        self._asking: asyncio.Task[None] | None = None
        self._thread = AssignorThread(f"kafka_nextgen assignors of {group_id}")

    @property
    def known(self) -> tuple[ClientAssignor, ...]:
        """The last metadata, with the preferred assignor first."""
        return tuple(self._known[name] for name in self._by_name if name in self._known)

    async def ask_first(self) -> None:
        """Read the metadata for the first time, before the member can join. Raises AssignorError."""
        for name in self._by_name:
            try:
                self._known[name] = await self._offer(name)
            except PartitionAssignorError as failed:
                raise self._error(str(failed), name, failed.__cause__) from failed.__cause__

    async def ask_again(self, on_news: Callable[[], None]) -> None:
        """Refresh, unless the thread is busy, and wait briefly; ``on_news`` is called after a change."""
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
        """Return the current metadata of one assignor. Raises PartitionAssignorError."""
        assignor = self._by_name[name]
        return await self._thread.do(lambda: offer_of(assignor))

    async def compute(self, name: str, group: AssignmentSpec) -> GroupAssignment:
        """Compute the group's assignment. Raises PartitionAssignorError, including for an invalid assignment."""
        assignor = self._by_name[name]
        return await self._thread.do(lambda: compute(assignor, group))

    def call_on_assignment(
        self, name: str, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata
    ) -> None:
        """Make the next poll call ``on_assignment``. The group has a target again, so an earlier error is resolved."""
        self.trouble = None
        assignor = self._by_name[name]
        call = PendingCall(CallbackKind.ASSIGNMENT, run=lambda: assignor.on_assignment(error, assignment, group))
        self._mailbox.post_callback(call)

    def tell_failure(
        self, why: str, name: str | None, cause: BaseException | None = None, *, of: str = "this member"
    ) -> None:
        """Make the next poll raise AssignorError. Without a ``name``, ``why`` must name the assignor."""
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

"""The application's own assignors (``group.local.assignors``), with either protocol.

``metadata`` and ``assign`` run on a thread of their own, one after the other, so the I/O thread never waits for them.
``on_assignment`` runs where the application polls, as rebalance callbacks do and before those of the same epoch. What
an assignor does wrong is an ``AssignorError`` of the next poll, which is not raised twice in a row for one error.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
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
from kafka_nextgen.engine.io_thread import TaskSet
from kafka_nextgen.engine.mailbox import CallbackKind, Mailbox, PendingCall
from kafka_nextgen.errors import AssignorError
from kafka_nextgen.group_metadata import ConsumerGroupMetadata
from kafka_nextgen.logs import logger_of
from kafka_nextgen.membership.assigning.running import compute, offer_of
from kafka_nextgen.transport.background import run_and_hold_outcome

__all__ = ["AssignorMetadata", "AssignorThread", "LocalAssignors"]

T = TypeVar("T")


class AssignorThread:
    """Made on the I/O thread and asked there; begins with the first thing to do."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._under_way = 0

    @property
    def is_busy(self) -> bool:
        """Whether something is under way, so that what is asked now would wait."""
        return self._under_way > 0

    def do(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Do this; the future has what it returns or raises, unless the event loop is gone by then."""
        loop = asyncio.get_running_loop()
        ended: asyncio.Future[T] = loop.create_future()
        self._under_way += 1
        self._work.put(lambda: self._run(work, ended, loop))
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=self._name, daemon=True)
            self._thread.start()
        return ended

    def stop(self) -> None:
        """Begin nothing after what was asked by now."""
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


logger = logger_of("kafka_nextgen.member")


class LocalAssignors:
    """Lives on the I/O thread; ``trouble`` may be read from any thread."""

    def __init__(self, assignors: Sequence[PartitionAssignor], group_id: str, mailbox: Mailbox) -> None:
        self.by_name: Mapping[str, PartitionAssignor] = {assignor.name: assignor for assignor in assignors}
        self.trouble: str | None = None  # what the application was told last, and still holds
        self._group_id = group_id
        self._mailbox = mailbox
        self._thread = AssignorThread(f"kafka_nextgen assignors of {group_id}")

    @property
    def is_busy(self) -> bool:
        """Whether an assignor is at work, so that whatever is asked of it would wait."""
        return self._thread.is_busy

    async def offer(self, name: str) -> ClientAssignor:
        """What one of them says to its peers at this moment. Raises PartitionAssignorError."""
        assignor = self.by_name[name]
        return await self._thread.do(lambda: offer_of(assignor))

    async def compute(self, name: str, group: AssignmentSpec) -> GroupAssignment:
        """Assign the group. Raises PartitionAssignorError, also for what is no assignment of it."""
        assignor = self.by_name[name]
        return await self._thread.do(lambda: compute(assignor, group))

    def call_on_assignment(
        self, name: str, error: int, assignment: MemberAssignment, group: ConsumerGroupMetadata
    ) -> None:
        """Have ``on_assignment`` called by the next poll: there is a target, and whatever was wrong is over."""
        self.trouble = None
        assignor = self.by_name[name]
        call = PendingCall(CallbackKind.ASSIGNMENT, run=lambda: assignor.on_assignment(error, assignment, group))
        self._mailbox.post_callback(call)

    def tell_failure(
        self, why: str, name: str | None, cause: BaseException | None = None, *, of: str = "this member"
    ) -> None:
        """Have the next poll raise AssignorError. Without a ``name``, ``why`` says itself whose it is."""
        error = self.error(why, name, cause, of=of)
        if str(error) == self.trouble:
            return
        self.trouble = str(error)
        logger.error("%s", error, exc_info=cause)
        self._mailbox.post_error(error)

    def error(
        self, why: str, name: str | None, cause: BaseException | None = None, *, of: str = "this member"
    ) -> AssignorError:
        """The error that tells of a failure."""
        what = why if name is None else f"assignor {name!r} of {of} failed: {why}"
        error = AssignorError(f"group {self._group_id}: {what}", assignor=name or "", group=self._group_id)
        error.__cause__ = cause
        return error

    def stop(self) -> None:
        """Ask nothing of them any more."""
        self._thread.stop()


#: How long (seconds) a heartbeat waits for what assignors have to say.
PATIENCE_S = 0.1


class AssignorMetadata:
    """Asks the assignors of one member. Lives on the I/O thread."""

    def __init__(self, own: LocalAssignors, tasks: TaskSet) -> None:
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

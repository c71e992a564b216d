"""What the I/O thread leaves for the application's next poll: callbacks to run, errors to raise.

The I/O thread adds to it and wakes the application, which takes things out in order when it polls. An error is raised
once, at once. A fatal error is raised by every later poll as well: a consumer that is out of its group for good must
not look like one whose topics are quiet. But those polls wait first, so that a loop that catches it does not spin.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping
from enum import Enum

from attrs import field, frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.application.wakeup import Wakeup
from kafka_nextgen.errors import BrokerError, DecodeError, FrameTooLargeError, TransportError
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "CallbackEnd",
    "CallbackKind",
    "CommitCallback",
    "Mailbox",
    "PendingCall",
    "PendingCallback",
]


#: The offsets of a commit.
Offsets = Mapping[TopicPartition, OffsetAndMetadata]
#: The callback of ``commit_async``: called with the offsets, and with the error or None.
CommitCallback = Callable[[Offsets, BaseException | None], object]


class CallbackKind(Enum):
    """The method to run, of a listener or an assignor, or the callback of ``commit_async``."""

    ASSIGNED = "on_partitions_assigned"
    REVOKED = "on_partitions_revoked"
    LOST = "on_partitions_lost"
    STANDBY = "on_standby"
    ASSIGNMENT = "on_assignment"  # of an assignor of the application's own
    COMMITTED = "commit_async"  # the callback of one

    @property
    def short(self) -> str:
        """The method without the prefix of listener methods."""
        return self.value.removeprefix("on_").removeprefix("partitions_")


@frozen(eq=False)
class PendingCallback:
    """A method to run where the application polls, and the number its completion must name.

    Compared by identity: finding one among others runs no Python code, so no other thread gets in between.
    """

    kind: CallbackKind
    number: int = 0
    partitions: tuple[TopicPartition, ...] = ()


@frozen(eq=False)
class PendingCall(PendingCallback):
    """A call to run where the application polls, for which no member waits."""

    run: Callable[[], object] = field(kw_only=True)


#: A callback and its error. A plain tuple: making one calls nothing that a signal handler could interrupt.
CallbackEnd = tuple[PendingCallback, BaseException | None]


class Mailbox:
    """Callbacks and errors on their way from the I/O thread to the application.

    ``news`` counts what a poll would act on. Iteration does not check it between two records; instead ``on_news`` is
    called, on any thread and perhaps under a lock, and must not block.
    """

    def __init__(self, wakeup: Wakeup) -> None:
        self.news = 0
        #: Whether the member waits for the application to poll; that it begins to is news.
        self.wants_poll = False
        self.on_news: Callable[[], None] = _nobody
        self._wakeup = wakeup
        #: Wakes an application that waits for records.
        self.wake: Callable[[], None] = wakeup.notify
        self._callbacks: deque[PendingCallback] = deque()
        self._errors: deque[Exception] = deque()
        #: Views of what waits here, which is mostly nothing.
        self.callbacks: Collection[PendingCallback] = self._callbacks
        self.errors: Collection[Exception] = self._errors
        #: Why this consumer is out of its group for good, if it is; raised by each poll.
        self.fatal: Exception | None = None

    def note_news(self) -> None:
        """Have the application poll, at its next record, or at once if it waits."""
        self.news += 1
        self.on_news()
        self._wakeup.notify()

    def post_callback(self, callback: PendingCallback) -> None:
        """Leave a callback for the next poll."""
        self._callbacks.append(callback)
        self.note_news()

    def post_error(self, error: Exception) -> None:
        """Leave an error for the next poll to raise, unless the same one waits there already."""
        if all((type(error), str(error)) != (type(other), str(other)) for other in tuple(self._errors)):
            self._errors.append(error)
        self.note_news()

    def post_fatal(self, error: Exception) -> None:
        """Leave an error for the next poll to raise, and for every later one to raise when its time is over.

        Only the first such error is kept.
        """
        if self.fatal is None:
            self.fatal = error
            self.post_error(error)

    def post_unless_transient(self, error: Exception) -> None:
        """Leave an error for the next poll to raise, if trying again will not help."""
        if not _passes(error):
            self.post_error(error)

    def first_callback(self) -> PendingCallback | None:
        """The oldest callback, if any; it stays until it is dropped."""
        try:
            return self._callbacks[0]
        except IndexError:
            return None

    def drop_callback(self, callback: PendingCallback) -> bool:
        """Remove a callback that runs or is no longer waited for. False if the other thread has removed it."""
        try:
            self._callbacks.remove(callback)
        except ValueError:
            return False
        return True

    def drop_callbacks(self, kind: CallbackKind) -> None:
        """Remove all callbacks of this kind that have not begun."""
        for callback in tuple(self._callbacks):
            if callback.kind is kind:
                self.drop_callback(callback)

    def raise_error(self) -> None:
        """Raise the oldest error not yet raised, if there is one."""
        if self._errors:
            error = self._errors[0]
            del self._errors[0]  # and no call: a signal handler that raised before the next line would lose the error
            raise error

    def raise_fatal(self) -> None:
        """Raise the fatal error, if there is one."""
        if self.fatal is not None:
            raise self.fatal.with_traceback(None)


def _nobody() -> None:
    """Do nothing: no iteration has begun."""


def _passes(error: Exception) -> bool:
    """Whether an error of the I/O thread's own requests may pass by itself.

    An answer that can't be decoded may be followed by a better one, unless it exceeds the configured size. A member
    unknown to the coordinator learns that by its next heartbeat, and joins again. A refused login is tried again; that
    it was refused is told once, and not by every request that needs it.
    """
    if isinstance(error, BrokerError):
        return error.retriable or error.code == ErrorCode.UNKNOWN_MEMBER_ID
    if isinstance(error, FrameTooLargeError):
        return False
    return isinstance(error, TransportError | DecodeError)

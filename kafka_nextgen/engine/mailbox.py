"""The mailbox passes callbacks to run and errors to raise from the I/O thread to the application's next poll.

The I/O thread adds to it and wakes the application, which handles the contents in order when it polls. An error is
raised once, by the next poll, without waiting for records. A fatal error is raised by every later poll as well, so that
a consumer that is permanently out of its group does not appear to have no new records. These later polls wait first, so
that a loop that catches the error does not become a busy loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping
from enum import Enum

from attrs import field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.application.wakeup import Wakeup
from kafka_nextgen.errors import BrokerError, DecodeError, FrameTooLargeError, TransportError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = [
    "CallbackEnd",
    "CallbackKind",
    "CommitCallback",
    "Mailbox",
    "PendingCall",
    "PendingCallback",
    "StandbyCallback",
]


#: The offsets of a commit.
Offsets = Mapping[TopicPartition, OffsetAndMetadata]
#: The callback of ``commit_async``: called with the offsets, and with the error or None.
CommitCallback = Callable[[Offsets, BaseException | None], object]


class CallbackKind(Enum):
    """Which callback to run: a method of a listener or an assignor, or the callback of ``commit_async``."""

    ASSIGNED = "on_partitions_assigned"
    REVOKED = "on_partitions_revoked"
    LOST = "on_partitions_lost"
    STANDBY = "on_standby"
    ASSIGNMENT = "on_assignment"  # of a local assignor
    COMMITTED = "commit_async"  # the callback passed to ``commit_async``

    @property
    def short(self) -> str:
        """The method's name without the prefix of listener methods."""
        return self.value.removeprefix("on_").removeprefix("partitions_")


@frozen(eq=False)
class PendingCallback:
    """A callback to run on the thread that polls. Its completion must have the same ``number``.

    Compared by identity, so that searching a deque for one runs no Python code and no other thread can interfere.
    """

    kind: CallbackKind
    number: int = 0
    partitions: tuple[TopicPartition, ...] = ()


@frozen(eq=False)
class PendingCall(PendingCallback):
    """A function to call on the thread that polls. The member does not wait for it."""

    run: Callable[[], object] = field(kw_only=True)


@frozen(eq=False)
class StandbyCallback(PendingCallback):
    """``on_standby``; ``say_loading`` is called on the polling thread if it returns ``StandbyState.LOADING``."""

    kind: CallbackKind = field(default=CallbackKind.STANDBY, init=False)
    say_loading: Callable[[], object] = field(kw_only=True)


#: A callback and its error. It is a plain tuple because a signal handler can't interrupt the creation of a tuple.
CallbackEnd = tuple[PendingCallback, BaseException | None]


class Mailbox:
    """Callbacks and errors for the application's next poll.

    ``news`` counts the events that a poll has to handle. Iteration does not check it between two records. Instead,
    ``on_news`` is called for each event, on any thread and possibly while a lock is held, so it must not block.
    """

    def __init__(self, wakeup: Wakeup) -> None:
        self.news = 0
        #: Whether the member is waiting for the application to poll. When this becomes true, ``note_news`` is called.
        self.wants_poll = False
        self.on_news: Callable[[], None] = _nobody
        self._wakeup = wakeup
        #: Wakes the application if it is waiting for records.
        self.wake: Callable[[], None] = wakeup.notify
        self._callbacks: deque[PendingCallback] = deque()
        self._errors: deque[Exception] = deque()
        #: Read-only views of the two queues, which are empty most of the time.
        self.callbacks: Collection[PendingCallback] = self._callbacks
        self.errors: Collection[Exception] = self._errors
        #: The error after which this consumer can't return to its group, if any; each poll raises it.
        self.fatal: Exception | None = None

    def note_news(self) -> None:
        """Make the application poll: immediately if it is waiting for records, otherwise before its next record."""
        self.news += 1
        self.on_news()
        self._wakeup.notify()

    def post_callback(self, callback: PendingCallback) -> None:
        """Add a callback for the next poll to run."""
        self._callbacks.append(callback)
        self.note_news()

    def post_error(self, error: Exception) -> None:
        """Add an error for the next poll to raise, unless an equal error is already waiting."""
        if all((type(error), str(error)) != (type(other), str(other)) for other in tuple(self._errors)):
            self._errors.append(error)
        self.note_news()

    def post_fatal(self, error: Exception) -> None:
        """Add an error that the next poll raises immediately, and every later poll after its wait.

        Only the first fatal error is kept.
        """
        if self.fatal is None:
            self.fatal = error
            self.post_error(error)

    def post_unless_transient(self, error: Exception) -> None:
        """Add an error for the next poll to raise, unless a retry may succeed."""
        if not _passes(error):
            self.post_error(error)

    def first_callback(self) -> PendingCallback | None:
        """The oldest callback, if any. It stays in the queue until it is dropped."""
        try:
            return self._callbacks[0]
        except IndexError:
            return None

    def drop_callback(self, callback: PendingCallback) -> bool:
        """Remove a callback that has begun or is no longer needed. Returns False if the other thread has removed it."""
        try:
            self._callbacks.remove(callback)
        except ValueError:
            return False
        return True

    def drop_callbacks(self, kind: CallbackKind) -> None:
        """Remove all callbacks of this kind that have not begun yet."""
        for callback in tuple(self._callbacks):
            if callback.kind is kind:
                self.drop_callback(callback)

    def raise_error(self) -> None:
        """Raise the oldest waiting error, if there is one."""
        if self._errors:
            error = self._errors[0]
            del self._errors[0]  # not popleft(): the error would be lost if a signal handler raised after that call
            raise error

    def raise_fatal(self) -> None:
        """Raise the fatal error, if there is one."""
        if self.fatal is not None:
            raise self.fatal.with_traceback(None)


def _nobody() -> None:
    """Do nothing: the default for ``on_news``."""


def _passes(error: Exception) -> bool:
    """Whether an error of the I/O thread's own requests is transient.

    After a response that can't be decoded the next one may be valid, unless the response exceeds the configured size. A
    member unknown to the coordinator gets the same error for its next heartbeat, and joins again. A refused login is
    retried, and reported once rather than by every request that needs the connection.
    """
    if isinstance(error, BrokerError):
        return error.retriable or error.code == ErrorCode.UNKNOWN_MEMBER_ID
    if isinstance(error, FrameTooLargeError):
        return False
    return isinstance(error, TransportError | DecodeError)

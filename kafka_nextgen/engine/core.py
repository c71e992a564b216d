"""What ``Consumer`` and ``AsyncConsumer`` share: everything but the waiting.

Whatever touches the network is a future of the I/O thread; a front waits for it in its own way. Whatever touches
records is done here at once, under the fetcher's lock.

A poll is, in this order: tell the member that the application polls; run the callbacks that wait; raise what is to
be raised; hand records over. So no record of a partition that is being given up gets out after its revocation
began, and everything handed over before counts as processed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.engine import Engine
from kafka_nextgen.engine.mailbox import PendingCallback, Signal
from kafka_nextgen.engine.records import Deserializers, RecordIterator, Records
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.membership.events import Polled
from kafka_nextgen.types import LeaveMode, OffsetAndMetadata, Record, TopicPartition, format_partitions

__all__ = ["ConsumerCore"]

#: The member is told of polls at least this often (seconds), so that max.poll.interval.ms is measured from real ones.
POLL_NOTE_INTERVAL_S = 1.0


class ConsumerCore:
    """The part of a consumer that does not care whether it is waited for or awaited."""

    def __init__(self, config: ConsumerConfig, signal: Signal) -> None:
        self.config = config
        self.deserializers = Deserializers(config.key_deserializer, config.value_deserializer)
        self.engine = Engine(config, signal)
        self.closing = False
        self._noted_s = 0.0
        self._note_interval_s = min(POLL_NOTE_INTERVAL_S, config.max_poll_interval_ms / 10_000)
        self._nothing = RecordIterator((), self.deserializers)
        self._cursor, self._cursor_stops = self._nothing, 0

    # ---- polling

    def check_open(self) -> None:
        """Raise MisuseError if the consumer is closed, or belongs to the process before a fork."""
        if self.closing:
            raise MisuseError("this consumer is closed")
        self.engine.check_usable()

    def note_poll(self) -> Future[None] | None:
        """Tell the member that the application polls, if that matters now; the future is done when it was."""
        now = time.monotonic()
        if not self.engine.wants_poll and now - self._noted_s < self._note_interval_s:
            return None
        self._noted_s = now
        self.engine.fetcher.mark_consumed()
        return self.engine.tell(Polled())

    def wait_at_most_s(self, deadline: float) -> float:
        """How long a poll may wait before it must look around again; 0 when its time is over."""
        return max(0.0, min(deadline - time.monotonic(), self._note_interval_s))

    def take(self, max_records: int) -> Records:
        """Hand over what has arrived, at most ``max_records``; the positions advance with it."""
        return Records(self.engine.fetcher.take(max_records), self.deserializers)

    def raise_posted(self) -> None:
        """Raise the oldest error the I/O thread left for the application, if any."""
        error = self.engine.mailbox.take_error()
        if error is not None:
            raise error

    def raise_if_unreachable(self) -> None:
        """Raise what kept the consumer from reaching any broker, if it never has."""
        error = self.engine.never_reached
        if error is not None:
            raise error

    def callback_finished(self, callback: PendingCallback, error: BaseException | None) -> Future[None]:
        """Tell the member how a listener's method ended."""
        return self.engine.callback_finished(callback, error)

    # ---- iterating: records are handed over one by one, but buffered in the cursor

    def next_looked_at(self) -> Record | None:
        """The next of the records looked at, without any lock; None if none is left, or some may be out of bounds."""
        return next(self._cursor, None) if self._cursor_stops == self.engine.fetcher.stops else None

    def look(self, max_records: int) -> RecordIterator:
        """Look at the records that would be handed over next, for iterating over them."""
        self._cursor_stops = self.engine.fetcher.stops  # read first: a stop while peeking makes the cursor stale
        self._cursor = RecordIterator(self.engine.fetcher.peek(max_records), self.deserializers)
        return self._cursor

    def settle(self) -> None:
        """Advance the positions over what iteration has given out; the rest is looked at anew."""
        self.settle_progress()
        self._cursor = self._nothing

    def settle_progress(self) -> None:
        """Advance the positions over what iteration has given out."""
        if self._cursor is not self._nothing:
            self.engine.fetcher.hand_over(self._cursor.progress())

    # ---- positions

    def offsets_to_commit(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        """What ``commit`` commits: the caller's offsets, or the positions behind all that was handed over."""
        if offsets is None:
            return self.engine.fetcher.handed_over_offsets()
        return {
            tp: value if isinstance(value, OffsetAndMetadata) else OffsetAndMetadata(value)
            for tp, value in offsets.items()
        }

    def seek(self, partition: TopicPartition, offset: int | OffsetAndMetadata) -> None:
        """Go on reading at ``offset``."""
        target = offset if isinstance(offset, OffsetAndMetadata) else OffsetAndMetadata(offset)
        if target.offset < 0:
            raise ValueError(f"{partition}: cannot seek to offset {target.offset}; offsets begin at 0")
        self.engine.fetcher.seek(partition, target.offset, target.leader_epoch)

    def position_now(self, partition: TopicPartition) -> int | None:
        """The offset of the next record to be handed over, None while it is being looked up."""
        self.require_assigned([partition])
        return self.engine.fetcher.position(partition)

    def require_assigned(self, partitions: Iterable[TopicPartition]) -> None:
        """Raise MisuseError naming those of ``partitions`` that are not assigned."""
        foreign = set(partitions) - self.engine.fetcher.assignment()
        if foreign:
            owned = format_partitions(self.engine.fetcher.assignment())
            raise MisuseError(f"{format_partitions(foreign)} is not assigned to this consumer, which owns {owned}")

    # ---- closing

    def leave(self, mode: LeaveMode, timeout_s: float) -> Future[None]:
        """Begin to leave; done when the coordinator knows, or the time is over."""
        return self.engine.leave(mode, timeout_s)

    def pending_callbacks(self) -> Iterator[PendingCallback]:
        """The callbacks that wait to be run, oldest first."""
        while (callback := self.engine.mailbox.take_callback()) is not None:
            yield callback

"""The fetch state, shared by the two threads that use it.

The state has no thread of its own. The I/O thread plans requests and stores records; the application's thread takes
records, seeks and pauses. Each of their calls holds one lock. No thread waits for anything else while it holds the
lock, and decoding happens outside of it. A signal handler that interrupts the application in such a call may acquire
the lock again, for example to read the lag; an operation that would wait for the I/O thread is deferred until the call
ends (``CallTracker``). ``on_change`` is called after each change that may require another request.

The records that a poll is about to return are a ``PollOffer``. The positions do not change yet, because a signal
handler may raise until the poll has returned, and then the next poll must find the same records again. The last
operation of a poll marks its offer as taken; the next call that uses the state advances the positions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching import (
    DecodedPartition,
    Fetch,
    FetchState,
    NodeFetches,
)
from kafka_nextgen.fetching.fast_path import Step
from kafka_nextgen.fetching.socket_answers import SteadySocket
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["LockedFetches", "PollOffer"]

T = TypeVar("T")


@define(eq=False)
class PollOffer:
    """The records found by a poll; once ``is_taken``, the poll has returned them."""

    parts: Sequence[ColumnSlice] = ()
    is_taken: bool = False


class LockedFetches(AbstractContextManager[FetchState]):
    """The operations of the application's thread on the fetch state.

    The I/O thread uses this object as a context manager, which returns the state and locks out the other thread.
    """

    def __init__(self, state: FetchState, on_change: Callable[[], None]) -> None:
        self._state = state
        self._lock = threading.RLock()
        #: Whether this thread is inside another call of this object that a signal handler has interrupted. Only the
        #: lock knows this reliably: after an exception, a separate flag could have the wrong value. threading.Condition
        #: uses this method, too.
        self._is_inside: Callable[[], bool] = self._lock._is_owned  # type: ignore[attr-defined]  # noqa: SLF001
        #: The records found by the last poll; replaced if a poll in a signal handler runs in the meantime.
        self.offer = PollOffer()
        self._on_change = on_change

    def __enter__(self) -> FetchState:
        self._lock.acquire()
        self._apply_taken()
        if self.offer.is_taken:
            self.settle_taken()
        if self._state.steady.followed:
            self._state.steady.settle()
        return self._state

    def __exit__(self, *how: object) -> None:
        self._lock.release()

    def under_lock(self, work: Callable[[FetchState], T]) -> T:
        """Call ``work`` with the state, whose positions may still be before the records of a taken offer."""
        with self._lock:
            self._apply_taken()
            return work(self._state)

    def look(self, read: Callable[[FetchState], T]) -> T:
        """Call ``read`` with the state, after advancing the positions over a taken offer."""
        is_inside = self._is_inside()
        with self._lock:
            self._apply_taken()
            if not is_inside:
                self.settle_taken()
            return read(self._state)

    def change(self, work: Callable[[FetchState], None]) -> None:
        """Call ``work``, which changes the state so that another request may be required."""
        try:
            with self._lock:
                self._apply_taken()
                try:
                    work(self._state)
                finally:
                    self._state.note_changed()
        finally:
            self._on_change()

    # ---- the steady state, on the I/O thread

    def begin_steady(
        self, fetch: Fetch, image: ClusterImage, make: Callable[[], accelerator.SteadyFetch[DecodedPartition]]
    ) -> NodeFetches | None:
        """Start the steady state with a fetch that has been sent; see ``FastPath.begin``."""
        with self as state:
            return state.steady.begin(fetch, image, make)

    def take_steady(
        self, steady: NodeFetches, image: ClusterImage, frame: memoryview, correlation_id: int, now: float
    ) -> tuple[bytes, list[DecodedPartition]] | None:
        """Process an answer and return the next request; see ``FastPath.take``."""
        with self._lock:
            return self._state.steady.take(steady, image, frame, correlation_id, now)

    def end_steady(self, steady: NodeFetches) -> Fetch:
        """End the steady state; returns the fetch that is in flight."""
        with self as state:
            return state.steady.end(steady)

    def lend_steady(self, steady: NodeFetches, make: Callable[[Step], SteadySocket]) -> SteadySocket | None:
        """Let the application's thread receive the answers; see ``FastPath.lend``."""
        with self._lock:
            return self._state.steady.lend(steady, make)

    def take_back_steady(self, steady: NodeFetches) -> None:
        """Receive the answers on the I/O thread again; see ``FastPath.take_back``."""
        with self._lock:
            self._state.steady.take_back(steady)

    def _apply_taken(self) -> None:
        """Apply what the application's thread has received; called with the lock held."""
        if self._state.sockets:
            self._state.apply_taken()

    # ---- the assignment

    def assignment(self) -> frozenset[TopicPartition]:
        """All assigned partitions, including those being revoked."""
        with self._lock:
            return self._state.assignment()

    @property
    def has_ranges(self) -> bool:
        """Whether any partition has a range."""
        return self._state.has_ranges

    def is_all_finished(self) -> bool:
        """Whether all ranges have been read to their ends; False if there are none."""
        if not self._state.has_ranges:
            return False
        with self._lock:
            self.settle_taken()
            return self._state.is_all_finished()

    # ---- records

    def has_records(self) -> bool:
        """Whether ``find`` would return records, or raise."""
        with self._lock:
            self._apply_taken()
            return self._state.handover.has_records()

    def has_records_of(self, only: Collection[TopicPartition]) -> bool:
        """Whether ``find`` would return a record of these partitions, or raise; if empty, of any partition."""
        with self._lock:
            self._apply_taken()
            handover = self._state.handover
            return handover.has_records_of(only) if only else handover.has_records()

    def find(self, max_records: int, whole_runs: bool = False, only: Collection[TopicPartition] = ()) -> PollOffer:
        """Return the next records, without removing them; with ``whole_runs``, the last run is returned up to its end.

        With ``only``, it is at most one record, of these partitions. Raises the error of a partition that can't be
        read.
        """
        while True:
            try:
                with self._lock:
                    self._apply_taken()
                    if self.offer.is_taken:
                        self.settle_taken()
                    before = self.offer = PollOffer()
                    handover = self._state.handover
                    offer = PollOffer(handover.peek_one(only) if only else handover.peek(max_records, whole_runs))
            except BaseException:
                self._on_change()  # a partition whose error was raised may be fetched again
                raise
            if self.offer is before:  # otherwise, a signal handler has polled in the meantime
                self.offer = offer
                return offer

    def settle(self) -> None:
        """Advance the positions over a taken offer, or withdraw an offer that was not taken."""
        with self._lock:
            self.settle_taken()
            self.offer = PollOffer()

    def settle_taken(self) -> None:
        """Advance the positions over a taken offer; called with the lock held."""
        offer = self.offer
        if offer.is_taken:
            self.hand_over(offer.parts)
            self.offer = PollOffer()  # last: an interrupted call is repeated, and nothing is handed over twice

    def hand_over(self, parts: Collection[ColumnSlice]) -> None:
        """Advance the positions past these runs of records."""
        before = None
        try:
            with self._lock:
                self._apply_taken()
                if self._state.planning.waits_for_room:  # rarely true; a later plan will account for these runs
                    before = self._state.handover.runs_done
                self._state.handover.hand_over_all(parts)
        finally:  # also for runs that were handed over before a signal handler raised
            if before is not None:
                self._notify_of_room(before)

    def put_back(self, parts: Iterable[ColumnSlice], last: TopicPartition) -> None:
        """Put these runs back and move the positions to their start; the partition ``last`` then comes last.

        Partitions that were polled, repositioned with ``seek`` or given up in the meantime are not changed; see
        ``Handover.put_back``.
        """
        by_partition: dict[TopicPartition, list[ColumnSlice]] = {}
        for part in parts:
            by_partition.setdefault(part.partition, []).append(part)
        with self._lock:
            self.settle_taken()
            for of_one in by_partition.values():
                self._state.handover.put_back(of_one)
            self._state.handover.pass_turn(last)

    def mark_consumed(self) -> None:
        """Mark all records handed over so far as processed."""
        with self._lock:
            self.settle_taken()
            self._state.handover.mark_consumed()

    def offsets_to_commit(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """Return the offsets that ``commit()`` commits."""
        with self._lock:
            self.settle_taken()
            return self._state.handover.offsets_to_commit()

    def let_go(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """Note that the application gives up these partitions, or all, after its last commit for them."""
        with self._lock:
            self._state.handover.let_go(self._state.assignment() if partitions is None else partitions)

    def _notify_of_room(self, runs_before: int) -> None:
        """Call ``on_change`` if finished runs make room for a partition that was left out of requests."""
        if self._state.planning.waits_for_room and self._state.handover.runs_done != runs_before:
            self._on_change()

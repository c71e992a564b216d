"""The fetch state between the two threads that use it.

The state has no thread of its own. The I/O thread plans and stores; the application's thread takes records, seeks and
pauses. One lock is held for each of their calls. No thread waits for anything while it holds the lock, and decoding
happens outside of it. A signal handler that interrupts the application in such a call may take the lock once more, for
instance to ask for the lag; what would wait for the I/O thread is put off until the call ends (``CallTracker``).
``on_change`` is called after each change that may need another request.

What a poll is about to hand over is a ``PollOffer``, and the positions stay: until the poll has returned, a signal
handler may raise, and the next poll finds the same records again. The last thing a poll does is to store that its offer
is taken; the next call that looks at the state advances the positions.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TypeVar

from attrs import define

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching import (
    DecodedPartition,
    Fetch,
    FetchState,
    NodeFetches,
)
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice

__all__ = ["LockedFetches", "PollOffer"]

T = TypeVar("T")


@define(eq=False)
class PollOffer:
    """What a poll has found; once ``is_taken``, the poll has returned it."""

    parts: Sequence[ColumnSlice] = ()
    is_taken: bool = False


class LockedFetches(AbstractContextManager[FetchState]):
    """What the application's thread does with the fetch state.

    The I/O thread uses it as a context manager, which gives it the state and keeps the other thread out meanwhile.
    """

    def __init__(self, state: FetchState, on_change: Callable[[], None]) -> None:
        self._state = state
        self._lock = threading.RLock()
        #: Whether this thread is inside of another call here, which a signal handler has interrupted. Only the lock
        #: knows for sure: a mark beside it could be left behind by an exception. threading.Condition asks it as well.
        self._is_inside: Callable[[], bool] = self._lock._is_owned  # type: ignore[attr-defined]  # noqa: SLF001
        #: What the last poll has found; another one if another poll has looked meanwhile.
        self.offer = PollOffer()
        self._on_change = on_change

    def __enter__(self) -> FetchState:
        self._lock.acquire()
        self.settle_taken()
        self._state.steady.settle()
        return self._state

    def __exit__(self, *how: object) -> None:
        self._lock.release()

    def under_lock(self, work: Callable[[FetchState], T]) -> T:
        """Call ``work`` with the state, in which records that were taken may not be handed over yet."""
        with self._lock:
            return work(self._state)

    def look(self, read: Callable[[FetchState], T]) -> T:
        """Call ``read`` with the state, once the records that were taken are handed over."""
        is_inside = self._is_inside()
        with self._lock:
            if not is_inside:
                self.settle_taken()
            return read(self._state)

    def change(self, work: Callable[[FetchState], None]) -> None:
        """Call ``work``, which changes the state so that another request may be needed."""
        try:
            with self._lock:
                work(self._state)
        finally:
            self._on_change()

    # ---- the steady state, on the I/O thread

    def begin_steady(
        self, fetch: Fetch, image: ClusterImage, make: Callable[[], accelerator.SteadyFetch[DecodedPartition]]
    ) -> NodeFetches | None:
        """Follow the answers to a fetch that is on its way; see ``FastPath.begin``."""
        with self as state:
            return state.steady.begin(fetch, image, make)

    def take_steady(
        self, steady: NodeFetches, image: ClusterImage, frame: memoryview, correlation_id: int, now: float
    ) -> tuple[bytes, list[DecodedPartition]] | None:
        """Take in an answer and return the next request; see ``FastPath.take``."""
        with self._lock:
            return self._state.steady.take(steady, image, frame, correlation_id, now)

    def end_steady(self, steady: NodeFetches) -> Fetch:
        """Follow the answers no longer; returns the fetch that is on its way."""
        with self as state:
            return state.steady.end(steady)

    # ---- the assignment

    def assignment(self) -> frozenset[TopicPartition]:
        """Every partition that is assigned, also those being given up."""
        with self._lock:
            return self._state.assignment()

    @property
    def has_ranges(self) -> bool:
        """Whether partitions are read up to an end."""
        return self._state.has_ranges

    def is_all_finished(self) -> bool:
        """Whether all ranges are read to their ends; False if there are none."""
        if not self._state.has_ranges:
            return False
        with self._lock:
            self.settle_taken()
            return self._state.is_all_finished()

    # ---- records

    def has_records(self) -> bool:
        """Whether taking would bring records, or raise."""
        with self._lock:
            return self._state.handover.has_records()

    def find(self, max_records: int, whole_runs: bool = False) -> PollOffer:
        """The records that come next, which stay here until they are taken; with ``whole_runs`` the last to its end.

        Raises what stands in a partition's way.
        """
        while True:
            try:
                with self._lock:
                    self.settle_taken()
                    before = self.offer = PollOffer()
                    offer = PollOffer(self._state.handover.peek(max_records, whole_runs))
            except BaseException:
                self._on_change()  # a partition whose error was raised may be asked for again
                raise
            if self.offer is before:  # or a signal handler has polled meanwhile
                self.offer = offer
                return offer

    def settle(self) -> None:
        """Advance the positions over what was taken, and withdraw what was offered and not taken."""
        with self._lock:
            self.settle_taken()
            self.offer = PollOffer()

    def settle_taken(self) -> None:
        """Advance the positions over what was taken, under the lock."""
        offer = self.offer
        if offer.is_taken:
            self.hand_over(offer.parts)
            self.offer = PollOffer()  # last: what is interrupted is done again, and nothing is handed over twice

    def hand_over(self, parts: Collection[ColumnSlice]) -> None:
        """Advance the positions behind these runs of records."""
        before = None
        try:
            with self._lock:
                if self._state.planning.waits_for_room:  # mostly nothing does; a later plan counts these
                    before = self._state.handover.runs_done
                for part in parts:
                    self._state.handover.hand_over(part)
        finally:  # also of what was handed over before a signal handler raised
            if before is not None:
                self._tell_of_room(before)

    def put_back(self, parts: Iterable[ColumnSlice], last: TopicPartition) -> None:
        """Take these runs back and set the positions to their beginning; ``last`` is the last in turn from here on.

        What was handed over, sought or given up since stays as it is; see ``FetchState.put_back``.
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
        """What was handed over until now counts as processed."""
        with self._lock:
            self.settle_taken()
            self._state.handover.mark_consumed()

    def handed_over_offsets(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What ``commit()`` commits."""
        with self._lock:
            self.settle_taken()
            return self._state.handover.handed_over_offsets()

    def let_go(self, partitions: Collection[TopicPartition] | None = None) -> None:
        """The application gives these up, or all, and has committed what it wants committed."""
        with self._lock:
            self._state.handover.let_go(self._state.assignment() if partitions is None else partitions)

    def _tell_of_room(self, runs_before: int) -> None:
        """Tell of the change if something that was left out may be asked for, now that more runs are done."""
        if self._state.planning.waits_for_room and self._state.handover.runs_done != runs_before:
            self._on_change()

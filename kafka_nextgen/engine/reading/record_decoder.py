"""Decodes fetched records, in arrival order.

A small answer is decoded at once: handing it to another thread would take longer. A large one is decoded by threads of
the consumer's own, so that heartbeats are sent and other answers read meanwhile. Compressed partitions are decoded at
the same time, as decompression alone may take longer than all the rest; without compression one thread is as fast as
memory allows. Answers that come while those threads work wait for them, even small ones: the application gets records
in the order in which they were read.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from kafka_nextgen.fetching import AnswerDecoding, DecodedPartition, Fetch, decode_answer
from kafka_nextgen.requests.fetch import FetchedPartition
from kafka_nextgen.transport.background import threads_work
from kafka_nextgen.transport.eager_future import EagerFuture
from kafka_nextgen.wire.records import RecordLimits, has_codec, let_go_of_memory

__all__ = ["RecordDecoder", "do_together"]

#: The most bytes that are decoded at once: about as many as take as long as waking a thread.
SMALL_BYTES = 64 * 1024

#: More threads would wait for brokers and memory rather than for processors.
MOST_THREADS = 4


class RecordDecoder:
    """Makes columns of record batches. ``check_crcs`` is Kafka's ``check.crcs``."""

    def __init__(self, limits: RecordLimits, check_crcs: bool) -> None:
        self._limits = limits
        self._check_crcs = check_crcs
        self._waiting = 0
        self._closed = False
        self._num_threads = min(os.cpu_count() or 1, MOST_THREADS)
        self._threads = ThreadPoolExecutor(self._num_threads, "kafka-nextgen-decoder")
        self._lock = threading.Lock()  # around AnswerDecoding
        self._last: asyncio.Event | None = None  # set when the answer that came last is decoded

    def is_quick(self, nbytes: int) -> bool:
        """Whether an answer with ``nbytes`` of records is decoded at once."""
        return not self._waiting and nbytes <= SMALL_BYTES

    def decode_at_once(self, fetch: Fetch, answered: Collection[FetchedPartition]) -> tuple[DecodedPartition, ...]:
        """Decode what was answered to ``fetch`` if it ``is_quick``."""
        return () if self._closed else decode_answer(fetch, answered, self._limits, self._check_crcs)

    async def decode(self, fetch: Fetch, answered: Collection[FetchedPartition]) -> tuple[DecodedPartition, ...]:
        """Decode what was answered to ``fetch``, in threads."""
        if self._closed:
            return ()
        decoding = AnswerDecoding(fetch, answered, self._limits, self._check_crcs)
        self._waiting += 1
        before, self._last = self._last, asyncio.Event()
        done = self._last
        try:
            num_threads = max(1, min(self._num_threads, sum(map(_is_compressed, answered))))
            await do_together(self._threads, num_threads, partial(self._work, decoding))
            if before is not None:
                await before.wait()
        finally:
            self._waiting -= 1
            done.set()
        return decoding.results()

    def _work(self, decoding: AnswerDecoding) -> None:
        """Decode one partition after the other, until all are begun or this is closed."""
        with self._lock:
            task = decoding.begin()
        while task is not None:
            decoded = task.decode()
            with self._lock:
                decoding.end(task, decoded)
                task = None if self._closed else decoding.begin()

    def close(self) -> None:
        """Decode nothing any more; the threads end with what they are at."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        let_go_of_memory()


def _is_compressed(part: FetchedPartition) -> bool:
    """Whether its first batch is, as most likely all are then."""
    return part.records is not None and has_codec(part.records)


async def do_together(threads: ThreadPoolExecutor, num_threads: int, work: Callable[[], object]) -> None:
    """Have ``num_threads`` threads call ``work``, and wait for all of them; raises what one of them raised.

    The task goes on in the turn of the loop that hears of the last end. With a future for each thread the loop would
    turn a few times more, and each turn waits for the GIL where the application's thread is busy.
    """
    joint = _JointWork(num_threads)
    with threads_work():
        for _ in range(num_threads):
            threads.submit(work).add_done_callback(joint.end)
        await joint.reply


class _JointWork:
    """Counts the threads that still work; made on the loop, ``end`` is called by each thread that ends."""

    def __init__(self, num_threads: int) -> None:
        self.reply: EagerFuture[None] = EagerFuture(asyncio.get_running_loop())
        self._left = num_threads
        self._failure: BaseException | None = None
        self._lock = threading.Lock()

    def end(self, ended: Future[object]) -> None:
        """One has ended, or will never begin."""
        failure = asyncio.CancelledError() if ended.cancelled() else ended.exception()
        with self._lock:
            self._left -= 1
            self._failure = self._failure or failure
            is_last = not self._left
        if is_last:
            self.reply.end_from_thread(self._failure)

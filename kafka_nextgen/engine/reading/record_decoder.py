"""Decodes large answers with threads, in arrival order.

A small answer is decoded on the I/O thread, because handing it to another thread would take longer. A large one is
decoded by a separate thread pool, so that the I/O thread can send heartbeats and read other answers. Compressed
partitions are decoded in parallel, because decompression can take longer than everything else; without compression one
thread is as fast as memory allows. Answers that arrive in the meantime wait for the pool, even small ones, because the
application must get records in arrival order.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

from kafka_nextgen.fetching import AnswerDecoding, DecodedPartition, Fetch
from kafka_nextgen.requests.fetch import FetchedPartition
from kafka_nextgen.transport.background import threads_work
from kafka_nextgen.transport.waiting import EagerFuture
from kafka_nextgen.wire.records import RecordLimits, has_codec, let_go_of_memory

__all__ = ["SMALL_BYTES", "RecordDecoder", "do_together"]

#: The maximum number of bytes decoded on the I/O thread: decoding them takes about as long as waking another thread.
SMALL_BYTES = 64 * 1024

#: The largest number of threads: more would wait for brokers and memory, not for processors.
MOST_THREADS = 4


class RecordDecoder:
    """Converts record batches to columns. ``check_crcs`` is Kafka's ``check.crcs``."""

    def __init__(self, limits: RecordLimits, check_crcs: bool) -> None:
        self._limits = limits
        self._check_crcs = check_crcs
        #: How many answers are being decoded. While there are any, even a small one has to wait for its turn.
        self.num_waiting = 0
        self._closed = False
        self._num_threads = min(os.cpu_count() or 1, MOST_THREADS)
        self._threads = ThreadPoolExecutor(self._num_threads, "kafka-nextgen-decoder")
        self._lock = threading.Lock()  # protects AnswerDecoding
        self._last: asyncio.Event | None = None  # set when the latest answer has been decoded

    async def decode(self, fetch: Fetch, answered: Collection[FetchedPartition]) -> tuple[DecodedPartition, ...]:
        """Decode the answer to ``fetch``, in the thread pool."""
        if self._closed:
            return ()
        decoding = AnswerDecoding(fetch, answered, self._limits, self._check_crcs)
        self.num_waiting += 1
        before, self._last = self._last, asyncio.Event()
        done = self._last
        try:
            num_threads = max(1, min(self._num_threads, sum(map(_is_compressed, answered))))
            await do_together(self._threads, num_threads, partial(self._work, decoding))
            if before is not None:
                await before.wait()
        finally:
            self.num_waiting -= 1
            done.set()
        return decoding.results()

    def _work(self, decoding: AnswerDecoding) -> None:
        """Decode partitions, one at a time, until all have been started or the decoder is closed."""
        with self._lock:
            task = decoding.begin()
        while task is not None:
            decoded = task.decode()
            with self._lock:
                decoding.end(task, decoded)
                task = None if self._closed else decoding.begin()

    def close(self) -> None:
        """Stop decoding; each thread ends after its current partition."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        let_go_of_memory()


def _is_compressed(part: FetchedPartition) -> bool:
    """Whether the first batch is compressed; the others are probably compressed, too."""
    return part.records is not None and has_codec(part.records)


async def do_together(threads: ThreadPoolExecutor, num_threads: int, work: Callable[[], object]) -> None:
    """Call ``work`` in ``num_threads`` threads, and wait for all of them; raises the exception of one of them, if any.


    The task resumes in the same loop iteration in which the last thread's end is reported. With one future for each
    thread the loop would need a few more iterations, and each of these waits for the GIL if the application's thread is
    busy.
    """
    joint = _JointWork(num_threads)
    with threads_work():
        for _ in range(num_threads):
            threads.submit(work).add_done_callback(joint.end)
        await joint.reply


class _JointWork:
    """Counts the threads that are still working. Created on the event loop; each thread calls ``end`` when it ends."""

    def __init__(self, num_threads: int) -> None:
        self.reply: EagerFuture[None] = EagerFuture()
        self._left = num_threads
        self._failure: BaseException | None = None
        self._lock = threading.Lock()

    def end(self, ended: Future[object]) -> None:
        """Note that one thread has ended, or will never begin."""
        failure = asyncio.CancelledError() if ended.cancelled() else ended.exception()
        with self._lock:
            self._left -= 1
            self._failure = self._failure or failure
            is_last = not self._left
        if is_last:
            self.reply.end_from_thread(self._failure)

"""Decodes what fetches brought, in the order in which it came.

A small answer is decoded at once: handing it to another thread would take longer. A large one is decoded by a thread
of the consumer's own, so that heartbeats are sent and other answers read meanwhile; what comes while that thread is at
work waits for it, also if it is small.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor

from kafka_nextgen.bridge.fetch import FetchedPartition
from kafka_nextgen.fetching import DecodedPartition, Fetch, decode_answer
from kafka_nextgen.wire.records import RecordLimits

__all__ = ["RecordDecoder"]

#: What is decoded at once, in bytes: about as much as takes as long as waking a thread.
SMALL_BYTES = 64 * 1024


class RecordDecoder:
    """Makes columns of record batches. ``check_crcs`` is Kafka's ``check.crcs``."""

    def __init__(self, limits: RecordLimits, check_crcs: bool) -> None:
        self._limits = limits
        self._check_crcs = check_crcs
        self._waiting = 0
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "kafka-nextgen-decoder")

    def is_quick(self, answered: Collection[FetchedPartition]) -> bool:
        """Whether an answer is to be decoded at once."""
        return not self._waiting and sum(len(part.records or b"") for part in answered) <= SMALL_BYTES

    async def decode(
        self, fetch: Fetch, answered: Collection[FetchedPartition], at_once: bool
    ) -> tuple[DecodedPartition, ...]:
        """Decode what was answered to ``fetch``, ``at_once`` if it ``is_quick``."""
        if self._closed:
            return ()
        if at_once:
            return decode_answer(fetch, answered, self._limits, self._check_crcs)
        loop = asyncio.get_running_loop()
        self._waiting += 1
        try:
            return await loop.run_in_executor(
                self._thread, decode_answer, fetch, answered, self._limits, self._check_crcs
            )
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Decode nothing any more; the thread ends with what it is at."""
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)

"""Work that several threads do together for one task, which goes on in the turn of the loop that hears of its end.

With a future for each of them, and one that gathers those, the loop would turn a few times more. Each of its turns lets
go of the GIL, and waits for it where the application's thread is busy.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from kafka_nextgen.transport.eager_future import EagerFuture

__all__ = ["do_together"]


async def do_together(threads: ThreadPoolExecutor, num_threads: int, work: Callable[[], object]) -> None:
    """Have this done by so many threads at once, and wait for the last of them; raises what one of them raised."""
    joint = _JointWork(num_threads)
    for _ in range(num_threads):
        threads.submit(work).add_done_callback(joint.end)
    await joint.reply


class _JointWork:
    """How many threads are still at it; made on the loop, told of each end by the thread that ends."""

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

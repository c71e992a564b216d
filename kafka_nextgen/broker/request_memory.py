"""How much memory large requests may take that arrive at one node or wait for their answers there (KIP-72).

A request takes its whole size before it is read. It may do so as soon as anything is left, so that the largest gets its
turn; while nothing is left, the next ones are not read. Small requests are not counted: what may arrive of them unasked
is the buffer that every connection has in any case.
"""

from __future__ import annotations

import asyncio

__all__ = ["SMALL_REQUEST_BYTES", "RequestMemory"]

#: Requests up to this size (bytes) are not counted; connections read ahead as far.
SMALL_REQUEST_BYTES = 1024 * 1024


class RequestMemory:
    """What is left of ``queued.max.request.bytes``; without a limit if that is not positive."""

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes if max_bytes > 0 else None
        self._given_back = asyncio.Event()

    async def take(self, size: int) -> None:
        """Wait until a request of ``size`` bytes may be read."""
        if self._left is None or size <= SMALL_REQUEST_BYTES:
            return
        while self._left <= 0:
            self._given_back.clear()
            await self._given_back.wait()
        self._left -= size

    def give_back(self, size: int) -> None:
        """A request of ``size`` bytes that was taken is answered, or its connection has ended."""
        if self._left is not None and size > SMALL_REQUEST_BYTES:
            self._left += size
            self._given_back.set()

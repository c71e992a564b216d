"""A reader that waits for a log to change.

A consumer that reads nothing fetches twice a second, so most waits end by their timeout. That wakes the reader in the
same turn of the event loop, while an ``asyncio.Event`` with ``wait_for`` takes a task and three turns more.
"""

from __future__ import annotations

import asyncio

from kafka_nextgen.transport.waiting import EagerFuture

__all__ = ["LogWatch"]


class LogWatch:
    """Whether a log has changed since ``clear``, and a wait for that by one task. Use it on the event loop."""

    def __init__(self) -> None:
        self._has_changed = False
        self._reader: EagerFuture[None] | None = None

    def set(self) -> None:
        """Note a change. The reader continues later, since the caller may be in the middle of more changes."""
        if self._reader is not None and not self._has_changed:
            asyncio.get_running_loop().call_soon(self._reader.end)
        self._has_changed = True

    def clear(self) -> None:
        """Forget earlier changes."""
        self._has_changed = False

    async def wait(self, timeout_s: float) -> bool:
        """Wait for a change, at most ``timeout_s`` seconds; return whether there was one."""
        if not self._has_changed:
            self._reader = EagerFuture()
            timer = asyncio.get_running_loop().call_later(timeout_s, self._reader.end)
            try:
                await self._reader
            finally:
                timer.cancel()
                self._reader = None
        return self._has_changed

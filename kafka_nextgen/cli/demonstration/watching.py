"""A poller beside the demonstration: how far behind the group is, which its coordinator does not know."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from attrs import define

from kafka_nextgen.admin import AsyncGroupAdmin
from kafka_nextgen.collecting.collector import Choice, Collector, new_source
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.history.events import Event

__all__ = ["watched"]

INTERVAL_S = 0.5


@define
class _Teller:
    """A sink that hands events on."""

    tell: Callable[[Event], None]
    written: int = 0
    dropped: int = 0

    def write(self, event: Event) -> None:
        self.written += 1
        self.tell(event)

    def close(self, timeout_s: float = 0) -> None:
        """Nothing waits."""


@asynccontextmanager
async def watched(servers: str, group: str, tell: Callable[[Event], None] | None) -> AsyncIterator[None]:
    """Tell what a poller sees of this group as long as the block runs; nothing if there is no one to tell."""
    if tell is None:
        yield
        return
    is_over = False
    async with AsyncGroupAdmin(ConsumerConfig.parse(bootstrap_servers=servers)) as admin:
        collector = Collector(admin, _Teller(tell), new_source("demo"), Choice([group]))
        looking = asyncio.ensure_future(collector.run(INTERVAL_S, lambda: is_over))
        try:
            yield
        finally:
            is_over = True
            await looking

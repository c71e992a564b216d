"""Renewing a login that holds for a time only, before the first request that is sent when that is due (KIP-368).

It is done with nothing else under way: what is out is answered first, what is new waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from math import inf

from kafka_nextgen.errors import DisconnectedError, KafkaNextgenError
from kafka_nextgen.transport.pipeline import Pipeline

__all__ = ["Renew", "Renewal"]

#: Logs in once more; raises KafkaNextgenError if that fails.
Renew = Callable[[], Coroutine[object, object, None]]


class Renewal:
    """The renewal of one connection's login, if one is ``arranged``; ``ended`` hears, when it is over, if it failed."""

    def __init__(self, pipeline: Pipeline, ended: Callable[[KafkaNextgenError | None], object]) -> None:
        #: From when on (the loop's clock) it is due.
        self.at = inf
        self._pipeline = pipeline
        self._ended = ended
        self._renew: Renew | None = None
        self._task: asyncio.Task[None] | None = None

    def arrange(self, at: float, renew: Renew) -> None:
        """Do this, once, before anything is sent after that moment."""
        self.at, self._renew = at, renew

    def begin_if_due(self, now: float) -> None:
        """Hold requests back if one waits when it is due, and begin as soon as nothing is out."""
        if now >= self.at and self._pipeline.may_send:
            self._pipeline.on_hold = True
        if self._pipeline.on_hold and self._task is None and self._pipeline.oldest is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        assert self._renew is not None
        renew, self._renew, self.at = self._renew, None, inf
        failed: KafkaNextgenError | None = None
        try:
            await renew()
        except KafkaNextgenError as error:
            failed = error
        except Exception as error:  # the callers that wait must hear of it; another connection may do better
            failed = DisconnectedError(f"renewing the login failed by an unexpected {type(error).__name__}")
            failed.__cause__ = error
        finally:
            self._task, self._pipeline.on_hold = None, False
        self._ended(failed)

    def cancel(self) -> None:
        """Give up what is under way; if it is that which ends the connection, it ends by itself."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()

    async def wait(self) -> None:
        """Wait until nothing is under way."""
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

"""Background work that must not end by an exception it did not expect: that is told, and the work begins again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from kafka_nextgen.logs import logger_of

__all__ = ["PAUSE_S", "OnFailure", "keep_running", "log_failure"]

logger = logger_of(__name__)

#: How long (seconds) to wait before work that failed unexpectedly begins again.
PAUSE_S = 1.0

#: Is told of an exception that was not expected.
OnFailure = Callable[[Exception], None]


def log_failure(failure: Exception) -> None:
    """Say in the log, with its traceback, what failed unexpectedly."""
    logger.error("failed unexpectedly by %s", type(failure).__name__, exc_info=failure)


async def keep_running(work: Callable[[], Coroutine[object, object, None]], on_failure: OnFailure) -> None:
    """Run ``work`` until it returns; after an exception, tell ``on_failure`` and begin again."""
    while True:
        try:
            return await work()
        except Exception as failure:
            on_failure(failure)
        await asyncio.sleep(PAUSE_S)

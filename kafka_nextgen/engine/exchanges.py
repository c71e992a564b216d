"""Requests of a member that are under way, and that must not reach the coordinator after its leave.

A leave does not wait for what was asked before it. Over one connection they arrive in their order; but what still looks
for the coordinator might be sent later than the leave, and a join that comes after it makes a member that nobody is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from kafka_nextgen.engine.tasks import TaskSet

__all__ = ["Exchanges"]


class Exchanges:
    """What a member asks its coordinator, in the background."""

    def __init__(self, tasks: TaskSet) -> None:
        self._tasks = tasks
        self._under_way: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[object, object, None]) -> None:
        """Ask, and tell the member of the answer."""
        task = self._tasks.start(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    def call_off(self) -> None:
        """Send nothing of what has not been sent yet, and hear no answers any more."""
        for task in tuple(self._under_way):
            task.cancel()

"""Requests of a member that are under way, kept in the order that their coordinator has to see.

Nothing waits for the answer to what was asked before it. Over one connection requests arrive in their order; but one
that still looks for the coordinator might be sent later than what was asked after it.

* A join that came after its leave would make a member that nobody is: a leave calls off all that was asked before it,
  and so does the end of the membership.
* A leave that came after the next join would end a membership that has just begun: a join calls off such a leave.

What is called off and has not been sent never is; an answer to what has been sent is not heard any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from kafka_nextgen.engine.tasks import TaskSet

__all__ = ["LEAVE_WAY_S", "Exchanges"]

#: How long (seconds) a leave may look for its coordinator. No member waits longer for one that can't be reached: its
#: session ends without a leave as well.
LEAVE_WAY_S = 3.0

Work = Coroutine[object, object, None]


class Exchanges:
    """What a member asks its coordinator, in the background; each work tells the member of its answer."""

    def __init__(self, tasks: TaskSet) -> None:
        self._tasks = tasks
        self._asked: set[asyncio.Task[None]] = set()
        self._leaves: set[asyncio.Task[None]] = set()

    def ask(self, work: Work) -> None:
        """Ask whatever it is."""
        self._start(work, self._asked)

    def join(self, work: Work) -> None:
        """Ask to be let in."""
        _cancel(self._leaves)
        self._start(work, self._asked)

    def leave(self, work: Work) -> None:
        """Say that the member leaves."""
        self.call_off()
        self._start(work, self._leaves)

    def call_off(self) -> None:
        """The membership is over: nothing but its leave matters any more."""
        _cancel(self._asked)

    def _start(self, work: Work, under_way: set[asyncio.Task[None]]) -> None:
        task = self._tasks.start(work)
        under_way.add(task)
        task.add_done_callback(under_way.discard)


def _cancel(tasks: set[asyncio.Task[None]]) -> None:
    for task in tuple(tasks):
        task.cancel()

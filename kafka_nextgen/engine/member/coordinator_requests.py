"""The order of a member's requests to its coordinator.

No request waits for the answer to the previous one. Requests on one connection arrive in order, but a request that is
still looking for the coordinator might be sent after a later one.

- A join that arrives after its leave would create a member that this client no longer runs. So a leave, or the end of
  the membership, cancels all earlier requests.
- A leave that arrives after the next join would end the new membership. So a join cancels such a leave.

A cancelled request that has not been sent is never sent; the answer to one that has been sent is ignored.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

from kafka_nextgen.transport.cluster import ClusterClient, Coordinator
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HISTORY, Api

__all__ = ["LEAVE_CONNECT_TIMEOUT_S", "CoordinatorRequests", "supports_history"]

#: How long (seconds) a leave may look for its coordinator. Waiting longer for an unreachable coordinator gains nothing:
#: the session also times out without a leave.
LEAVE_CONNECT_TIMEOUT_S = 3.0

Work = Coroutine[object, object, None]


class CoordinatorRequests:
    """Runs a member's requests in the background; each feeds its outcome to the member."""

    def __init__(self, tasks: TaskSet) -> None:
        self._tasks = tasks
        self._asked: set[asyncio.Task[None]] = set()
        self._leaves: set[asyncio.Task[None]] = set()

    def ask(self, work: Work) -> None:
        """Send any other request."""
        self._start(work, self._asked)

    def join(self, work: Work) -> None:
        """Send a join."""
        _cancel(self._leaves)
        self._start(work, self._asked)

    def leave(self, work: Work) -> None:
        """Send a leave."""
        self.cancel_pending()
        self._start(work, self._leaves)

    def cancel_pending(self) -> None:
        """Cancel all requests except leaves, because the membership has ended."""
        _cancel(self._asked)

    def _start(self, work: Work, under_way: set[asyncio.Task[None]]) -> None:
        task = self._tasks.start(work)
        under_way.add(task)
        task.add_done_callback(under_way.discard)


def _cancel(tasks: set[asyncio.Task[None]]) -> None:
    for task in tuple(tasks):
        task.cancel()


async def supports_history(cluster: ClusterClient, group_id: str, api: Api, timeout_s: float) -> bool:
    """Whether the coordinator records the reasons for rebalances. Apache Kafka's coordinators do not.

    Raises the same errors as a call to ``api``.
    """
    return await cluster.supports(CONSUMER_GROUP_HISTORY, Coordinator(group_id), api, timeout_s)

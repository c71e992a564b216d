"""Which broker coordinates which group: asked once, kept until somebody finds it wrong.

The answer may be that there is none just now (the group's partition of ``__consumer_offsets`` is moving, or that
topic is being made): that is weather, asked again after a growing pause until the caller's deadline.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.bridge import find_coordinator
from kafka_nextgen.bridge.brokers import Broker
from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.errors import BrokerError, OutageError, RequestTimeoutError
from kafka_nextgen.membership.error_classes import error_class
from kafka_nextgen.transport.deadline import ClosedError, Deadline, Shared
from kafka_nextgen.transport.reach import Reach
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.wire.apis import FIND_COORDINATOR
from kafka_nextgen.wire.messages import FindCoordinatorResponse

__all__ = ["Coordinators"]


class Coordinators:
    """Coordinators by group."""

    def __init__(self, settings: TransportSettings, reach: Reach, chance: Callable[[], float]) -> None:
        self._settings = settings
        self._reach = reach
        self._chance = chance
        self._known: dict[str, Broker] = {}
        self.failures: dict[str, Exception] = {}  # what keeps a group's coordinator from being found or reached
        self._asking: Shared[str, Broker] = Shared()

    def forget(self, group_id: str) -> None:
        """Ask again before the next call."""
        self._known.pop(group_id, None)

    async def find(self, group_id: str, deadline: Deadline) -> Broker:
        """The broker that coordinates a group.

        Raises ``RequestTimeoutError``, or what will not pass: ``AuthenticationError``, or a ``BrokerError`` such as
        ``GroupAuthorizationError``.
        """
        failures = 0
        last = self.failures.get(group_id)  # what was found out by others
        while group_id not in self._known:
            try:
                await self._asking.get(group_id, lambda: self._ask(group_id), deadline, last)
            except ClosedError:
                raise
            except (OutageError, BrokerError) as failure:
                if isinstance(failure, RequestTimeoutError) and deadline.left_s() <= 0:
                    raise
                if isinstance(failure, BrokerError) and not failure.retriable:
                    raise
                last = self.failures[group_id] = failure
                failures += 1
                await deadline.pause(self._settings.retry_backoff.delay_s(failures, self._chance()), last)
        return self._known[group_id]

    def note_reached(self, group_id: str) -> None:
        """There is a connection to the coordinator of a group."""
        self.failures.pop(group_id, None)

    def note_failure(self, group_id: str, failure: Exception) -> None:
        """The coordinator that is known can't be reached: ask again before the next call."""
        self.failures[group_id] = failure
        self.forget(group_id)

    async def close(self) -> None:
        """Stop asking."""
        await self._asking.close()

    async def _ask(self, group_id: str) -> Broker:
        deadline = Deadline(self._settings.request_timeout_s, f"finding the coordinator of group {group_id}")
        message = await self._reach.ask(
            FIND_COORDINATOR, lambda version: find_coordinator.to_request(group_id, version), deadline
        )
        assert isinstance(message, FindCoordinatorResponse)
        found = find_coordinator.from_response(message, group_id)
        if found.error != ErrorCode.NONE:
            raise _refused(group_id, found)
        self._known[group_id] = broker = Broker(found.node_id, found.host, found.port)
        return broker


def _refused(group_id: str, found: find_coordinator.FoundCoordinator) -> BrokerError:
    said = f": {found.message}" if found.message else ""
    return error_class(found.error)(
        f"group {group_id}: its coordinator can't be found ({name_of(found.error)}){said}",
        code=found.error,
        retriable=is_retriable(found.error),
        group=group_id,
    )

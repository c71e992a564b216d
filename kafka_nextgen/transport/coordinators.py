"""Which broker coordinates which group: looked up once, and again after ``forget``.

There may be no coordinator for a while, because the group's partition of ``__consumer_offsets`` is moving or the topic
is being created. FindCoordinator is then repeated with backoff until the caller's deadline.
"""

from __future__ import annotations

from collections.abc import Callable

from kafka_nextgen.codes import ErrorCode, is_retriable, name_of
from kafka_nextgen.errors import BrokerError, OutageError, RequestTimeoutError
from kafka_nextgen.membership.error_classes import error_class
from kafka_nextgen.requests import find_coordinator
from kafka_nextgen.requests.cluster_image import Broker
from kafka_nextgen.transport.concurrency import SingleFlight
from kafka_nextgen.transport.known_brokers import KnownBrokers
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.transport.waiting import ClosedError, Deadline
from kafka_nextgen.wire.apis import FIND_COORDINATOR
from kafka_nextgen.wire.messages import FindCoordinatorResponse

__all__ = ["Coordinators"]


class Coordinators:
    """Coordinators by group; ``failures`` contains the latest reason why one could not be found or reached."""

    def __init__(self, settings: TransportSettings, brokers: KnownBrokers, chance: Callable[[], float]) -> None:
        self._settings = settings
        self._brokers = brokers
        self._chance = chance
        self._known: dict[str, Broker] = {}
        self.failures: dict[str, Exception] = {}
        self._asking: SingleFlight[str, Broker] = SingleFlight()

    def forget(self, group_id: str) -> None:
        """Look the coordinator up again before the next call."""
        self._known.pop(group_id, None)

    async def find(self, group_id: str, deadline: Deadline) -> Broker:
        """The broker that coordinates a group.

        Raises ``RequestTimeoutError``, ``AuthenticationError``, or a ``BrokerError`` that is not retriable, such as
        ``GroupAuthorizationError``.
        """
        failures = 0
        last = self.failures.get(group_id)
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
        """Note that the coordinator of a group was reached."""
        self.failures.pop(group_id, None)

    def note_failure(self, group_id: str, failure: Exception) -> None:
        """Note that the known coordinator can't be reached, and forget it."""
        self.failures[group_id] = failure
        self.forget(group_id)

    async def close(self) -> None:
        """Stop looking up coordinators."""
        await self._asking.close()

    async def _ask(self, group_id: str) -> Broker:
        deadline = Deadline(self._settings.request_timeout_s, f"finding the coordinator of group {group_id}")
        message = await self._brokers.request_any(
            FIND_COORDINATOR, lambda version: find_coordinator.to_request(group_id, version), deadline
        )
        assert isinstance(message, FindCoordinatorResponse)
        found = find_coordinator.from_response(message, group_id)
        if found.error != ErrorCode.NONE:
            raise _find_error(group_id, found)
        self._known[group_id] = broker = Broker(found.node_id, found.host, found.port)
        return broker


def _find_error(group_id: str, found: find_coordinator.FoundCoordinator) -> BrokerError:
    said = f": {found.message}" if found.message else ""
    return error_class(found.error)(
        f"group {group_id}: its coordinator can't be found ({name_of(found.error)}){said}",
        code=found.error,
        retriable=is_retriable(found.error),
        group=group_id,
    )

"""What drives the coordinator: it is asked, its outcome is committed, and its timers run on the event loop.

The log of a real coordinator would stand between the outcome and the answer. In memory every outcome is committed
at once, and only then answered.

A JoinGroup or SyncGroup may have to wait for others. It gets a number, and its answer comes with the outcome of what it
waited for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from itertools import count
from typing import TypeVar

from kafka_nextgen.assignors import PartitionAssignor, RangeAssignor, UniformAssignor
from kafka_nextgen.broker.settings import BrokerSettings
from kafka_nextgen.coordinator.classic.requests import JoinGroup, SyncGroup
from kafka_nextgen.coordinator.classic.responses import Parked
from kafka_nextgen.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.coordinator.requests import Request
from kafka_nextgen.coordinator.responses import Response
from kafka_nextgen.coordinator.settings import CoordinatorSettings
from kafka_nextgen.errors import ConfigError

__all__ = ["Groups", "coordinator_settings"]

_log = logging.getLogger(__name__)

_R = TypeVar("_R", bound=Response)

_ASSIGNORS: dict[str, Callable[[], PartitionAssignor]] = {"uniform": UniformAssignor, "range": RangeAssignor}


class Groups:
    """The groups of a cluster. ``clock`` gives seconds since the epoch and never goes back."""

    def __init__(self, settings: BrokerSettings, clock: Callable[[], float]) -> None:
        self._coordinator = Coordinator(coordinator_settings(settings))
        self._clock = clock
        self._timer: asyncio.TimerHandle | None = None
        self._numbers = count(1)
        self._parked: dict[int, asyncio.Future[Response | None]] = {}

    def ask(self, request: Request, expected: type[_R]) -> _R:
        """Put a request to the coordinator and return its response, which is of the ``expected`` class."""
        response = self._handle(request)
        assert isinstance(response, expected)
        return response

    def new_number(self) -> int:
        """A number for a request that may be parked."""
        return next(self._numbers)

    async def ask_and_wait(self, request: JoinGroup | SyncGroup, expected: type[_R]) -> _R | None:
        """Put a request that may be parked, and wait until it is answered; None if it never will be.

        Whoever waits may be cancelled. The coordinator can't know, and takes the member for one that waits.
        """
        response = self._handle(request)
        if isinstance(response, Parked):
            response = await self._wait(request.number)
        assert response is None or isinstance(response, expected)
        return response

    async def _wait(self, number: int) -> Response | None:
        self._parked[number] = asyncio.get_running_loop().create_future()
        try:
            return await self._parked[number]
        finally:
            del self._parked[number]

    def _handle(self, request: Request) -> Response | None:
        outcome = self._coordinator.handle(request, self._clock())
        self._commit(outcome)
        self._arm()
        return outcome.response

    def _commit(self, outcome: Outcome) -> None:
        self._coordinator.commit(outcome)
        for note in outcome.notes:
            _log.info("%s", note)
        for number, response in outcome.released:
            waiting = self._parked.get(number)
            if waiting is not None and not waiting.done():
                waiting.set_result(response)

    def close(self) -> None:
        """Stop the timers."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _arm(self) -> None:
        self.close()
        deadline = self._coordinator.deadline()
        if deadline is not None:
            delay = max(deadline - self._clock(), 0.0)
            self._timer = asyncio.get_running_loop().call_later(delay, self._expire)

    def _expire(self) -> None:
        try:
            for outcome in self._coordinator.expire(self._clock()):
                self._commit(outcome)
        except Exception:  # a bug; trying the same again at once would be a loop, so the next request arms
            _log.exception("the coordinator's timers failed")
            return
        self._arm()


def coordinator_settings(settings: BrokerSettings) -> CoordinatorSettings:
    """The part of a broker's settings that its coordinator goes by. Raises ``ConfigError`` for an unknown assignor."""
    return CoordinatorSettings(
        group_consumer_session_timeout_ms=settings.group_consumer_session_timeout_ms,
        group_consumer_heartbeat_interval_ms=settings.group_consumer_heartbeat_interval_ms,
        group_consumer_min_session_timeout_ms=settings.group_consumer_min_session_timeout_ms,
        group_consumer_max_session_timeout_ms=settings.group_consumer_max_session_timeout_ms,
        group_consumer_min_heartbeat_interval_ms=settings.group_consumer_min_heartbeat_interval_ms,
        group_consumer_max_heartbeat_interval_ms=settings.group_consumer_max_heartbeat_interval_ms,
        group_consumer_max_size=settings.group_consumer_max_size,
        group_consumer_assignors=tuple(_assignor(name) for name in settings.group_consumer_assignors),
        group_consumer_assignment_interval_ms=settings.group_consumer_assignment_interval_ms,
        group_consumer_min_assignment_interval_ms=settings.group_consumer_min_assignment_interval_ms,
        group_consumer_max_assignment_interval_ms=settings.group_consumer_max_assignment_interval_ms,
        group_consumer_regex_refresh_interval_ms=settings.group_consumer_regex_refresh_interval_ms,
        group_consumer_migration_policy=settings.group_consumer_migration_policy,
        group_min_session_timeout_ms=settings.group_min_session_timeout_ms,
        group_max_session_timeout_ms=settings.group_max_session_timeout_ms,
        group_initial_rebalance_delay_ms=settings.group_initial_rebalance_delay_ms,
        group_max_size=settings.group_max_size,
        offset_metadata_max_bytes=settings.offset_metadata_max_bytes,
        profile=settings.profile,
    )


def _assignor(name: str) -> PartitionAssignor:
    if name not in _ASSIGNORS:
        known = " and ".join(_ASSIGNORS)
        raise ConfigError(
            f"group.consumer.assignors: there is no assignor {name}, only {known}", "group.consumer.assignors"
        )
    return _ASSIGNORS[name]()

"""Poll the groups of a cluster, and write what changed into a sink.

If the cluster or a group is unavailable, each affected group gets one ``error`` event when the failure begins, and the
collector continues.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import socket
from collections.abc import Callable, Collection

from kafka_nextgen import clocks
from kafka_nextgen.admin import AsyncGroupAdmin, GroupListing, GroupType
from kafka_nextgen.collecting.poller import GroupPoller
from kafka_nextgen.collecting.stop_checks import STOP_CHECK_S, ends_before_stop
from kafka_nextgen.errors import AuthenticationError, GroupNotFoundError, KafkaNextgenError
from kafka_nextgen.history.events import Event, SourceKind
from kafka_nextgen.history.queued_sink import Sink
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of

__all__ = ["Collector", "GroupFilter", "new_source"]

logger = logger_of(__name__)

#: The maximum number of groups whose offsets are requested concurrently.
_MAX_IN_FLIGHT = 16
_TYPES = frozenset({GroupType.CONSUMER, GroupType.CLASSIC, GroupType.UNKNOWN})
_PROTOCOL_TYPES = frozenset({"consumer", ""})


def new_source(name: str | None = None, now: Callable[[], float] = clocks.time) -> str:
    """Return a ``source`` for a poller: its name (by default the host's) and start time, so that ``seq`` is unique."""
    return f"{SourceKind.POLLER.value}:{name or socket.gethostname()}/{int(now() * 1000):x}"


@frozen
class GroupFilter:
    """Selects groups: by id, and by a pattern for whole ids. Without either, all groups are selected."""

    groups: Collection[str] = ()
    pattern: re.Pattern[str] | None = None

    @property
    def needs_listing(self) -> bool:
        """Whether the groups have to be listed."""
        return self.pattern is not None or not self.groups

    def matches(self, listing: GroupListing) -> bool:
        """Return whether a listed group is selected: only consumer groups with an id."""
        if not listing.group_id or listing.type not in _TYPES or listing.protocol_type not in _PROTOCOL_TYPES:
            return False
        return self.matches_id(listing.group_id)

    def matches_id(self, group_id: str) -> bool:
        """Return whether a group with this id is selected, of any type."""
        if group_id in self.groups:
            return True
        return self.needs_listing and (self.pattern is None or self.pattern.fullmatch(group_id) is not None)


class Collector:
    """Polls groups, and writes their events into ``sink``.

    Args:
        admin: The admin client of the cluster.
        sink: The sink of the events; its owner closes it.
        source: The ``source`` of the events, from ``new_source``; it must be unique for each run.
        group_filter: The groups to poll.
        timeout_s: The time limit of each request.
        now: Returns the time in seconds since the Unix epoch.
    """

    def __init__(
        self,
        admin: AsyncGroupAdmin,
        sink: Sink,
        source: str,
        group_filter: GroupFilter = GroupFilter(),  # noqa: B008  (it is frozen)
        *,
        timeout_s: float = 30.0,
        now: Callable[[], float] = clocks.time,
    ) -> None:
        self._admin = admin
        self._sink = sink
        self._source = source
        self._filter = group_filter
        self._timeout_s = timeout_s
        self._now = now
        self._sequence = itertools.count()
        self._pollers: dict[str, GroupPoller] = {}
        self._cluster: str | None = None
        self._has_listed = False
        self._failure: str | None = None

    async def run(self, interval_s: float, is_stopped: Callable[[], bool]) -> None:
        """Poll every ``interval_s`` seconds until ``is_stopped``; a longer poll delays the next one.

        Raises AuthenticationError, which is permanent.
        """
        while not is_stopped():
            due = clocks.monotonic() + interval_s
            if not await ends_before_stop(self._poll_or_log(), is_stopped):
                return
            while not is_stopped() and (left_s := due - clocks.monotonic()) > 0:
                await asyncio.sleep(min(STOP_CHECK_S, left_s))

    async def _poll_or_log(self) -> None:
        """Poll, and log errors of an unavailable cluster; authentication errors are permanent."""
        try:
            await self.poll()
        except AuthenticationError:
            raise
        except KafkaNextgenError as error:
            if type(error).__name__ != self._failure:
                logger.warning("cannot read groups; retrying: %s", error)
            self._failure = type(error).__name__
        else:
            if self._failure is not None:
                logger.warning("groups can be read again")
            self._failure = None

    async def poll(self) -> None:
        """Poll all groups once.

        Raises KafkaNextgenError if the cluster is unavailable, after writing events of the known groups. A failure of
        one group only causes an event.
        """
        try:
            groups = await self._groups()
            described = await self._admin.describe(groups, self._timeout_s) if groups else None
        except KafkaNextgenError as error:
            for poller in self._pollers.values():
                self._write(poller.record_failure(self._at(), error))
            raise
        if described is None:
            return
        for group, description in described.done.items():
            self._write(self._pollers[group].observe(self._at(), description))
        for group, failure in described.failed.items():
            self._handle_failure(group, failure)
        in_flight = asyncio.Semaphore(_MAX_IN_FLIGHT)
        await asyncio.gather(*(self._poll_offsets(group, in_flight) for group in described.done))

    async def _groups(self) -> list[str]:
        """Return the groups to poll, each with a poller, including groups that may be gone."""
        listed = await self._admin.list(timeout=self._timeout_s) if self._filter.needs_listing else None
        self._set_cluster(await self._admin.cluster_id(self._timeout_s) or "")
        for group in self._filter.groups:
            self._ensure_poller(group, is_new=False)
        if listed is not None:
            for listing in filter(self._filter.matches, listed.groups):
                self._ensure_poller(listing.group_id, is_new=self._has_listed)
            self._has_listed = self._has_listed or not listed.failed
        return list(self._pollers)

    def _set_cluster(self, cluster: str) -> None:
        """Forget all groups if the address now belongs to another cluster, such as a broker that lost its data."""
        if cluster != self._cluster:
            self._pollers.clear()
            self._has_listed = False
        self._cluster = cluster

    def _ensure_poller(self, group: str, *, is_new: bool) -> None:
        if group not in self._pollers:
            assert self._cluster is not None
            self._pollers[group] = GroupPoller(self._source, self._cluster, group, self._sequence, is_new)

    async def _poll_offsets(self, group: str, in_flight: asyncio.Semaphore) -> None:
        async with in_flight:
            try:
                offsets = await self._admin.offsets(group, self._timeout_s)
            except KafkaNextgenError as error:
                self._handle_failure(group, error, "offsets")
            else:
                self._write(self._pollers[group].observe_offsets(self._at(), offsets))

    def _handle_failure(self, group: str, error: KafkaNextgenError, what: str = "group") -> None:
        """Write an error event; a group that is gone is forgotten unless it was selected by its id."""
        poller = self._pollers[group]
        if not isinstance(error, GroupNotFoundError):
            self._write(poller.record_failure(self._at(), error, what))
            return
        self._write(poller.observe(self._at(), None))
        if group not in self._filter.groups:
            del self._pollers[group]

    def _write(self, events: list[Event]) -> None:
        for event in events:
            self._sink.write(event)

    def _at(self) -> int:
        return int(self._now() * 1000)

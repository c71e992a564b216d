"""Looking at the groups of a cluster from time to time, and writing what changed into a sink.

A cluster that is away, or a group that can't be looked at, is an ``error`` event of each group that is concerned, once
each time it begins; the collector goes on.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import socket
import time
from collections.abc import Callable, Collection

from attrs import frozen

from kafka_nextgen.admin import AsyncGroupAdmin, GroupListing, GroupType
from kafka_nextgen.collecting.poller import GroupPoller
from kafka_nextgen.errors import AuthenticationError, GroupNotFoundError, KafkaNextgenError
from kafka_nextgen.history.events import Event, SourceKind
from kafka_nextgen.history.queued_sink import Sink
from kafka_nextgen.logs import logger_of

__all__ = ["Choice", "Collector", "new_source"]

logger = logger_of(__name__)

#: How often (seconds) a collector that waits looks whether it is to stop.
STOP_LOOK_S = 0.2
#: Offsets of so many groups are asked for at once.
_AT_ONCE = 16
_TYPES = frozenset({GroupType.CONSUMER, GroupType.CLASSIC, GroupType.UNKNOWN})
_PROTOCOL_TYPES = frozenset({"consumer", ""})


def new_source(name: str | None = None, now: Callable[[], float] = time.time) -> str:
    """A ``source`` for a poller: its name (the host's by default) and when it began, so that no ``seq`` comes twice."""
    return f"{SourceKind.POLLER.value}:{name or socket.gethostname()}/{int(now() * 1000):x}"


@frozen
class Choice:
    """Which groups are looked at: these, and those whose whole id matches the pattern; all if neither is given."""

    groups: Collection[str] = ()
    pattern: re.Pattern[str] | None = None

    @property
    def is_listed(self) -> bool:
        """Whether groups have to be listed to know which are meant."""
        return self.pattern is not None or not self.groups

    def has(self, listing: GroupListing) -> bool:
        """Whether a group of the list is meant: one of consumers only, and with an id, which old clients may lack."""
        if not listing.group_id or listing.type not in _TYPES or listing.protocol_type not in _PROTOCOL_TYPES:
            return False
        return self.has_id(listing.group_id)

    def has_id(self, group_id: str) -> bool:
        """Whether a group of this id is meant, of any kind."""
        if group_id in self.groups:
            return True
        return self.is_listed and (self.pattern is None or self.pattern.fullmatch(group_id) is not None)


class Collector:
    """Writes the history of groups, as a poller sees it, into ``sink``.

    Args:
        admin: Of the cluster.
        sink: Where events go; its owner closes it.
        source: The ``source`` of the events, as ``new_source`` makes it: two runs must not have the same.
        choice: Which groups.
        timeout_s: How long each question may take, in seconds.
        now: The time, in seconds since the epoch.
    """

    def __init__(
        self,
        admin: AsyncGroupAdmin,
        sink: Sink,
        source: str,
        choice: Choice = Choice(),
        *,
        timeout_s: float = 30.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._admin = admin
        self._sink = sink
        self._source = source
        self._choice = choice
        self._timeout_s = timeout_s
        self._now = now
        self._numbers = itertools.count()
        self._pollers: dict[str, GroupPoller] = {}
        self._cluster: str | None = None
        self._has_listed = False
        self._failure: str | None = None

    async def run(self, interval_s: float, is_stopped: Callable[[], bool]) -> None:
        """Look every ``interval_s`` seconds until ``is_stopped``; a look that takes longer puts off the next.

        Raises AuthenticationError, after which nothing more can be seen.
        """
        while not is_stopped():
            due = time.monotonic() + interval_s
            look = asyncio.ensure_future(self._try_to_look())
            while not look.done() and not is_stopped():
                await asyncio.wait([look], timeout=STOP_LOOK_S)
            if not look.done():  # it may be waiting for a cluster that is away
                look.cancel()
                await asyncio.wait([look])
                return
            look.result()
            while not is_stopped() and (left_s := due - time.monotonic()) > 0:
                await asyncio.sleep(min(STOP_LOOK_S, left_s))

    async def _try_to_look(self) -> None:
        """Look, and let a cluster that is away be: only a client that was refused does not try again."""
        try:
            await self.look()
        except AuthenticationError:
            raise
        except KafkaNextgenError as error:
            if type(error).__name__ != self._failure:
                logger.warning("no group can be looked at, which is tried again: %s", error)
            self._failure = type(error).__name__
        else:
            if self._failure is not None:
                logger.warning("groups can be looked at again")
            self._failure = None

    async def look(self) -> None:
        """Look at all groups once.

        Raises KafkaNextgenError if the cluster can't be asked; the groups that are known have heard of it then. A
        group that can't be looked at is an event.
        """
        try:
            groups = await self._groups()
            described = await self._admin.describe(groups, self._timeout_s) if groups else None
        except KafkaNextgenError as error:
            for poller in self._pollers.values():
                self._write(poller.fail(self._at(), error))
            raise
        if described is None:
            return
        for group, description in described.done.items():
            self._write(self._pollers[group].see(self._at(), description))
        for group, failure in described.failed.items():
            self._note(group, failure)
        turns = asyncio.Semaphore(_AT_ONCE)
        await asyncio.gather(*(self._look_at_offsets(group, turns) for group in described.done))

    async def _groups(self) -> list[str]:
        """The groups to look at, each with a poller: also those that are gone, to hear that they are."""
        listed = await self._admin.list(timeout=self._timeout_s) if self._choice.is_listed else None
        self._know_cluster(await self._admin.cluster_id(self._timeout_s) or "")
        for group in self._choice.groups:
            self._meet(group, is_new=False)
        if listed is not None:
            for listing in filter(self._choice.has, listed.groups):
                self._meet(listing.group_id, is_new=self._has_listed)
            self._has_listed = self._has_listed or not listed.failed
        return list(self._pollers)

    def _know_cluster(self, cluster: str) -> None:
        """Another cluster at the same address, as a broker that kept nothing is, has other groups of the same names."""
        if cluster != self._cluster:
            self._pollers.clear()
            self._has_listed = False
        self._cluster = cluster

    def _meet(self, group: str, *, is_new: bool) -> None:
        if group not in self._pollers:
            assert self._cluster is not None
            self._pollers[group] = GroupPoller(self._source, self._cluster, group, self._numbers, is_new)

    async def _look_at_offsets(self, group: str, turns: asyncio.Semaphore) -> None:
        async with turns:
            try:
                offsets = await self._admin.offsets(group, self._timeout_s)
            except KafkaNextgenError as error:
                self._note(group, error, "offsets")
            else:
                self._write(self._pollers[group].see_offsets(self._at(), offsets))

    def _note(self, group: str, error: KafkaNextgenError, what: str = "group") -> None:
        """A group that is gone is not looked at again, unless it is listed again or was chosen by its name."""
        poller = self._pollers[group]
        if not isinstance(error, GroupNotFoundError):
            self._write(poller.fail(self._at(), error, what))
            return
        self._write(poller.see(self._at(), None))
        if group not in self._choice.groups:
            del self._pollers[group]

    def _write(self, events: list[Event]) -> None:
        for event in events:
            self._sink.write(event)

    def _at(self) -> int:
        return int(self._now() * 1000)

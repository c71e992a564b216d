"""The broker of this project behind its socket, in virtual time: its groups have a clock that only ``tick`` moves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.coordination.shard import Shard
from tests.testing.broker.client import Client
from tests.verification.scenario_language import Player
from tests.verification.scenario_language.worlds import RAW
from tests.verification.worlds.socket_world import SocketWorld

_ANY_TIME = 1_000_000.0
_GRACE_S = 0.01  # its loop has written an answer before that to the barrier, which the coordinator gave after it


class TcpWorld(SocketWorld):
    """One scenario on one cluster, which nobody else may use."""

    def __init__(self, cluster: Cluster, client: Client) -> None:
        super().__init__(client, lambda: Client(cluster.bootstrap_servers))
        self.conversation.grace_s = _GRACE_S
        self._cluster = cluster
        self._now = _ANY_TIME
        self._groups = cluster._broker._cluster.groups
        self._groups._clock = lambda: self._now

    def pass_time(self, seconds: float) -> Iterator[str]:
        self._cluster._run(self._expire_until(self._now + seconds))
        yield from ()

    def wait(self) -> Iterator[str]:
        deadline = self._shard.coordinator.deadline()
        assert deadline is not None, "nothing is due, so there is nothing to wait for"
        yield from self.pass_time(max(deadline - self._now, 0.0))

    @property
    def _shard(self) -> Shard:
        """The coordinator of the one group there is."""
        shard = self._groups.shard_of(self.group)
        assert shard is not None
        return shard

    async def _expire_until(self, end: float) -> None:
        """Let the coordinator's timers ring, each at its time."""
        while (deadline := self._shard.coordinator.deadline()) is not None and deadline <= end:
            self._now = max(self._now, deadline)
            self._shard.expire()
            await asyncio.sleep(0)
        self._now = end


@contextmanager
def tcp_player(profile: str | None = None) -> Iterator[Player[SocketWorld]]:
    """A world of its own, with Kafka's default settings, but targets are made at once."""
    config = {"group.consumer.assignment.interval.ms": 0}
    with Cluster(config=config, profile=profile) as cluster, Client(cluster.bootstrap_servers) as client:
        world = TcpWorld(cluster, client)
        yield Player(world, RAW)
        world.conversation.close()

"""The coordinators of all groups: one for each partition of the offsets topic, on the node that leads it.

The topic is created when a client first looks up a coordinator. Coordinators move when leaders change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.groups.listed import GroupsListed
from kafka_nextgen.metrics.coordinator_metrics import CoordinatorMetrics
from kafka_nextgen.offsets_topic import KAFKAS, Codec
from kafka_nextgen.testing.broker.coordination.chronicle import Chronicle, Listener, ReportingChronicle
from kafka_nextgen.testing.broker.coordination.journal import OFFSETS_TOPIC, Journal
from kafka_nextgen.testing.broker.coordination.measuring import measure
from kafka_nextgen.testing.broker.coordination.meters import Meters
from kafka_nextgen.testing.broker.coordination.refusals import group_of, refuse
from kafka_nextgen.testing.broker.coordination.shard import Shard
from kafka_nextgen.testing.broker.hashing import spread
from kafka_nextgen.testing.broker.settings import BrokerSettings
from kafka_nextgen.testing.broker.topic import Partition, Topic
from kafka_nextgen.testing.broker.topics import Topics
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.coordinator import Coordinator
from kafka_nextgen.testing.coordinator.hooks import NO_EXTENSIONS, Hooks
from kafka_nextgen.testing.coordinator.requests import ConfigsChanged, ListGroups, Request
from kafka_nextgen.testing.coordinator.responses import Response

__all__ = ["Coordination"]

_R = TypeVar("_R", bound=Response)


class Coordination:
    """All groups of a cluster.

    ``make_topic`` creates the offsets topic; ``clock`` gives seconds since the Unix epoch and never decreases.
    ``listener`` gets the events of the groups, with the cluster's id. ``hooks`` and ``codec`` add extensions of Kafka's
    protocol to the coordinators and to their logs.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        topics: Topics,
        make_topic: Callable[[], Topic],
        clock: Callable[[], float],
        listener: Listener | None = None,
        cluster_id: Callable[[], str] = str,
        hooks: Hooks = NO_EXTENSIONS,
        codec: Codec = KAFKAS,
    ) -> None:
        self._configs = ConfigsChanged(settings.for_coordinator())
        self._topics = topics
        self._make_topic = make_topic
        self._clock = clock
        self._listener = listener
        self._cluster_id = cluster_id
        self._hooks = hooks
        self._codec = codec
        self._numbers = count(1)
        self._meters = Meters()
        self._began = clock()
        self._shards: dict[int, Shard] = {}
        self._may_load = asyncio.Event()
        self._may_load.set()

    def partition_of(self, group_id: str) -> Partition:
        """The partition of the offsets topic for a group id, whether or not the group exists."""
        topic = self._topics.named(OFFSETS_TOPIC) or self._make_topic()
        return topic.partitions[spread(group_id, len(topic.partitions))]

    def shard_of(self, group_id: str) -> Shard | None:
        """The coordinator for a group id; None if its partition has no leader."""
        return self._shards.get(self.partition_of(group_id).index)

    def new_number(self) -> int:
        """A number for a request that may be parked."""
        return next(self._numbers)

    def ask(self, request: Request, expected: type[_R]) -> _R:
        """Have the group's coordinator handle a request; return the response, of the ``expected`` class.

        If there is no coordinator, or it is still loading, the response has that error.
        """
        shard = self.shard_of(group_of(request))
        response = refuse(request, ErrorCode.NOT_COORDINATOR) if shard is None else shard.ask(request)
        assert isinstance(response, expected)
        return response

    async def ask_and_wait(self, request: JoinGroup | SyncGroup, expected: type[_R]) -> _R | None:
        """Handle a request that may be parked, and wait for its response; None if there will be none."""
        shard = self.shard_of(group_of(request))
        if shard is None:
            response: Response | None = refuse(request, ErrorCode.NOT_COORDINATOR)
        else:
            response = await shard.ask_and_wait(request)
        assert response is None or isinstance(response, expected)
        return response

    def list_groups(self, request: ListGroups, node_id: int) -> GroupsListed:
        """List the groups that a node coordinates; with an error if some of its coordinators are still loading."""
        answers = [shard.ask(request) for shard in self._shards.values() if shard.node_id == node_id]
        listed = [answer for answer in answers if isinstance(answer, GroupsListed)]
        error = max((answer.error for answer in listed), default=ErrorCode.NONE)
        groups = (group for answer in listed for group in answer.groups)
        return GroupsListed(tuple(sorted(groups, key=lambda group: group.group_id)), error)

    def end_transaction(self, partition: int, request: EndTransaction) -> None:
        """Notify the coordinator of a partition that a transaction has ended; its marker is in the log."""
        shard = self._shards.get(partition)
        if shard is not None:
            shard.end_transaction(request)

    def configure(self, configs: ConfigsChanged) -> None:
        """Change the configuration of all coordinators."""
        self._configs = configs
        for shard in self._shards.values():
            shard.configure(configs)

    def refresh(self) -> None:
        """Start, stop and inform coordinators after topics or their leaders changed."""
        topic = self._topics.named(OFFSETS_TOPIC)
        partitions = {partition.index: partition for partition in topic.partitions} if topic else {}
        images = self._topics.images()
        for index, shard in tuple(self._shards.items()):
            partition = partitions.get(index)
            if partition is None or partition.log is not shard.log or partition.leader != shard.node_id:
                del self._shards[index]
                shard.close()
            else:
                shard.tell_topics(images)
        for index, partition in partitions.items():
            if index not in self._shards and partition.leader is not None and topic is not None:
                self._shards[index] = self._started(partition, topic, partition.leader)

    @contextmanager
    def loading_held(self) -> Iterator[None]:
        """Keep coordinators from starting to read their logs while the block runs."""
        self._may_load.clear()
        try:
            yield
        finally:
            self._may_load.set()

    def metrics(self) -> CoordinatorMetrics:
        """The metrics of all coordinators."""
        return measure(tuple(self._shards.values()), self._meters, self._began, self._clock())

    def close(self) -> None:
        """Stop all coordinators."""
        for shard in self._shards.values():
            shard.close()
        self._shards.clear()

    def _started(self, partition: Partition, topic: Topic, node_id: int) -> Shard:
        journal = Journal(topic, partition, self._codec)
        coordinator = Coordinator(self._configs.settings, self._hooks)
        chronicle = self._chronicle(node_id, partition.index)
        shard = Shard(node_id, journal, coordinator, self._clock, self._meters, chronicle)
        shard.configure(self._configs)
        shard.start(self._topics.images(), self._may_load)
        return shard

    def _chronicle(self, node_id: int, partition: int) -> Chronicle:
        if self._listener is None:
            return Chronicle()
        return ReportingChronicle(f"coordinator:{node_id}/{partition}", self._cluster_id(), self._listener)

"""``AsyncGroupAdmin``: describe and change groups from asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from types import TracebackType
from typing import TypeVar

from attrs import frozen

from kafka_nextgen.admin import configs, group_offsets, members
from kafka_nextgen.admin.arguments import (
    ConfigValue,
    OffsetSpec,
    checked_changes,
    checked_enums,
    checked_names,
    checked_new_members,
    checked_offset_specs,
)
from kafka_nextgen.admin.assigning import assignment_spec
from kafka_nextgen.admin.configs import GroupConfigEntry
from kafka_nextgen.admin.describing import describe_group
from kafka_nextgen.admin.history import PastRebalance, describe_history
from kafka_nextgen.admin.listing import list_groups
from kafka_nextgen.admin.members import AddedMember, NewMember, RemovedMember
from kafka_nextgen.admin.patterns import PatternCheck, check_pattern
from kafka_nextgen.admin.requests import RequestSender
from kafka_nextgen.admin.values import (
    GroupDescription,
    GroupOffset,
    GroupState,
    GroupType,
    ListedGroups,
    MemberDescription,
    Results,
)
from kafka_nextgen.assignors import AssignmentSpec
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.arguments import checked_partitions, checked_seconds
from kafka_nextgen.engine.reading.cluster_queries import ClusterQueries
from kafka_nextgen.errors import KafkaNextgenError, MisuseError
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["NO_REASON", "WITHIN_S", "AsyncGroupAdmin"]

T = TypeVar("T")

WITHIN_S = 300.0
NO_REASON = ""
#: The most groups asked about at once; more would only wait in the brokers' queues.
_MAX_IN_FLIGHT = 32


@frozen
class _Clients:
    cluster: ClusterClient
    lookups: ClusterQueries
    sender: RequestSender


class AsyncGroupAdmin:
    """The groups of one cluster, for asyncio applications: the methods, results and errors of ``GroupAdmin``.

    Use it on one event loop, from any number of tasks. A cancelled call may have taken effect.

        async with AsyncGroupAdmin(bootstrap_servers="localhost:9092") as admin:
            groups = await admin.describe(["billing"])
    """

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: object) -> None:
        self._config = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._clients: _Clients | None = None
        self._closed = False

    async def __aenter__(self) -> AsyncGroupAdmin:
        self._open()  # reports wrong TLS settings before the first call
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def cluster_id(self, timeout: float | None = None) -> str | None:
        """Return the cluster's id; None if its brokers have none."""
        clients, _ = await self._begin("the cluster's id", timeout)
        return clients.cluster.metadata.cluster_id

    async def list(
        self,
        types: Collection[GroupType | str] = (),
        states: Collection[GroupState | str] = (),
        timeout: float | None = None,
    ) -> ListedGroups:
        """Return the groups of all brokers, filtered by ``types`` and ``states`` if given."""
        sender = self._open().sender
        wanted = checked_enums(GroupType, types), checked_enums(GroupState, states)
        return await list_groups(sender, *wanted, self._deadline("listing groups", timeout))

    async def describe(
        self, group_ids: Collection[str], timeout: float | None = None
    ) -> Results[str, GroupDescription]:
        """Describe these groups with their members."""
        return await self._each(group_ids, describe_group, timeout)

    async def members(self, group_id: str, timeout: float | None = None) -> tuple[MemberDescription, ...]:
        """Return the members of one group."""
        return (await self.describe([group_id], timeout))[group_id].members

    async def history(self, group_id: str, timeout: float | None = None) -> tuple[PastRebalance, ...]:
        """Return why the group rebalanced, the oldest rebalance first."""
        clients, deadline = await self._begin(f"history of group {group_id}", timeout)
        return await describe_history(clients.sender, group_id, deadline)

    async def assignment_spec(
        self, group_id: str, assignor: str | None = None, timeout: float | None = None
    ) -> AssignmentSpec:
        """Return the group as assignors see it."""
        clients, deadline = await self._begin(f"members and topics of group {group_id}", timeout)
        return await assignment_spec(clients.sender, group_id, assignor, deadline)

    async def offsets(self, group_id: str, timeout: float | None = None) -> dict[TopicPartition, GroupOffset]:
        """Return the group's committed offsets, with end offsets and lag."""
        clients, deadline = await self._begin(f"offsets of group {group_id}", timeout)
        group = await describe_group(clients.sender, group_id, deadline)
        return await group_offsets.list_offsets(clients.sender, clients.lookups, group, deadline)

    async def validate_regex(self, pattern: str, timeout: float | None = None) -> PatternCheck:
        """Return what ``SubscriptionPattern(pattern)`` would match."""
        clients, deadline = await self._begin("trying a pattern", timeout)
        return await check_pattern(clients.sender, pattern, deadline)

    async def alter_offsets(
        self, group_id: str, offsets: Mapping[TopicPartition, OffsetSpec], timeout: float | None = None
    ) -> Results[TopicPartition, OffsetAndMetadata]:
        """Commit offsets for a group without members."""
        checked = checked_offset_specs(offsets)
        clients, deadline = await self._begin(f"altering offsets of group {group_id}", timeout)
        return await group_offsets.alter_offsets(clients.sender, clients.lookups, group_id, checked, deadline)

    async def delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> Results[TopicPartition, None]:
        """Delete the committed offsets of ``partitions``."""
        checked = checked_partitions(partitions)
        clients, deadline = await self._begin(f"deleting offsets of group {group_id}", timeout)
        return await group_offsets.delete_offsets(clients.sender, group_id, checked, deadline)

    async def delete(self, group_ids: Collection[str], timeout: float | None = None) -> Results[str, None]:
        """Delete groups and their committed offsets."""
        return await self._each(group_ids, members.delete_group, timeout)

    async def add_members(
        self,
        group_id: str,
        instance_ids: Collection[str | NewMember],
        within: float = WITHIN_S,
        timeout: float | None = None,
    ) -> tuple[AddedMember, ...]:
        """Announce members that are about to join; return the result of each."""
        checked = checked_new_members(group_id, instance_ids, within)
        clients, deadline = await self._begin(f"adding members to group {group_id}", timeout)
        return await members.add_members(clients.sender, group_id, checked, within, deadline)

    async def remove_members(
        self,
        group_id: str,
        instance_ids: Collection[str] = (),
        member_ids: Collection[str] = (),
        reason: str = NO_REASON,
        timeout: float | None = None,
    ) -> tuple[RemovedMember, ...]:
        """Remove members from the group; return the result of each."""
        removed = checked_names("instance ids", instance_ids), checked_names("member ids", member_ids)
        if not any(removed):
            raise ValueError(f"group {group_id}: say which members to remove, by instance id or member id")
        clients, deadline = await self._begin(f"removing members of group {group_id}", timeout)
        return await members.remove_members(clients.sender, group_id, *removed, reason, deadline)

    async def describe_config(self, group_id: str, timeout: float | None = None) -> dict[str, GroupConfigEntry]:
        """Return the group's configuration by Kafka's names."""
        clients, deadline = await self._begin(f"configuration of group {group_id}", timeout)
        return await configs.describe_config(clients.sender, group_id, deadline)

    async def alter_config(
        self,
        group_id: str,
        changes: Mapping[str, ConfigValue],
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> None:
        """Set keys of this group; None resets a key to the broker's value."""
        checked = checked_changes(changes)
        clients, deadline = await self._begin(f"configuring group {group_id}", timeout)
        await configs.alter_config(clients.sender, group_id, checked, validate_only, deadline)

    async def close(self) -> None:
        """Close all connections; calls in progress end with DisconnectedError."""
        self._closed = True
        if self._clients is not None:
            await self._clients.cluster.close()

    def _open(self) -> _Clients:
        if self._closed:
            raise MisuseError("this AsyncGroupAdmin is closed")
        if self._clients is None:  # not in __init__, because connections belong to the running loop
            cluster = ClusterClient(TransportSettings.of(self._config))
            sender = RequestSender(cluster, self._config.request_timeout_ms / 1000)
            self._clients = _Clients(cluster, ClusterQueries(cluster, self._config), sender)
        return self._clients

    async def _begin(self, what: str, timeout: float | None) -> tuple[_Clients, Deadline]:
        """Start a call. The first one fails here if no broker can be reached, before its deadline."""
        clients, deadline = self._open(), self._deadline(what, timeout)
        if not clients.cluster.metadata.brokers:
            await clients.cluster.refresh_metadata(topics=(), timeout_s=deadline.left_s())
        return clients, deadline

    def _deadline(self, what: str, timeout: float | None) -> Deadline:
        limit_s = self._config.default_api_timeout_ms / 1000 if timeout is None else checked_seconds(timeout)
        return Deadline(limit_s, what)

    async def _each(
        self,
        group_ids: Collection[str],
        call: Callable[[RequestSender, str, Deadline], Awaitable[T]],
        timeout: float | None,
    ) -> Results[str, T]:
        """Call for each group; an error of one does not affect the others."""
        names = checked_names("groups", group_ids)
        clients, deadline = await self._begin(f"groups {', '.join(names)}", timeout)
        in_flight = asyncio.Semaphore(_MAX_IN_FLIGHT)
        done: dict[str, T] = {}
        failed: dict[str, KafkaNextgenError] = {}

        async def call_one(group_id: str) -> None:
            async with in_flight:
                try:
                    done[group_id] = await call(clients.sender, group_id, deadline)
                except KafkaNextgenError as error:
                    failed[group_id] = error

        await asyncio.gather(*map(call_one, names))
        return Results({name: done[name] for name in names if name in done}, failed)

"""What both fronts call: coroutines on the event loop that the connections live on, each within its time.

Every ``timeout`` is in seconds, None for ``default.api.timeout.ms``. Arguments are checked here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TypeVar

from kafka_nextgen.admin import adding, configs, offsets, removing
from kafka_nextgen.admin.arguments import (
    ConfigValue,
    Place,
    checked_changes,
    checked_kinds,
    checked_names,
    checked_new_members,
    checked_places,
)
from kafka_nextgen.admin.asking import Asking
from kafka_nextgen.admin.assigning import assignment_spec
from kafka_nextgen.admin.describing import describe_group
from kafka_nextgen.admin.history import describe_history
from kafka_nextgen.admin.listing import list_groups
from kafka_nextgen.admin.patterns import check_pattern
from kafka_nextgen.admin.results import Results
from kafka_nextgen.admin.values import (
    AddedMember,
    GroupConfigEntry,
    GroupDescription,
    GroupOffset,
    GroupState,
    GroupType,
    ListedGroups,
    NewMember,
    PastRebalance,
    PatternCheck,
    RemovedMember,
)
from kafka_nextgen.assignors import AssignmentSpec
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.application.arguments import checked_partitions, checked_seconds
from kafka_nextgen.engine.reading.cluster_queries import ClusterQueries
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.settings import TransportSettings
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["AdminCalls"]

T = TypeVar("T")

#: So many groups are asked about at once; more would only wait in the brokers' queues.
_AT_ONCE = 32


class AdminCalls:
    """One cluster's groups; to be made and used on one event loop."""

    def __init__(self, config: ConsumerConfig) -> None:
        self._config = config
        self._cluster = ClusterClient(TransportSettings.of(config))
        self._lookups = ClusterQueries(self._cluster, config)
        self._asking = Asking(self._cluster, config.request_timeout_ms / 1000)

    async def cluster_id(self, timeout: float | None) -> str | None:
        """The cluster's id, as its brokers tell it."""
        await self._reach(self._deadline("the cluster's id", timeout))
        return self._cluster.metadata.cluster_id

    async def list(
        self, types: Collection[GroupType | str], states: Collection[GroupState | str], timeout: float | None
    ) -> ListedGroups:
        """The groups of these types and in these states; of all if there are none."""
        wanted = checked_kinds(GroupType, types), checked_kinds(GroupState, states)
        return await list_groups(self._asking, *wanted, self._deadline("listing groups", timeout))

    async def describe(self, group_ids: Collection[str], timeout: float | None) -> Results[str, GroupDescription]:
        """Each of these groups."""
        return await self._each(group_ids, lambda group, end: describe_group(self._asking, group, end), timeout)

    async def history(self, group_id: str, timeout: float | None) -> tuple[PastRebalance, ...]:
        """What a group rebalanced for."""
        deadline = self._deadline(f"history of group {group_id}", timeout)
        await self._reach(deadline)
        return await describe_history(self._asking, group_id, deadline)

    async def assignment_spec(self, group_id: str, assignor: str | None, timeout: float | None) -> AssignmentSpec:
        """A group as assignors see it."""
        deadline = self._deadline(f"members and topics of group {group_id}", timeout)
        await self._reach(deadline)
        return await assignment_spec(self._asking, group_id, assignor, deadline)

    async def offsets(self, group_id: str, timeout: float | None) -> dict[TopicPartition, GroupOffset]:
        """The committed offsets of a group, and its members' partitions without any."""
        deadline = self._deadline(f"offsets of group {group_id}", timeout)
        await self._reach(deadline)
        group = await describe_group(self._asking, group_id, deadline)
        return await offsets.list_offsets(self._asking, self._lookups, group, deadline)

    async def alter_offsets(
        self, group_id: str, places: Mapping[TopicPartition, Place], timeout: float | None
    ) -> Results[TopicPartition, OffsetAndMetadata]:
        """Commit for a group without members."""
        checked = checked_places(places)
        deadline = self._deadline(f"altering offsets of group {group_id}", timeout)
        await self._reach(deadline)
        return await offsets.alter_offsets(self._asking, self._lookups, group_id, checked, deadline)

    async def delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition], timeout: float | None
    ) -> Results[TopicPartition, None]:
        """Forget commits."""
        checked = checked_partitions(partitions)
        deadline = self._deadline(f"deleting offsets of group {group_id}", timeout)
        await self._reach(deadline)
        return await offsets.delete_offsets(self._asking, group_id, checked, deadline)

    async def delete(self, group_ids: Collection[str], timeout: float | None) -> Results[str, None]:
        """Forget groups."""
        return await self._each(group_ids, lambda group, end: removing.delete_group(self._asking, group, end), timeout)

    async def add_members(
        self, group_id: str, members: Collection[str | NewMember], within: float, timeout: float | None
    ) -> tuple[AddedMember, ...]:
        """Announce members to a group."""
        checked = checked_new_members(group_id, members, within)
        deadline = self._deadline(f"adding members to group {group_id}", timeout)
        await self._reach(deadline)
        return await adding.add_members(self._asking, group_id, checked, within, deadline)

    async def remove_members(
        self,
        group_id: str,
        instance_ids: Collection[str],
        member_ids: Collection[str],
        reason: str,
        timeout: float | None,
    ) -> tuple[RemovedMember, ...]:
        """Put members out of a group."""
        who = checked_names("instance ids", instance_ids), checked_names("member ids", member_ids)
        if not any(who):
            raise ValueError(f"group {group_id}: say which members to remove, by instance id or member id")
        deadline = self._deadline(f"removing members of group {group_id}", timeout)
        await self._reach(deadline)
        return await removing.remove_members(self._asking, group_id, *who, reason, deadline)

    async def describe_config(self, group_id: str, timeout: float | None) -> dict[str, GroupConfigEntry]:
        """The configuration of a group."""
        deadline = self._deadline(f"configuration of group {group_id}", timeout)
        await self._reach(deadline)
        return await configs.describe_config(self._asking, group_id, deadline)

    async def alter_config(
        self, group_id: str, changes: Mapping[str, ConfigValue], validate_only: bool, timeout: float | None
    ) -> None:
        """Change the configuration of a group."""
        checked = checked_changes(changes)
        deadline = self._deadline(f"configuring group {group_id}", timeout)
        await self._reach(deadline)
        await configs.alter_config(self._asking, group_id, checked, validate_only, deadline)

    async def validate_regex(self, pattern: str, timeout: float | None) -> PatternCheck:
        """Try a subscription pattern."""
        deadline = self._deadline("trying a pattern", timeout)
        await self._reach(deadline)
        return await check_pattern(self._asking, pattern, deadline)

    async def close(self) -> None:
        """Close the connections."""
        await self._cluster.close()

    def _deadline(self, what: str, timeout: float | None) -> Deadline:
        limit_s = self._config.default_api_timeout_ms / 1000 if timeout is None else checked_seconds(timeout)
        return Deadline(limit_s, what)

    async def _reach(self, deadline: Deadline) -> None:
        """Know a broker. Without one at the first call it is of no use to go on trying until the deadline."""
        if not self._cluster.metadata.brokers:
            await self._cluster.refresh_metadata(topics=(), timeout_s=deadline.left_s())

    async def _each(
        self, group_ids: Collection[str], ask: Callable[[str, Deadline], Awaitable[T]], timeout: float | None
    ) -> Results[str, T]:
        """What became of each group; no error of one keeps the others from being asked."""
        names = checked_names("groups", group_ids)
        deadline = self._deadline(f"groups {', '.join(names)}", timeout)
        await self._reach(deadline)
        turns = asyncio.Semaphore(_AT_ONCE)
        done: dict[str, T] = {}
        failed: dict[str, KafkaNextgenError] = {}

        async def ask_one(group_id: str) -> None:
            async with turns:
                try:
                    done[group_id] = await ask(group_id, deadline)
                except KafkaNextgenError as error:
                    failed[group_id] = error

        await asyncio.gather(*map(ask_one, names))
        return Results({name: done[name] for name in names if name in done}, failed)

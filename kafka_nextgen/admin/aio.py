"""``AsyncGroupAdmin``: the calls of ``GroupAdmin``, awaited. Its connections live on the application's event loop."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import TracebackType

from kafka_nextgen.admin.arguments import ConfigValue, Place
from kafka_nextgen.admin.calls import AdminCalls
from kafka_nextgen.admin.group_admin import REASON, WITHIN_S
from kafka_nextgen.admin.results import Results
from kafka_nextgen.admin.values import (
    AddedMember,
    GroupConfigEntry,
    GroupDescription,
    GroupOffset,
    GroupState,
    GroupType,
    ListedGroups,
    MemberDescription,
    NewMember,
    PastRebalance,
    PatternCheck,
    RemovedMember,
)
from kafka_nextgen.assignors import AssignmentSpec
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["AsyncGroupAdmin"]


class AsyncGroupAdmin:
    """The groups of one cluster, for applications built on asyncio: the methods, results and errors of ``GroupAdmin``.

    To be used on one event loop, by any number of tasks. A call that is cancelled may have been carried out.

        async with AsyncGroupAdmin(bootstrap_servers="localhost:9092") as admin:
            groups = await admin.describe(["billing"])
    """

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: object) -> None:
        self._config = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._made: AdminCalls | None = None
        self._closed = False

    async def __aenter__(self) -> AsyncGroupAdmin:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def cluster_id(self, timeout: float | None = None) -> str | None:
        """The cluster's id; None if its brokers have none."""
        return await self._calls.cluster_id(timeout)

    async def list(
        self,
        types: Collection[GroupType | str] = (),
        states: Collection[GroupState | str] = (),
        timeout: float | None = None,
    ) -> ListedGroups:
        """The groups of all brokers, only those of ``types`` and in ``states`` if given."""
        return await self._calls.list(types, states, timeout)

    async def describe(
        self, group_ids: Collection[str], timeout: float | None = None
    ) -> Results[str, GroupDescription]:
        """Each of these groups with its members."""
        return await self._calls.describe(group_ids, timeout)

    async def members(self, group_id: str, timeout: float | None = None) -> tuple[MemberDescription, ...]:
        """The members of one group."""
        return (await self.describe([group_id], timeout))[group_id].members

    async def history(self, group_id: str, timeout: float | None = None) -> tuple[PastRebalance, ...]:
        """Why the group rebalanced, the oldest first."""
        return await self._calls.history(group_id, timeout)

    async def assignment_spec(
        self, group_id: str, assignor: str | None = None, timeout: float | None = None
    ) -> AssignmentSpec:
        """The group as assignors see it."""
        return await self._calls.assignment_spec(group_id, assignor, timeout)

    async def offsets(self, group_id: str, timeout: float | None = None) -> dict[TopicPartition, GroupOffset]:
        """What the group has committed, with the end and the lag."""
        return await self._calls.offsets(group_id, timeout)

    async def validate_regex(self, pattern: str, timeout: float | None = None) -> PatternCheck:
        """What ``SubscriptionPattern(pattern)`` would match."""
        return await self._calls.validate_regex(pattern, timeout)

    async def alter_offsets(
        self, group_id: str, offsets: Mapping[TopicPartition, Place], timeout: float | None = None
    ) -> Results[TopicPartition, OffsetAndMetadata]:
        """Commit ``offsets`` for a group without members."""
        return await self._calls.alter_offsets(group_id, offsets, timeout)

    async def delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> Results[TopicPartition, None]:
        """Forget what the group committed for ``partitions``."""
        return await self._calls.delete_offsets(group_id, partitions, timeout)

    async def delete(self, group_ids: Collection[str], timeout: float | None = None) -> Results[str, None]:
        """Forget groups and all they have committed."""
        return await self._calls.delete(group_ids, timeout)

    async def add_members(
        self,
        group_id: str,
        instance_ids: Collection[str | NewMember],
        within: float = WITHIN_S,
        timeout: float | None = None,
    ) -> tuple[AddedMember, ...]:
        """Announce members that are about to join; what became of each."""
        return await self._calls.add_members(group_id, instance_ids, within, timeout)

    async def remove_members(
        self,
        group_id: str,
        instance_ids: Collection[str] = (),
        member_ids: Collection[str] = (),
        reason: str = REASON,
        timeout: float | None = None,
    ) -> tuple[RemovedMember, ...]:
        """Put members out of the group; what became of each."""
        return await self._calls.remove_members(group_id, instance_ids, member_ids, reason, timeout)

    async def describe_config(self, group_id: str, timeout: float | None = None) -> dict[str, GroupConfigEntry]:
        """The group's configuration by Kafka's names."""
        return await self._calls.describe_config(group_id, timeout)

    async def alter_config(
        self,
        group_id: str,
        changes: Mapping[str, ConfigValue],
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> None:
        """Set keys for this group, those given None back to the broker's value."""
        await self._calls.alter_config(group_id, changes, validate_only, timeout)

    async def close(self) -> None:
        """Close every connection; calls under way end with DisconnectedError."""
        self._closed = True
        if self._made is not None:
            await self._made.close()

    @property
    def _calls(self) -> AdminCalls:
        if self._closed:
            raise MisuseError("this AsyncGroupAdmin is closed")
        if self._made is None:  # here, because connections belong to the loop that runs
            self._made = AdminCalls(self._config)
        return self._made

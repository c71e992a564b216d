"""``AsyncGroupAdmin``: describe and change groups from asyncio."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import TYPE_CHECKING, TypeVar

from kafka_nextgen.admin.arguments import (
    ConfigValue,
    MemberId,
    OffsetSpec,
    checked_changes,
    checked_enums,
    checked_leaving,
    checked_member_ids,
    checked_names,
    checked_new_members,
    checked_offset_specs,
)
from kafka_nextgen.admin.async_admin import AsyncAdmin
from kafka_nextgen.admin.values import (
    GroupDescription,
    GroupOffset,
    GroupState,
    GroupType,
    ListedGroups,
    MemberDescription,
    Results,
)
from kafka_nextgen.engine.application.arguments import checked_partitions
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.lazy_imports import lazy_module

if TYPE_CHECKING:
    from kafka_nextgen.admin import (
        assigning,
        configs,
        describing,
        group_offsets,
        history,
        listing,
        members,
        offset_plans,
        patterns,
    )
    from kafka_nextgen.admin.configs import GroupConfigEntry
    from kafka_nextgen.admin.history import PastRebalance
    from kafka_nextgen.admin.members import AddedMember, AnnouncedMember, NewMember, RemovedMember
    from kafka_nextgen.admin.offset_plans import OffsetTarget, PlannedOffset
    from kafka_nextgen.admin.patterns import PatternCheck
    from kafka_nextgen.admin.requests import AdminCall
    from kafka_nextgen.assignors import AssignmentSpec
    from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
else:  # each method imports what it needs
    assigning, configs, describing, group_offsets, history, listing, members, offset_plans, patterns = (
        lazy_module(f"kafka_nextgen.admin.{name}")
        for name in (
            *("assigning", "configs", "describing", "group_offsets", "history", "listing", "members"),
            *("offset_plans", "patterns"),
        )
    )

__all__ = ["AsyncGroupAdmin"]

T = TypeVar("T")

#: The maximum number of concurrent requests for groups; more would only wait in the brokers' queues.
_MAX_IN_FLIGHT = 32


class AsyncGroupAdmin(AsyncAdmin):
    """The groups of one cluster, of either protocol, for asyncio applications.

    Takes a consumer's configuration, and uses its keys for brokers and connections. Use it on one event loop, from any
    number of tasks. A cancelled call may have taken effect.

        async with AsyncGroupAdmin(bootstrap_servers="localhost:9092") as admin:
            groups = await admin.describe(["billing"])

    Timeouts are in seconds and cover the whole call; None means ``default.api.timeout.ms``. Every call raises
    RequestTimeoutError after its timeout, NoBrokersError if no broker can be reached for ten seconds,
    GroupAuthorizationError if the principal lacks access, and MisuseError once the admin is closed. A call for
    several groups returns ``Results``, which has a separate error for each group that failed.
    """

    async def list(
        self,
        types: Collection[GroupType | str] = (),
        states: Collection[GroupState | str] = (),
        timeout: float | None = None,
    ) -> ListedGroups:
        """Return the groups of all brokers, filtered by ``types`` and ``states`` if given.

        A broker that does not answer, or is too old for a filter, is listed in the result's ``failed``. If all
        fail, the first error is raised. Raises ValueError for an unknown type or state.
        """
        wanted = checked_enums(GroupType, types), checked_enums(GroupState, states)
        return await listing.list_groups(self._call("listing groups", timeout), *wanted)

    async def describe(
        self, group_ids: Collection[str], timeout: float | None = None, *, include_authorized_operations: bool = False
    ) -> Results[str, GroupDescription]:
        """Describe these groups of either protocol; GroupNotFoundError for a group that does not exist.

        With ``include_authorized_operations``, descriptions list the operations that this client may perform on the
        group (KIP-430, Kafka 2.3): all operations of groups, if the brokers have no authorizer. While the cluster's
        ``group.version`` is 0, a consumer group has the error UnsupportedProtocolError.
        """
        request = functools.partial(describing.describe_group, with_operations=include_authorized_operations)
        return await self._each(group_ids, request, timeout)

    async def members(self, group_id: str, timeout: float | None = None) -> tuple[MemberDescription, ...]:
        """Return the members of one group. Raises GroupNotFoundError."""
        return (await self.describe([group_id], timeout))[group_id].members

    async def history(self, group_id: str, timeout: float | None = None) -> tuple[PastRebalance, ...]:
        """Return the group's recent rebalances with their causes, oldest first, as recorded by its coordinator.

        An extension of kafka_nextgen's brokers with ``extensions``. Raises UnsupportedProtocolError for other
        coordinators, and GroupNotFoundError.
        """
        call = await self._begin(f"history of group {group_id}", timeout)
        return await history.describe_history(call, group_id)

    async def assignment_spec(
        self, group_id: str, assignor: str | None = None, timeout: float | None = None
    ) -> AssignmentSpec:
        """Return the group as assignors see it, with the racks of its topics' replicas; for ``assignors.explain``.

        Members' metadata is for ``assignor``; None means the group's current assignor. Waits while a classic group
        rebalances. Raises GroupNotFoundError, and MisuseError if the members are not consumers.
        """
        call = await self._begin(f"members and topics of group {group_id}", timeout)
        return await assigning.assignment_spec(call, group_id, assignor)

    async def offsets(self, group_id: str, timeout: float | None = None) -> dict[TopicPartition, GroupOffset]:
        """Return committed offsets with end offsets and lag, including owned partitions that have no commit.

        If an end offset is unavailable, the entry's ``error`` says why. Raises GroupNotFoundError.
        """
        call = await self._begin(f"offsets of group {group_id}", timeout)
        group = await describing.describe_owners(call, group_id)
        return await group_offsets.list_offsets(call, group)

    async def validate_regex(self, pattern: str, timeout: float | None = None) -> PatternCheck:
        """Return what ``SubscriptionPattern(pattern)`` would match, checked locally with google-re2.

        KIP-848 has brokers check patterns, but no release of Kafka does.
        """
        call = await self._begin("trying a pattern", timeout)
        return await patterns.check_pattern(call, pattern)

    async def plan_offsets(
        self, group_id: str, targets: Mapping[str | TopicPartition, OffsetTarget], timeout: float | None = None
    ) -> dict[TopicPartition, PlannedOffset]:
        """Return the group's positions after a reset to these targets; nothing changes, and the group need not exist.

        A target for a topic's name applies to all of its partitions. It is an offset, OffsetReset.EARLIEST or LATEST, a
        ``datetime`` with a zone, a ``timedelta`` before now, ``ShiftBy`` from the committed offset, or ``CURRENT``, as
        for ``kafka-consumer-groups.sh --reset-offsets``. A time later than all records means the end, and offsets
        outside the log become its beginning or end. A partition without a result has an ``error``. Raises
        UnknownTopicError for a topic that does not exist. Give ``alter_offsets`` the planned offsets to apply them.
        """
        checked = offset_plans.checked_targets(targets)
        call = await self._begin(f"planning offsets of group {group_id}", timeout)
        return await offset_plans.plan_offsets(call, group_id, checked)

    async def alter_offsets(
        self, group_id: str, offsets: Mapping[TopicPartition, OffsetSpec], timeout: float | None = None
    ) -> Results[TopicPartition, OffsetAndMetadata]:
        """Commit ``offsets`` for a group without members; creates the group if it does not exist.

        ``OffsetReset.EARLIEST`` and ``LATEST`` mean the current beginning and end of a partition. The results have
        GroupNotEmptyError for each partition if the group has members.
        """
        checked = checked_offset_specs(offsets)
        call = await self._begin(f"altering offsets of group {group_id}", timeout)
        return await group_offsets.alter_offsets(call, group_id, checked)

    async def delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> Results[TopicPartition, None]:
        """Delete committed offsets; members must not be subscribed to their topics.

        Raises GroupNotFoundError.
        """
        checked = checked_partitions(partitions)
        call = await self._begin(f"deleting offsets of group {group_id}", timeout)
        return await group_offsets.delete_offsets(call, group_id, checked)

    async def delete(self, group_ids: Collection[str], timeout: float | None = None) -> Results[str, None]:
        """Delete groups and their committed offsets; GroupNotEmptyError for a group with members."""
        return await self._each(group_ids, members.delete_group, timeout)

    async def add_members(
        self,
        group_id: str,
        instance_ids: Collection[str | NewMember],
        within: float = 300.0,
        timeout: float | None = None,
    ) -> tuple[AddedMember, ...]:
        """Announce static members, so that the group rebalances once for all of them; return the result of each.

        The rebalance starts when the last one has joined, or after ``within`` seconds. Until then, members that have
        joined get no partitions. A later announcement of a member replaces an earlier one. With ``within=0`` the group
        no longer expects these members; with an empty ``instance_ids``, it expects none. An extension of
        kafka_nextgen's
        brokers (KIP-345, "Future Works"): raises UnsupportedProtocolError if the coordinator is Apache Kafka's.
        """
        checked = checked_new_members(group_id, instance_ids, within)
        call = await self._begin(f"adding members to group {group_id}", timeout)
        return await members.add_members(call, group_id, checked, within)

    async def announce_leaving(
        self,
        group_id: str,
        instance_ids: Collection[str] = (),
        member_ids: Collection[str] = (),
        within: float = 300.0,
        timeout: float | None = None,
    ) -> tuple[AnnouncedMember, ...]:
        """Announce that members leave, so that the group rebalances once for all of them; return the result of each.

        The rebalance starts when the last one has left, or after ``within`` seconds; those that have not left stay
        members. Until then, no member reads the partitions of those that have left. Static members are announced by
        instance id, dynamic ones by member id. A later announcement of a member replaces an earlier one. With
        ``within=0`` the announcement of these members is cancelled; without members, all announcements are cancelled. A
        member that is not in the group has the error UNKNOWN_MEMBER_ID. An extension of kafka_nextgen's brokers
        (KIP-345 and the draft of batched joins): raises UnsupportedProtocolError if the coordinator is Apache Kafka's,
        and GroupNotFoundError.
        """
        checked = checked_leaving(group_id, instance_ids, member_ids, within)
        call = await self._begin(f"announcing that members leave group {group_id}", timeout)
        return await members.announce_leaving(call, group_id, *checked, within)

    async def remove_members(
        self,
        group_id: str,
        instance_ids: Collection[str] = (),
        member_ids: Collection[MemberId] = (),
        reason: str = "",
        timeout: float | None = None,
    ) -> tuple[RemovedMember, ...]:
        """Remove members from the group, static ones by instance id; return the result of each in order.

        In ``member_ids``, a pair (member id, instance id) removes a static member only if its instance still has this
        member id (KIP-345); otherwise its error is FENCED_INSTANCE_ID. ``reason`` is for the coordinator's log. A
        running consumer joins again. A member that does not exist, or whose group does not exist, has the error
        UNKNOWN_MEMBER_ID.
        """
        removed = checked_names("instance ids", instance_ids), checked_member_ids(member_ids)
        if not any(removed):
            raise ValueError(f"group {group_id}: specify the members to remove, by instance id or member id")
        call = await self._begin(f"removing members of group {group_id}", timeout)
        return await members.remove_members(call, group_id, *removed, reason)

    async def describe_config(self, group_id: str, timeout: float | None = None) -> dict[str, GroupConfigEntry]:
        """Return the group's configuration by Kafka's names; the group need not exist."""
        call = await self._begin(f"configuration of group {group_id}", timeout)
        return await configs.describe_config(call, group_id)

    async def alter_config(
        self,
        group_id: str,
        changes: Mapping[str, ConfigValue],
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> None:
        """Set keys of this group, or only check them with ``validate_only``; None resets a key to the broker's value.

        The group need not exist yet. Raises BrokerError (INVALID_CONFIG) for an invalid key or value.
        """
        checked = checked_changes(changes)
        call = await self._begin(f"configuring group {group_id}", timeout)
        await configs.alter_config(call, group_id, checked, validate_only)

    async def _each(
        self,
        group_ids: Collection[str],
        request: Callable[[AdminCall, str], Awaitable[T]],
        timeout: float | None,
    ) -> Results[str, T]:
        """Send the request for each group; an error for one does not affect the others."""
        names = checked_names("groups", group_ids)
        call = await self._begin(f"groups {', '.join(names)}", timeout)
        in_flight = asyncio.Semaphore(_MAX_IN_FLIGHT)
        done: dict[str, T] = {}
        failed: dict[str, KafkaNextgenError] = {}

        async def request_one(group_id: str) -> None:
            async with in_flight:
                try:
                    done[group_id] = await request(call, group_id)
                except KafkaNextgenError as error:
                    failed[group_id] = error

        await asyncio.gather(*map(request_one, names))
        return Results({name: done[name] for name in names if name in done}, failed)

"""``GroupAdmin``: describe and change groups with blocking calls."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Coroutine, Mapping
from concurrent.futures import CancelledError
from types import TracebackType
from typing import TypeVar

from kafka_nextgen.admin.arguments import ConfigValue, OffsetSpec
from kafka_nextgen.admin.async_group_admin import NO_REASON, WITHIN_S, AsyncGroupAdmin
from kafka_nextgen.admin.configs import GroupConfigEntry
from kafka_nextgen.admin.history import PastRebalance
from kafka_nextgen.admin.members import AddedMember, NewMember, RemovedMember
from kafka_nextgen.admin.patterns import PatternCheck
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
from kafka_nextgen.engine.futures import sleep_until_ended
from kafka_nextgen.engine.io_thread import IoThread
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.transport.background import log_failure
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["GroupAdmin"]

T = TypeVar("T")

_CLOSING_S = 5.0


class GroupAdmin:
    """The groups of one cluster, of either protocol.

    Takes a consumer's configuration, and uses its keys for brokers and connections. Timeouts are seconds for the whole
    call; None means ``default.api.timeout.ms``. Threads may call concurrently.

        with GroupAdmin(bootstrap_servers="localhost:9092") as admin:
            for group in admin.list(states=["Empty"]).groups:
                ...

    Every call raises RequestTimeoutError after its timeout, NoBrokersError if no broker can be reached for ten seconds,
    GroupAuthorizationError if the principal lacks access, and MisuseError once the admin is closed. A call about
    several groups returns ``Results`` instead, with the errors of single groups.
    """

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: object) -> None:
        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._thread = IoThread(f"kafka_nextgen admin {parsed.client_id}", log_failure, "GroupAdmin")
        self._admin = self._thread.begin_with(_create(parsed))

    def __enter__(self) -> GroupAdmin:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def cluster_id(self, timeout: float | None = None) -> str | None:
        """Return the cluster's id; None if its brokers have none."""
        return self._wait(lambda admin: admin.cluster_id(timeout))

    def list(
        self,
        types: Collection[GroupType | str] = (),
        states: Collection[GroupState | str] = (),
        timeout: float | None = None,
    ) -> ListedGroups:
        """Return the groups of all brokers, filtered by ``types`` and ``states`` if given.

        A broker that does not answer, or is too old for a filter, is in ``failed`` of the result. If all fail, the
        first error is raised. Raises ValueError for an unknown type or state.
        """
        return self._wait(lambda admin: admin.list(types, states, timeout))

    def describe(self, group_ids: Collection[str], timeout: float | None = None) -> Results[str, GroupDescription]:
        """Describe these groups of either protocol; GroupNotFoundError for a group that does not exist."""
        return self._wait(lambda admin: admin.describe(group_ids, timeout))

    def members(self, group_id: str, timeout: float | None = None) -> tuple[MemberDescription, ...]:
        """Return the members of one group. Raises GroupNotFoundError."""
        return self.describe([group_id], timeout)[group_id].members

    def history(self, group_id: str, timeout: float | None = None) -> tuple[PastRebalance, ...]:
        """Return why the group rebalanced, as far back as its coordinator remembers, the oldest first.

        An extension of kafka_nextgen's brokers with ``extensions``. Raises UnsupportedProtocolError for other
        coordinators, and GroupNotFoundError.
        """
        return self._wait(lambda admin: admin.history(group_id, timeout))

    def assignment_spec(
        self, group_id: str, assignor: str | None = None, timeout: float | None = None
    ) -> AssignmentSpec:
        """Return the group as assignors see it, with the racks of its topics' replicas; for ``assignors.explain``.

        Members' metadata is for ``assignor``; None means the one in use. Waits while a classic group rebalances. Raises
        GroupNotFoundError, and MisuseError if the members are no consumers.
        """
        return self._wait(lambda admin: admin.assignment_spec(group_id, assignor, timeout))

    def offsets(self, group_id: str, timeout: float | None = None) -> dict[TopicPartition, GroupOffset]:
        """Return committed offsets with end offsets and lag, also of owned partitions without a commit.

        If an end offset is unavailable, the entry's ``error`` says why. Raises GroupNotFoundError.
        """
        return self._wait(lambda admin: admin.offsets(group_id, timeout))

    def validate_regex(self, pattern: str, timeout: float | None = None) -> PatternCheck:
        """Return what ``SubscriptionPattern(pattern)`` would match, checked locally with google-re2.

        KIP-848 has brokers check patterns, but no release of Kafka does.
        """
        return self._wait(lambda admin: admin.validate_regex(pattern, timeout))

    def alter_offsets(
        self, group_id: str, offsets: Mapping[TopicPartition, OffsetSpec], timeout: float | None = None
    ) -> Results[TopicPartition, OffsetAndMetadata]:
        """Commit ``offsets`` for a group without members; creates the group if it does not exist.

        ``OffsetReset.EARLIEST`` and ``LATEST`` mean the current beginning and end of a partition. The results have
        GroupNotEmptyError for each partition if the group has members.
        """
        return self._wait(lambda admin: admin.alter_offsets(group_id, offsets, timeout))

    def delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> Results[TopicPartition, None]:
        """Delete committed offsets; members must not be subscribed to their topics.

        Raises GroupNotFoundError.
        """
        return self._wait(lambda admin: admin.delete_offsets(group_id, partitions, timeout))

    def delete(self, group_ids: Collection[str], timeout: float | None = None) -> Results[str, None]:
        """Delete groups and their committed offsets; GroupNotEmptyError for a group with members."""
        return self._wait(lambda admin: admin.delete(group_ids, timeout))

    def add_members(
        self,
        group_id: str,
        instance_ids: Collection[str | NewMember],
        within: float = WITHIN_S,
        timeout: float | None = None,
    ) -> tuple[AddedMember, ...]:
        """Announce static members, so that the group rebalances once for all of them; return the result of each.

        The rebalance starts when the last one has joined, or after ``within`` seconds. Until then, members that have
        joined get no partitions. A later announcement of a member replaces an earlier one. With ``within`` 0 they are
        no longer expected, or no member is if none is given. An extension of kafka_nextgen's brokers (KIP-345, "Future
        Works"): raises UnsupportedProtocolError if the coordinator is Apache Kafka's.
        """
        return self._wait(lambda admin: admin.add_members(group_id, instance_ids, within, timeout))

    def remove_members(
        self,
        group_id: str,
        instance_ids: Collection[str] = (),
        member_ids: Collection[str] = (),
        reason: str = NO_REASON,
        timeout: float | None = None,
    ) -> tuple[RemovedMember, ...]:
        """Remove members from the group, static ones by instance id; return the result of each in order.

        ``reason`` is for the coordinator's log. A running consumer joins again. A member that does not exist, or whose
        group does not exist, has the error UNKNOWN_MEMBER_ID.
        """
        return self._wait(lambda admin: admin.remove_members(group_id, instance_ids, member_ids, reason, timeout))

    def describe_config(self, group_id: str, timeout: float | None = None) -> dict[str, GroupConfigEntry]:
        """Return the group's configuration by Kafka's names; the group need not exist."""
        return self._wait(lambda admin: admin.describe_config(group_id, timeout))

    def alter_config(
        self,
        group_id: str,
        changes: Mapping[str, ConfigValue],
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> None:
        """Set keys of this group, or only check them with ``validate_only``; None resets a key to the broker's value.

        The group need not exist yet. Raises BrokerError (INVALID_CONFIG) for an invalid key or value.
        """
        return self._wait(lambda admin: admin.alter_config(group_id, changes, validate_only, timeout))

    def close(self) -> None:
        """Close all connections; calls in progress end with MisuseError. May be called more than once."""
        if self._thread.is_foreign:
            return
        try:
            self._thread.submit(self._admin.close()).result(_CLOSING_S)
        except MisuseError:  # closed already
            return
        finally:  # even if closing takes too long, or a signal handler raises
            self._thread.stop(_CLOSING_S)

    def __del__(self) -> None:
        if not hasattr(self, "_admin") or self._thread.has_ended or self._thread.is_foreign:
            return
        self._thread.end_after(self._admin.close)
        warnings.warn("a GroupAdmin was dropped without close()", ResourceWarning, stacklevel=2)

    def _wait(self, call: Callable[[AsyncGroupAdmin], Coroutine[object, object, T]]) -> T:
        future = self._thread.submit(call(self._admin))
        try:
            sleep_until_ended(future, math.inf)  # the call has its own deadline
            return future.result()
        except CancelledError:
            raise MisuseError("this GroupAdmin was closed during the call") from None
        except KeyboardInterrupt:
            future.cancel()
            raise


async def _create(config: ConsumerConfig) -> AsyncGroupAdmin:
    return await AsyncGroupAdmin(config).__aenter__()

"""``GroupAdmin``: looking at groups and changing them, for applications and tools that wait."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Coroutine, Mapping
from concurrent.futures import CancelledError
from types import TracebackType
from typing import TypeVar

from kafka_nextgen.admin.arguments import ConfigValue, Place
from kafka_nextgen.admin.calls import AdminCalls
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
from kafka_nextgen.engine.futures import sleep_until_ended
from kafka_nextgen.engine.io_thread import IoThread
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.transport.supervision import log_failure
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["GroupAdmin"]

T = TypeVar("T")

_CLOSING_S = 5.0
WITHIN_S = 300.0
REASON = ""


class GroupAdmin:
    """The groups of one cluster, of either protocol.

    Takes a consumer's configuration, of which what concerns brokers and connections is used. Timeouts are seconds for
    the whole call; None means ``default.api.timeout.ms``. Any thread may call at any time, and several at once.

        with GroupAdmin(bootstrap_servers="localhost:9092") as admin:
            for group in admin.list(states=["Empty"]).groups:
                ...

    Every call raises RequestTimeoutError when its time is over, NoBrokersError if no broker can be reached for ten
    seconds, GroupAuthorizationError where the principal may not ask, and MisuseError once the admin is closed. A call
    about several groups returns ``Results`` instead: what there is, and the errors of the rest.
    """

    def __init__(self, config: Mapping[str, object] | ConsumerConfig | None = None, **settings: object) -> None:
        parsed = config if isinstance(config, ConsumerConfig) else ConsumerConfig.parse(config, **settings)
        self._thread = IoThread(f"kafka_nextgen admin {parsed.client_id}", log_failure, "GroupAdmin")
        self._calls = self._thread.begin_with(_made(parsed))

    def __enter__(self) -> GroupAdmin:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ---- looking

    def cluster_id(self, timeout: float | None = None) -> str | None:
        """The cluster's id, by which logs of several clusters are told apart; None if its brokers have none."""
        return self._wait(lambda calls: calls.cluster_id(timeout))

    def list(
        self,
        types: Collection[GroupType | str] = (),
        states: Collection[GroupState | str] = (),
        timeout: float | None = None,
    ) -> ListedGroups:
        """The groups of all brokers, only those of ``types`` and in ``states`` if given.

        A broker that does not answer, or is too old for a filter, is in ``failed`` of the result; its error is raised
        if no broker answers. Raises ValueError for a type or state there is not.
        """
        return self._wait(lambda calls: calls.list(types, states, timeout))

    def describe(self, group_ids: Collection[str], timeout: float | None = None) -> Results[str, GroupDescription]:
        """Each of these groups with its members, of whichever protocol it is; GroupNotFoundError if it is of none."""
        return self._wait(lambda calls: calls.describe(group_ids, timeout))

    def members(self, group_id: str, timeout: float | None = None) -> tuple[MemberDescription, ...]:
        """The members of one group. Raises GroupNotFoundError."""
        return self.describe([group_id], timeout)[group_id].members

    def history(self, group_id: str, timeout: float | None = None) -> tuple[PastRebalance, ...]:
        """Why the group rebalanced, of either protocol: as far back as its coordinator remembers, the oldest first.

        An extension: Apache Kafka's coordinators keep no history, and kafka_nextgen's own only with ``extensions``; of
        others UnsupportedProtocolError is raised. Raises GroupNotFoundError.
        """
        return self._wait(lambda calls: calls.history(group_id, timeout))

    def assignment_spec(
        self, group_id: str, assignor: str | None = None, timeout: float | None = None
    ) -> AssignmentSpec:
        """The group as assignors see it, its topics with the racks of their replicas; for ``assignors.explain``.

        What members say is to the assignor of this name, None for the one in use, as far as ``describe`` tells it.

        A classic group is waited for while it rebalances. Raises GroupNotFoundError, and MisuseError if the members are
        no consumers.
        """
        return self._wait(lambda calls: calls.assignment_spec(group_id, assignor, timeout))

    def offsets(self, group_id: str, timeout: float | None = None) -> dict[TopicPartition, GroupOffset]:
        """What the group has committed, with the end and the lag; also partitions of members that committed nothing.

        Where the end can't be learnt, the entry's ``error`` says why. Raises GroupNotFoundError.
        """
        return self._wait(lambda calls: calls.offsets(group_id, timeout))

    def validate_regex(self, pattern: str, timeout: float | None = None) -> PatternCheck:
        """What ``SubscriptionPattern(pattern)`` would match, tried here with google-re2.

        KIP-848 has brokers do this for tools, but no release of Kafka does.
        """
        return self._wait(lambda calls: calls.validate_regex(pattern, timeout))

    # ---- changing

    def alter_offsets(
        self, group_id: str, offsets: Mapping[TopicPartition, Place], timeout: float | None = None
    ) -> Results[TopicPartition, OffsetAndMetadata]:
        """Commit ``offsets`` for a group without members; makes the group if there is none.

        ``OffsetReset.EARLIEST`` and ``LATEST`` stand for where the partition begins and ends now.
        GroupNotEmptyError for each partition if the group has members.
        """
        return self._wait(lambda calls: calls.alter_offsets(group_id, offsets, timeout))

    def delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition], timeout: float | None = None
    ) -> Results[TopicPartition, None]:
        """Forget what the group committed for ``partitions``; not while members are subscribed to their topic.

        Raises GroupNotFoundError.
        """
        return self._wait(lambda calls: calls.delete_offsets(group_id, partitions, timeout))

    def delete(self, group_ids: Collection[str], timeout: float | None = None) -> Results[str, None]:
        """Forget groups and all they have committed; GroupNotEmptyError for one with members."""
        return self._wait(lambda calls: calls.delete(group_ids, timeout))

    def add_members(
        self,
        group_id: str,
        instance_ids: Collection[str | NewMember],
        within: float = WITHIN_S,
        timeout: float | None = None,
    ) -> tuple[AddedMember, ...]:
        """Announce static members that are about to join, so that the group rebalances once for all of them: when the
        last has come, or ``within`` seconds from now, without those that have not. What became of each, in that order.

        Until then those that have come are in the group, with nothing. Announced again, what is said last counts. With
        ``within`` 0 they are expected no more, or nobody is if none is named. An extension, of brokers of kafka_nextgen
        (KIP-345, "Future Works"): raises UnsupportedProtocolError where the coordinator is Apache Kafka's.
        """
        return self._wait(lambda calls: calls.add_members(group_id, instance_ids, within, timeout))

    def remove_members(
        self,
        group_id: str,
        instance_ids: Collection[str] = (),
        member_ids: Collection[str] = (),
        reason: str = REASON,
        timeout: float | None = None,
    ) -> tuple[RemovedMember, ...]:
        """Put members out of the group, those that are static by instance id; what became of each, in that order.

        ``reason`` is for the coordinator's log. A consumer that still runs joins again. Who is not there, be it because
        there is no such group, has UNKNOWN_MEMBER_ID for an error.
        """
        return self._wait(lambda calls: calls.remove_members(group_id, instance_ids, member_ids, reason, timeout))

    # ---- configuration

    def describe_config(self, group_id: str, timeout: float | None = None) -> dict[str, GroupConfigEntry]:
        """The group's configuration by Kafka's names, whether or not there is such a group."""
        return self._wait(lambda calls: calls.describe_config(group_id, timeout))

    def alter_config(
        self,
        group_id: str,
        changes: Mapping[str, ConfigValue],
        validate_only: bool = False,
        timeout: float | None = None,
    ) -> None:
        """Set keys for this group, those given None back to the broker's value; with ``validate_only`` only check.

        The group need not exist yet. Raises BrokerError (INVALID_CONFIG) for a key or value that can't be.
        """
        return self._wait(lambda calls: calls.alter_config(group_id, changes, validate_only, timeout))

    # ---- the end

    def close(self) -> None:
        """Close every connection; calls under way end with MisuseError. May be called more than once."""
        if self._thread.is_foreign:
            return
        try:
            self._thread.submit(self._calls.close()).result(_CLOSING_S)
        except MisuseError:  # closed already
            return
        finally:  # also if that takes too long, or a signal handler raises
            self._thread.stop(_CLOSING_S)

    def __del__(self) -> None:
        if not hasattr(self, "_calls") or self._thread.has_ended or self._thread.is_foreign:
            return
        self._thread.end_after(self._calls.close)
        warnings.warn("a GroupAdmin was dropped without close()", ResourceWarning, stacklevel=2)

    def _wait(self, call: Callable[[AdminCalls], Coroutine[object, object, T]]) -> T:
        future = self._thread.submit(call(self._calls))
        try:
            sleep_until_ended(future, math.inf)  # the call keeps its own time
            return future.result()
        except CancelledError:
            raise MisuseError("this GroupAdmin was closed during the call") from None
        except KeyboardInterrupt:
            future.cancel()
            raise


async def _made(config: ConsumerConfig) -> AdminCalls:
    return AdminCalls(config)

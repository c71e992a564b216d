"""The methods with which tests produce records and check a cluster. ``Cluster`` and ``RealCluster`` have them.

They block, and need no event loop, so any test can use them. On the embedded broker they access its state directly:
connections, permissions, quotas, faults and stopped nodes do not affect them.
"""

from __future__ import annotations

import asyncio
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from kafka_nextgen import clocks
from kafka_nextgen.errors import BrokerError, MisuseError
from kafka_nextgen.testing.arguments import text, whole_number
from kafka_nextgen.testing.kit.conditions import Attempt, Observations, explain, try_once
from kafka_nextgen.testing.kit.transaction import Transaction
from kafka_nextgen.testing.kit.waiting import Patience, poll_without_taking, refuse_unpollable
from kafka_nextgen.types import TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.admin.history import PastRebalance
    from kafka_nextgen.consumer import Consumer
    from kafka_nextgen.testing.kit.backend import Backend, TransactionalProducer
    from kafka_nextgen.testing.kit.group import Group
    from kafka_nextgen.testing.kit.producer_record import Headers, ProducerRecord
    from kafka_nextgen.testing.kit.record_list import RecordList

__all__ = ["KafkaCluster"]

T = TypeVar("T")

_transactional_ids = itertools.count(1)


class KafkaCluster(ABC):
    """The cluster of a test, embedded (``Cluster``) or real (``RealCluster``): the type of ``kafka_cluster``."""

    def __init__(self) -> None:
        self._observations = Observations()

    @property
    @abstractmethod
    def bootstrap_servers(self) -> str:
        """The ``bootstrap.servers`` for clients."""

    @abstractmethod
    def create_topic(self, name: str, partitions: int = 1) -> None:
        """Create a topic."""

    @abstractmethod
    def advance(self, seconds: float) -> None:
        """Let ``seconds`` pass: an embedded cluster with a clock advances it; a real cluster waits."""

    @abstractmethod
    def _backend(self) -> Backend:
        """Return what carries out the calls on this cluster. Raises MisuseError unless the cluster is running."""

    @abstractmethod
    def _pass_time(self, seconds: float) -> None:
        """Advance the cluster's clock while a test waits, if it has one."""

    def _strangers(self) -> Sequence[str]:
        """The connected clients that can't follow the cluster's clock, if it has one that can be advanced."""
        return ()

    def produce(
        self,
        topic: str,
        records: object,
        *,
        key: object = None,
        headers: Headers = (),
        timestamp: int | datetime | None = None,
        partition: int | None = None,
    ) -> RecordList:
        """Write records to a topic, and return them with their partitions and offsets, in the order given.

        ``records`` is one record or an iterable of them. A record is bytes, text, None (a tombstone) or a JSON value,
        such as a dict; a pair ``(key, value)``; a ``ProducerRecord``, which can have headers, a timestamp and a
        partition; or a ``Record`` that was read. The keyword arguments apply to records that do not set these
        themselves. Partitions are chosen by key, like in Kafka's producer; records of one call without a key share a
        partition.

        A missing topic is created, as for any producer, unless ``auto.create.topics.enable`` is false.

        Raises MisuseError if the topic is missing and not created (RequestTimeoutError on a real Kafka), ValueError for
        a partition that does not exist, TypeError for a value that can't be written, and BrokerError if the broker
        refuses the records.
        """
        from kafka_nextgen.testing.kit.producer_record import ProducerRecord

        return self._write(topic, records, ProducerRecord(None, key, headers, timestamp, partition), None)

    def _write(
        self, topic: str, records: object, defaults: ProducerRecord, producer: TransactionalProducer | None
    ) -> RecordList:
        from kafka_nextgen.testing.kit.producer_record import plan_records
        from kafka_nextgen.testing.kit.writing import write

        backend = self._backend()
        return write(backend, text("topic", topic), plan_records(records, defaults, backend.now_ms()), producer)

    @contextmanager
    def transaction(self, transactional_id: str | None = None) -> Iterator[Transaction]:
        """Begin a transaction. It is committed after the block, or aborted if the block raises.

            with cluster.transaction() as transaction:
                transaction.produce("orders", [{"id": 1}])
                assert not cluster.records("orders")  # not committed yet

        ``transactional_id`` is a new one by default. Raises BrokerError if the broker refuses.
        """
        backend = self._backend()
        name = text("transactional id", transactional_id or f"test-{clocks.time_ns():x}-{next(_transactional_ids)}")
        transaction = Transaction(backend, backend.begin_transaction(name), self._write)
        try:
            yield transaction
        except BaseException:
            with suppress(BrokerError):  # such as fencing, which may be the reason why the block failed
                transaction.abort()
            raise
        transaction.commit()

    def records(
        self, topic: str, partition: int | None = None, *, isolation_level: str = "read_committed"
    ) -> RecordList:
        """Return the records of a topic, or of one partition, by partition and offset; none if the topic is missing.

        Records of open and aborted transactions are left out, unless ``isolation_level`` is ``"read_uncommitted"``.
        """
        from kafka_nextgen.testing.kit.record_list import RecordList

        if isolation_level not in ("read_committed", "read_uncommitted"):
            raise ValueError(f"isolation_level must be read_committed or read_uncommitted, not {isolation_level!r}")
        if partition is not None and whole_number("partition", partition) < 0:
            raise ValueError(f"partition must be 0 or more, not {partition}")
        found = self._backend().read(text("topic", topic), is_committed=isolation_level == "read_committed")
        chosen = RecordList(each for each in found if partition in (None, each.partition))
        return self._observations.note(_call("records", topic, partition), chosen)

    def committed(self, group_id: str) -> dict[TopicPartition, int]:
        """Return the committed offsets of a group, by partition; empty if it has none.

        A ``TopicPartition`` is a tuple: ``assert cluster.committed("billing") == {("orders", 0): 3}``.
        """
        found = dict(sorted(self._backend().committed(text("group id", group_id)).items()))
        return self._observations.note(_call("committed", group_id), found)

    def lag(self, group_id: str, topic: str) -> int:
        """Return the number of offsets of a topic that the group has not committed.

        A partition without a commit counts from its beginning. Transaction markers count as offsets.

        Raises BrokerError if the topic does not exist; ``wait_until`` then tries again.
        """
        from kafka_nextgen.testing.kit.lag import lags_of

        lags = lags_of(self._backend(), text("group id", group_id), text("topic", topic))
        self._observations.note(_call("lag", group_id, topic), lags)
        return sum(lags.values())

    def group(self, group_id: str) -> Group:
        """Return the group with its members and their epochs and partitions; with state DEAD if it does not exist."""
        from kafka_nextgen.testing.kit.group import Group

        described = self._backend().describe(text("group id", group_id))
        group = Group(group_id) if described is None else Group.described(described)
        return self._observations.note(_call("group", group_id), group)

    def rebalances(self, group_id: str) -> tuple[PastRebalance, ...]:
        """Return the rebalances of a group with their causes, oldest first.

            assert [each.reason.name for each in cluster.rebalances("billing")] == ["MEMBER_JOINED", "MEMBER_LEFT"]

        ``str()`` of a rebalance is text such as ``epoch 3: member-7 left``. On a real Kafka, rebalances are derived
        from the records in ``__consumer_offsets``. These do not show whether a member left or was fenced, so both are
        reported as left.
        """
        found = self._backend().rebalances(text("group id", group_id))
        return self._observations.note(_call("rebalances", group_id), found)

    def wait_until(
        self, condition: Callable[[], T], timeout: float = 10.0, *, polling: Sequence[Consumer[object, object]] = ()
    ) -> T:
        """Try ``condition`` until it holds, and return its result.

            cluster.wait_until(lambda: cluster.lag("billing", "orders") == 0)
            cluster.wait_until(lambda: cluster.group("billing").is_stable, polling=[first, second])

        A lambda holds when it returns something true; a function with asserts holds when they do. Before each attempt
        the consumers in ``polling`` are polled without taking records, so that they join, revoke and get partitions.
        A cluster with a ``clock`` lets up to ``timeout`` seconds of its time pass meanwhile, which takes milliseconds:
        heartbeats and retries are due now. It does not while clients of other libraries are connected, or members
        of groups in other processes: they use the system's clock.

        Raises AssertionError after ``timeout`` seconds of real time, with the condition and the results of its last
        attempt; the condition's exceptions, except AssertionError and temporary errors; TypeError if ``polling``
        contains anything except a Consumer; and MisuseError if the condition is a coroutine function, or in a thread
        with an event loop: ``await cluster.wait_until_async(...)`` there.
        """
        if asyncio._get_running_loop() is not None:  # noqa: SLF001  (that does not raise)
            raise MisuseError("wait_until() blocks this thread's event loop: await cluster.wait_until_async(...)")
        refuse_unpollable(polling)
        patience = Patience(timeout)
        while True:
            for consumer in polling:
                poll_without_taking(consumer)
            attempt = try_once(condition, self._observations)
            if attempt.holds:
                return attempt.result  # type: ignore[return-value]
            self._check(condition, attempt, patience)
            self._turn(patience)
            clocks.real_sleep(patience.next_pause_s())

    def wait_until_stable(self, *consumers: Consumer[object, object], timeout: float = 10.0) -> None:
        """Poll consumers until their groups are stable, and each consumer owns its assigned partitions.

            cluster.wait_until_stable(first, second)
            assert len(first.assignment()) == len(second.assignment()) == 1

        No records are taken, as with ``polling`` of ``wait_until``, whose errors this raises. Other members of the
        groups have to poll on their own. Raises TypeError without consumers.
        """
        if not consumers:
            raise TypeError("wait_until_stable() needs the consumers to poll")

        def all_are_stable() -> bool:
            return all(map(self._is_stable, consumers))

        self.wait_until(all_are_stable, timeout, polling=consumers)

    def _is_stable(self, consumer: Consumer[object, object]) -> bool:
        metadata = consumer.group_metadata()
        group = self.group(metadata.group_id)
        return group.is_stable and group.assignment.get(metadata.member_id) == consumer.assignment()

    async def wait_until_async(self, condition: Callable[[], T], timeout: float = 10.0) -> T:
        """Do the same in a coroutine: tasks of its event loop run between two attempts."""
        patience = Patience(timeout)
        while True:
            attempt = try_once(condition, self._observations)
            if attempt.holds:
                return attempt.result  # type: ignore[return-value]
            self._check(condition, attempt, patience)
            await asyncio.to_thread(self._turn, patience)
            await asyncio.sleep(patience.next_pause_s())

    def _turn(self, patience: Patience) -> None:
        """Let a step of the cluster's time pass, unless a connected client can't follow it, and would seem silent."""
        self._pass_time(patience.next_step_s(self._strangers()))

    def _check(self, condition: Callable[[], object], attempt: Attempt, patience: Patience) -> None:
        if patience.is_over:
            strangers = patience.strangers or self._strangers()
            raise AssertionError(explain(condition, attempt, patience.timeout_s, strangers)) from attempt.error


def _call(name: str, *arguments: object) -> str:
    return f"{name}({', '.join(repr(each) for each in arguments if each is not None)})"

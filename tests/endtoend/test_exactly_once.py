"""Consume, transform, produce: offsets in transactions of other clients' producers, and what is fenced (KIP-447)."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from kafka_nextgen import Consumer, ConsumerGroupMetadata, TopicPartition
from tests.endtoend.reading import config_of, poll_until, read
from tests.endtoend.transformer import PRODUCERS, RefusedError, Transactions
from tests.support.clients import create_topic, members_of, produce, stored_offsets, unique
from tests.support.example_programs import run_example
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]
RECORDS, PARTITIONS = 400, 4


@pytest.fixture(params=sorted(PRODUCERS))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def source(kafka: KafkaServer) -> str:
    topic = create_topic(kafka.bootstrap_servers, "orders", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, RECORDS, partitions=PARTITIONS)
    return topic


@pytest.fixture
def target(kafka: KafkaServer) -> str:
    return create_topic(kafka.bootstrap_servers, "invoices")


@pytest.fixture
def transactions(kafka: KafkaServer, kind: str) -> Transactions:
    return PRODUCERS[kind](kafka.bootstrap_servers, unique("billing"))


def move(transactions: Transactions, source: str, target: str, offset: int, member: ConsumerGroupMetadata) -> None:
    """Begin a transaction that writes something, and send an offset of partition 0 to it."""
    transactions.begin()
    transactions.write(target, b"moved")
    transactions.send_offsets({TopicPartition(source, 0): offset}, member)


def test_both_producers_take_the_metadata_and_commit_with_the_transaction_or_not_at_all(
    kafka: KafkaServer, protocol: str, transactions: Transactions, source: str, target: str
) -> None:
    group = unique("billing")
    with Consumer(**config_of(kafka, group, protocol, group_instance_id="billing-1")) as consumer:
        consumer.subscribe([source])
        read(consumer, RECORDS)
        move(transactions, source, target, 5, consumer.group_metadata())
        transactions.commit()
        move(transactions, source, target, 9, consumer.group_metadata())
        transactions.abort()
        assert stored_offsets(kafka.bootstrap_servers, group) == {0: 5}


def test_the_metadata_of_before_a_rebalance_is_refused(
    kafka: KafkaServer, protocol: str, transactions: Transactions, source: str, target: str
) -> None:
    group, config = unique("billing"), config_of(kafka, unique("billing"), protocol)
    with Consumer({**config, "group_id": group}) as first, Consumer({**config, "group_id": group}) as second:
        first.subscribe([source])
        read(first, RECORDS)
        stale = first.group_metadata()
        second.subscribe([source])
        poll_until([first, second], lambda: len(first.assignment()) == len(second.assignment()) == PARTITIONS // 2)
        gone = max(second.assignment())
        transactions.begin()
        transactions.write(target, b"twice")
        with pytest.raises(RefusedError):
            transactions.send_offsets({gone: 5}, stale)
        transactions.abort()
        assert stored_offsets(kafka.bootstrap_servers, group) == {}
        move(transactions, source, target, 5, first.group_metadata())  # it may go on
        transactions.commit()
        assert stored_offsets(kafka.bootstrap_servers, group) == {0: 5}  # without what was refused


def test_a_member_that_is_out_of_its_group_is_refused(
    kafka: KafkaServer, protocol: str, transactions: Transactions, source: str, target: str
) -> None:
    """Its epoch of -1 would be taken, as that of a consumer that is no member: it keeps its last epoch for this."""
    group = unique("billing")
    with ExitStack() as stack:
        consumer = stack.enter_context(Consumer(**config_of(kafka, group, protocol, max_poll_interval_ms=2_000)))
        consumer.subscribe([source])
        read(consumer, RECORDS)
        before = consumer.group_metadata()
        eventually("it is out", lambda: not members_of(kafka.bootstrap_servers, group))
        assert consumer.group_metadata() == before
        with pytest.raises(RefusedError):
            move(transactions, source, target, 5, consumer.group_metadata())
        transactions.abort()
        assert stored_offsets(kafka.bootstrap_servers, group) == {}


class Transformers:
    """Processes that share the work; leaving the block kills them."""

    def __init__(self, kafka: KafkaServer, source: str, target: str, protocol: str, kind: str) -> None:
        self.group = unique("billing")
        self._where = [kafka.bootstrap_servers, source, target, self.group, protocol, kind]
        self._running = ExitStack()

    def __enter__(self) -> Transformers:
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def start(self, name: str, *stalls: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.endtoend.transformer", *self._where, name, *stalls]
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._running.callback(process.communicate)
        self._running.callback(process.kill)
        return process


@pytest.fixture
def transformers(kafka: KafkaServer, source: str, target: str, protocol: str) -> Iterator[Transformers]:
    """Have each producer write for one of the protocols; the tests above show that they work with both."""
    kind = {"consumer": "confluent-kafka", "classic": "kafka-python"}[protocol]
    with Transformers(kafka, source, target, protocol, kind) as transformers:
        yield transformers


def test_each_record_is_transformed_once_although_a_transformer_is_killed_in_a_transaction(
    kafka: KafkaServer, transformers: Transformers, target: str
) -> None:
    name, other = unique("billing"), unique("billing")
    first = transformers.start(name, "after")
    wait_until_open(first)
    transformers.start(other)
    first.send_signal(signal.SIGKILL)
    first.wait()
    transformers.start(name)  # under its predecessor's name, so that what that left open is aborted
    assert_each_was_transformed_once(kafka, transformers.group, target)


def test_each_record_is_transformed_once_although_a_transformer_is_suspended_in_a_transaction(
    kafka: KafkaServer, transformers: Transformers, target: str
) -> None:
    """It is thrown out meanwhile and joins again, before it sends the offsets of what another has transformed."""
    first = transformers.start(unique("billing"), "before")
    wait_until_open(first)
    (zombie,) = members_of(kafka.bootstrap_servers, transformers.group)
    first.send_signal(signal.SIGSTOP)
    transformers.start(unique("billing"))
    eventually("it is out", lambda: zombie not in members_of(kafka.bootstrap_servers, transformers.group))
    wait_until_all_is_committed(kafka, transformers.group)
    first.send_signal(signal.SIGCONT)
    eventually("it is in again", lambda: len(members_of(kafka.bootstrap_servers, transformers.group)) == 2)
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write("go on\n")
    first.stdin.flush()
    assert first.stdout.readline().startswith("aborted")
    assert_each_was_transformed_once(kafka, transformers.group, target)


def wait_until_open(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    while (line := process.stdout.readline()) != "open\n":
        assert line, "it ended"


def assert_each_was_transformed_once(kafka: KafkaServer, group: str, target: str) -> None:
    wait_until_all_is_committed(kafka, group)
    values = read_target(kafka, target, RECORDS)
    assert set(Counter(values).values()) == {1}


def wait_until_all_is_committed(kafka: KafkaServer, group: str) -> None:
    everything = dict.fromkeys(range(PARTITIONS), RECORDS // PARTITIONS)
    eventually("all is committed", lambda: stored_offsets(kafka.bootstrap_servers, group) == everything)


def test_the_example_transforms_each_record_once(kafka: KafkaServer, source: str, target: str) -> None:
    options = ["--topic", source, "--to", target, "--group", unique("billing"), "--transactional-id", unique("billing")]
    lines = run_example("consume_transform_produce", kafka.bootstrap_servers, *options, "--max-messages", str(RECORDS))
    assert lines[-1] == f"{RECORDS} records transformed"
    assert set(Counter(read_target(kafka, target, RECORDS)).values()) == {1}


def read_target(kafka: KafkaServer, target: str, count: int) -> list[bytes]:
    """Read what was committed; fails if there is more."""
    config = config_of(kafka, unique("readers"), isolation_level="read_committed")
    with Consumer(**config) as consumer:
        consumer.assign([TopicPartition(target, 0)])
        values = [record.value for record in read(consumer, count)]
        assert not consumer.poll(0.5)
    return [value for value in values if isinstance(value, bytes)]

"""The classic protocol: alone, beside confluent-kafka, and on the way to the consumer protocol and back.

The churn is that of ``test_churn``, judged as there. In an upgrade the group has members of both protocols for a
while, and the coordinator, a real one or the embedded broker's, speaks to each in its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import confluent_kafka
import confluent_kafka.admin
import pytest

from kafka_nextgen import Consumer, GroupProtocol
from tests.endtoend.crew import Crew
from tests.endtoend.heard import Heard
from tests.endtoend.membership_churn import COUNT, PARTITIONS, churn, in_each, pour
from tests.endtoend.reading import PATIENCE_S, QUICK_PROPERTIES, config_of, numbers, poll_until, read
from tests.endtoend.verdict import History, complaints, longest_gaps, repeated
from tests.support.clients import create_topic, produce, stored_offsets, unique
from tests.support.kafka_server import KafkaServer
from tests.support.real_kafka import REAL_VERSIONS

CLASSIC = ("group.protocol=classic", *(f"{key}={value}" for key, value in QUICK_PROPERTIES.items()))
STRATEGIES = ["range", "roundrobin", "cooperative-sticky"]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close the consumers of a test at its end."""
    with ExitStack() as stack:
        yield stack


def join(
    stack: ExitStack, kafka: KafkaServer, group: str, topic: str, strategy: str = "range", **more: object
) -> tuple[Consumer, Heard]:
    """Join a group by the classic protocol; return the consumer and what it hears of rebalances."""
    quick = {key.replace(".", "_"): value for key, value in QUICK_PROPERTIES.items()}
    config = {"group_protocol": "classic", "partition_assignment_strategy": strategy, **quick, **more}
    consumer, heard = stack.enter_context(Consumer(**config_of(kafka, group, **config))), Heard()
    consumer.subscribe([topic], listener=heard)
    return consumer, heard


def share(*consumers: Consumer, partitions: int) -> None:
    """Poll until all partitions are assigned, and each consumer has some."""
    poll_until(
        consumers,
        lambda: (
            all(one.assignment() for one in consumers) and sum(len(one.assignment()) for one in consumers) == partitions
        ),
    )


# Alone.


def leave_one_by_one(crew: Crew) -> None:
    """Let the last two leave; the second when it has got over that the first did.

    There is no generation to commit in between a JoinGroup and the answer to the SyncGroup after it. Whoever closes
    then loses what it kept over the rebalance, as Kafka's own consumer does.
    """
    crew.leave("A")
    crew.wait_until("D has everything", lambda: len(crew.owned("D")) == PARTITIONS)
    crew.leave("D")


@pytest.mark.parametrize(
    ("kafka", "strategy"),
    [("embedded", "range"), pytest.param(REAL_VERSIONS[0], "cooperative-sticky", marks=pytest.mark.kafka)],
    indirect=["kafka"],
)
def test_every_record_is_read_and_only_a_killed_member_causes_repeats(
    kafka: KafkaServer, tmp_path: Path, figures: Callable[[str], None], strategy: str
) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "churn", PARTITIONS), unique("churn")
    config = (*CLASSIC, f"partition.assignment.strategy={strategy}")
    crew = Crew(kafka.bootstrap_servers, group, topic, PARTITIONS, tmp_path, config)
    with ThreadPoolExecutor(1) as pool, crew:
        poured = pool.submit(pour, kafka.bootstrap_servers, topic)
        histories = churn(crew, kafka.bootstrap_servers, leave_one_by_one)
        poured.result()

    found = complaints(histories, in_each(COUNT))
    assert not found, "\n".join(found[:20])
    assert stored_offsets(kafka.bootstrap_servers, group) == in_each(COUNT)
    kept, otherwise = longest_gaps(histories)
    assert kept.length_s > 0, "no partition was kept while another moved, so nothing was shown"
    figures(f"longest gap in reading a partition kept through a rebalance: {kept}; at other times: {otherwise}")
    figures(f"records repeated after the kill: {repeated(histories)}")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_static_member_that_restarts_disturbs_nobody(kafka: KafkaServer, stack: ExitStack, strategy: str) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "static", 4), unique("static")
    first, _ = join(stack, kafka, group, topic, strategy, group_instance_id="first")
    second, heard = join(stack, kafka, group, topic, strategy, group_instance_id="second")
    share(first, second, partitions=4)
    poll_until([first, second], lambda: len(first.assignment()) == len(heard.held()) == 2)
    before, generation, heard_before = first.assignment(), second.group_metadata().member_epoch, [*heard.events]
    first.close()

    again, again_heard = join(stack, kafka, group, topic, strategy, group_instance_id="first")
    share(again, second, partitions=4)
    produce(kafka.bootstrap_servers, topic, 40, partitions=4)
    records = poll_until([again, second], lambda: False if not again.assignment() else _read_all(again, second, 10))
    assert numbers(records) == list(range(40))
    assert again.assignment() == before
    assert again_heard.moves() == [("assigned", {tp.partition for tp in before})]
    assert heard.events == heard_before
    assert {one.group_metadata().member_epoch for one in (again, second)} == {generation}


def _read_all(first: Consumer, second: Consumer, offset: int) -> bool:
    return all(one.position(tp) == offset for one in (first, second) for tp in one.assignment())


def test_a_static_member_that_leaves_for_good_is_not_waited_for(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "static", 4), unique("static")
    first, _ = join(stack, kafka, group, topic, group_instance_id="first", session_timeout_ms=120_000)
    second, _ = join(stack, kafka, group, topic, group_instance_id="second", session_timeout_ms=120_000)
    share(first, second, partitions=4)
    first.close(leave="leave")
    share(second, partitions=4)


def test_a_rebalance_can_be_enforced(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "enforced", 4), unique("enforced")
    first, heard = join(stack, kafka, group, topic)
    share(first, partitions=4)
    first.enforce_rebalance("a test wants it")
    poll_until([first], lambda: len(heard.moves()) == 3)
    assert [what for what, _ in heard.moves()] == ["assigned", "revoked", "assigned"]


def test_the_leader_sees_that_a_topic_grows(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "grows", 2), unique("grows")
    first, _ = join(stack, kafka, group, topic, "cooperative-sticky", metadata_max_age_ms=500)
    share(first, partitions=2)
    grow(kafka, topic, 3)
    share(first, partitions=3)


def grow(kafka: KafkaServer, topic: str, partitions: int) -> None:
    admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
    for done in admin.create_partitions([confluent_kafka.admin.NewPartitions(topic, partitions)]).values():
        done.result()


def test_auto_takes_the_consumer_protocol_where_the_cluster_has_it(kafka: KafkaServer, stack: ExitStack) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "auto", 1), unique("auto")
    produce(kafka.bootstrap_servers, topic, 10)
    consumer = stack.enter_context(Consumer(**config_of(kafka, group, group_protocol="auto")))
    consumer.subscribe([topic])
    assert numbers(read(consumer, 10)) == list(range(10))
    assert consumer.group_protocol is GroupProtocol.CONSUMER
    with pytest.warns(UserWarning, match="does nothing"):
        consumer.enforce_rebalance()


# Beside confluent-kafka.


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_ours_and_confluent_kafkas_share_a_topic(kafka: KafkaServer, stack: ExitStack, strategy: str) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "interop", 4), unique("interop")
    theirs = confluent_kafka.Consumer(
        {
            "bootstrap.servers": kafka.bootstrap_servers,
            "group.id": group,
            "partition.assignment.strategy": strategy,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **QUICK_PROPERTIES,
        }
    )
    stack.callback(theirs.close)
    theirs.subscribe([topic])
    theirs_led = _read_both(theirs, None, lambda: len(theirs.assignment()) == 4)
    ours, _ = join(stack, kafka, group, topic, strategy)
    _read_both(theirs, ours, lambda: len(ours.assignment()) == len(theirs.assignment()) == 2)
    produce(kafka.bootstrap_servers, topic, 400, partitions=4)
    came: list[int] = list(theirs_led)
    came += _read_both(theirs, ours, lambda: len(came) >= 400, came)
    assert sorted(came) == list(range(400))
    ours.commit()
    theirs.commit(asynchronous=False)
    theirs.close()

    share(ours, partitions=4)
    other, _ = join(stack, kafka, group, topic, strategy)
    poll_until([ours, other], lambda: len(ours.assignment()) == len(other.assignment()) == 2)
    assert stored_offsets(kafka.bootstrap_servers, group) == dict.fromkeys(range(4), 100)


def _read_both(
    theirs: confluent_kafka.Consumer, ours: Consumer | None, is_so: Callable[[], bool], came: list[int] | None = None
) -> list[int]:
    """Poll both until ``is_so``; return the numbers that came, added to ``came`` as they come."""
    found = came if came is not None else []
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"still not so after {PATIENCE_S} s"
        found += [int(message.value()) for message in theirs.consume(500, timeout=0.1)]
        found += numbers(ours.poll(timeout=0.1)) if ours is not None else []
    return [] if came is not None else found


# On the way to the consumer protocol, and back.


def test_a_group_is_upgraded_and_downgraded_member_by_member_and_loses_nothing(
    kafka: KafkaServer, tmp_path: Path
) -> None:
    count = 200_000
    topic, group = create_topic(kafka.bootstrap_servers, "upgrade", PARTITIONS), unique("upgrade")
    half = PARTITIONS // 2
    crew = Crew(kafka.bootstrap_servers, group, topic, PARTITIONS, tmp_path)
    with ThreadPoolExecutor(1) as pool, crew:

        def replace(old: str, new: str, other: str, *config: str) -> None:
            crew.leave(old)
            crew.start(new, *config)
            crew.wait_until(f"{new} and {other} share", lambda: len(crew.owned(new)) == len(crew.owned(other)) == half)
            read_before = crew.records_read()
            crew.wait_until(f"{new} and {other} read", lambda: crew.records_read() > read_before + 0.02 * count)

        poured = pool.submit(pour, kafka.bootstrap_servers, topic, count)
        crew.start("A1", *CLASSIC)
        crew.start("B1", *CLASSIC)
        crew.wait_until("A1 and B1 share", lambda: len(crew.owned("A1")) == len(crew.owned("B1")) == half)
        crew.wait_until("A1 and B1 read", lambda: crew.records_read() > 0.05 * count)
        replace("A1", "A2", "B1")
        replace("B1", "B2", "A2")
        replace("A2", "A3", "B2", *CLASSIC)
        replace("B2", "B3", "A3", *CLASSIC)
        assert crew.records_read() < count, "the last member joined a group that had nothing left to read"
        poured.result()
        crew.wait_until("all records are read", lambda: crew.records_read() == count)
        crew.leave("A3", "B3")

    found = complaints([History(worker.name, worker.lines) for worker in crew.workers.values()], in_each(count))
    assert not found, "\n".join(found[:20])
    assert stored_offsets(kafka.bootstrap_servers, group) == in_each(count)

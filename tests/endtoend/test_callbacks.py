"""What rebalance callbacks may do, and what comes of it.

* A callback may take longer than the session: heartbeats go on, the member stays, and nobody gets its partitions
  before it has returned.
* What it raises reaches the caller of ``poll`` as it is. After ``on_partitions_assigned`` the assignment is not
  acknowledged, the partitions stay this member's, and none of their records is handed out: the next poll calls it
  again, until it returns. After ``on_partitions_revoked`` the partitions are given up all the same. After
  ``on_partitions_lost`` the member joins again all the same.
* The view that it is given can commit, seek and pause, and ends with the callback.
* It may not call what would wait for itself: ``unsubscribe`` and ``poll`` of the consumer raise MisuseError, and the
  member is no worse for it. ``close`` only says that the consumer is to be closed: ``poll`` does that when the callback
  has returned, and raises MisuseError.
* No record of a partition is handed out from the moment in which its revocation begins.
* What is lost is not committed, by nobody.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import groupby

import pytest
from attrs import define, field

from kafka_nextgen import CommitFailedError, Consumer, MisuseError, RebalanceConsumer, TopicPartition
from tests.endtoend.heard import Heard
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_topic, members_of, produce, stored_offsets, unique
from tests.support.kafka_server import SESSION_TIMEOUT_S, KafkaServer
from tests.support.waiting import eventually

PARTITIONS = 4


@pytest.fixture
def group() -> str:
    return unique("callbacks")


def numbered_topic(kafka: KafkaServer) -> str:
    """Return a topic with records 0 to 39."""
    topic = create_topic(kafka.bootstrap_servers, "callbacks", PARTITIONS)
    produce(kafka.bootstrap_servers, topic, 40, partitions=PARTITIONS)
    return topic


@pytest.fixture(scope="module")
def topic(kafka: KafkaServer) -> str:
    """Return a topic with records 0 to 39, for tests that write nothing to it."""
    return numbered_topic(kafka)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close the consumers of a test at its end."""
    with ExitStack() as stack:
        yield stack


def join(stack: ExitStack, kafka: KafkaServer, group: str, topic: str, heard: Heard, **more: object) -> Consumer:
    consumer = stack.enter_context(Consumer(**config_of(kafka, group, **more)))
    consumer.subscribe([topic], listener=heard)
    return consumer


def fail(_: RebalanceConsumer, partitions: object) -> None:
    raise ZeroDivisionError(f"with {partitions}")


def test_a_callback_longer_than_the_session_costs_nothing(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    order: list[str] = []

    def give_up_slowly(*_: object) -> None:
        time.sleep(SESSION_TIMEOUT_S + 1)
        order.append("given up")

    def start_slowly(_: object, partitions: object) -> None:
        order.append("taken" if partitions else "nothing yet")
        if not partitions:
            time.sleep(SESSION_TIMEOUT_S + 1)

    first_heard, second_heard = Heard({"revoked": give_up_slowly}), Heard({"assigned": start_slowly})
    first = join(stack, kafka, group, topic, first_heard)
    read(first, 40)
    (first_id,) = members_of(kafka.bootstrap_servers, group)
    second = join(stack, kafka, group, topic, second_heard)
    with ThreadPoolExecutor(1) as pool:
        gave_up = pool.submit(poll_until, [first], lambda: len(first.assignment()) == 2)
        poll_until([second], lambda: len(second.assignment()) == 2)
        gave_up.result()

    assert order == ["nothing yet", "given up", "taken"]
    half = {tp.partition for tp in second.assignment()}
    assert first_heard.moves() == [("assigned", {0, 1, 2, 3}), ("revoked", half)]
    assert second_heard.moves() == [("assigned", half)]
    members = members_of(kafka.bootstrap_servers, group)
    assert len(members) == 2
    assert members[first_id] == {0, 1, 2, 3} - half
    first_heard.actions = {}


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_after_a_failed_revocation_the_partitions_are_given_up_all_the_same(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack, protocol: str
) -> None:
    heard = Heard({"revoked": fail})
    first = join(stack, kafka, group, topic, heard, group_protocol=protocol)
    read(first, 40)
    second = join(stack, kafka, group, topic, Heard(), group_protocol=protocol)
    with pytest.raises(ZeroDivisionError, match=topic):
        poll_until([second, first], lambda: False)
    poll_until([first, second], lambda: len(first.assignment()) == len(second.assignment()) == 2)
    assert "lost" not in {what for what, _ in heard.moves()}
    assert first.health().problem is None
    heard.actions = {}


def test_a_failed_assignment_is_tried_again_by_each_poll_until_it_succeeds(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    heard = Heard({"assigned": fail})
    consumer = join(stack, kafka, group, topic, heard)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError, match=topic):
            poll_until([consumer], lambda: False)
    assert "poll() calls it again" in (consumer.health().problem or "")
    heard.actions = {}
    assert numbers(read(consumer, 40)) == list(range(40))
    assert heard.events == [("assigned", {0, 1, 2, 3})] * 4
    assert consumer.health().problem is None


def test_a_failed_assignment_is_given_up_like_any_other_on_closing(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    heard = Heard({"assigned": fail})
    consumer = join(stack, kafka, group, topic, heard)
    with pytest.raises(ZeroDivisionError, match=topic):
        poll_until([consumer], lambda: False)
    assert list(members_of(kafka.bootstrap_servers, group).values()) == [{0, 1, 2, 3}]
    consumer.close()
    assert heard.events == [("assigned", {0, 1, 2, 3}), ("revoked", {0, 1, 2, 3})]
    assert members_of(kafka.bootstrap_servers, group) == {}


def test_a_failed_assignment_can_be_taken_back_before_it_succeeds(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    heard = Heard({"assigned": fail})
    first = join(stack, kafka, group, topic, heard)
    with pytest.raises(ZeroDivisionError, match=topic):
        poll_until([first], lambda: False)
    heard.actions = {}
    second = join(stack, kafka, group, topic, Heard())
    eventually("the second is in", lambda: second.health().member_epoch > first.health().member_epoch)
    moment = time.monotonic()
    eventually("the first is told", lambda: time.monotonic() - (first.health().since_heartbeat_s or 0) > moment)
    records = poll_until([first, second], lambda: len(first.assignment()) == len(second.assignment()) == 2)
    gone = {tp.partition for tp in second.assignment()}
    assert heard.events == [("assigned", {0, 1, 2, 3}), ("revoked", gone), ("assigned", {0, 1, 2, 3} - gone)]
    poll_until([first, second], lambda: len(records) == 40, records)
    assert numbers(records) == list(range(40))


def test_after_a_failed_loss_the_member_returns(kafka: KafkaServer, topic: str, group: str, stack: ExitStack) -> None:
    heard = Heard({"lost": fail})
    consumer = join(stack, kafka, group, topic, heard, max_poll_interval_ms=1000)
    read(consumer, 40)
    eventually("it left", lambda: not members_of(kafka.bootstrap_servers, group))
    with pytest.raises(ZeroDivisionError, match=topic):
        consumer.poll(timeout=5)
    read(consumer, 40)
    assert [what for what, _ in heard.moves()] == ["assigned", "lost", "assigned"]


def test_a_callback_may_commit_seek_and_pause_by_its_view_while_it_runs(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    views: list[RebalanceConsumer] = []
    sought, paused = TopicPartition(topic, 0), TopicPartition(topic, 1)

    def arrange(view: RebalanceConsumer, _: object) -> None:
        views.append(view)
        view.commit({sought: 5})
        view.seek(sought, 7)
        view.pause([paused])

    heard = Heard({"assigned": arrange})
    consumer = join(stack, kafka, group, topic, heard)
    records = read(consumer, 3 + 10 + 10)
    assert sorted(record.offset for record in records if record.partition == 0) == [7, 8, 9]
    assert {record.partition for record in records} == {0, 2, 3}
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 5}
    assert consumer.paused() == {paused}
    for call in (lambda: views[0].commit(), lambda: views[0].seek(sought, 0), lambda: views[0].pause([sought])):
        with pytest.raises(MisuseError, match="ended with the rebalance callback"):
            call()

    heard.actions = {"revoked": lambda view, _: view.commit()}
    consumer.close()
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 10, 1: 0, 2: 10, 3: 10}


def test_a_callback_may_not_call_what_would_wait_for_it(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    refused: list[str] = []

    def misuse(*_: object) -> None:
        for call in (consumer.unsubscribe, consumer.poll):
            with pytest.raises(MisuseError, match="callback"):
                call()
            refused.append(call.__name__)

    heard = Heard({"assigned": misuse})
    consumer = join(stack, kafka, group, topic, heard)
    assert numbers(read(consumer, 40)) == list(range(40))
    assert refused == ["unsubscribe", "poll"]


def test_a_close_in_a_callback_is_done_when_the_callback_has_returned(
    kafka: KafkaServer, topic: str, group: str, stack: ExitStack
) -> None:
    def close(*_: object) -> None:
        consumer.close()
        heard.events.append(("still in its callback", set()))

    heard = Heard({"assigned": close})
    consumer = join(stack, kafka, group, topic, heard)
    with pytest.raises(MisuseError, match="closed"):
        poll_until([consumer], lambda: False)
    assert [what for what, _ in heard.events] == ["assigned", "still in its callback", "revoked"]
    assert members_of(kafka.bootstrap_servers, group) == {}
    with pytest.raises(MisuseError, match="closed"):
        consumer.poll()


@define
class Log:
    """What an application that iterates went through: ``(partition, offset)`` of a record, or what was revoked."""

    entries: list[tuple[int, int] | set[int]] = field(factory=list)
    stopped: bool = False

    def read(self, consumer: Consumer) -> None:
        for record in consumer:
            self.entries.append((record.partition, record.offset))
            time.sleep(0.0001)
            if self.stopped:
                return

    def revoke(self, view: RebalanceConsumer, partitions: list[TopicPartition]) -> None:
        self.entries.append({tp.partition for tp in partitions})
        time.sleep(0.1)  # a moment in which something might still be handed out
        view.commit()


def test_nothing_of_a_partition_is_handed_out_from_its_revocation_on(
    kafka: KafkaServer, group: str, stack: ExitStack
) -> None:
    topic = numbered_topic(kafka)
    produce(kafka.bootstrap_servers, topic, 40_000, partitions=PARTITIONS, first=40)
    log = Log()
    first = join(stack, kafka, group, topic, Heard({"revoked": log.revoke}))
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(log.read, first)
        try:
            eventually("the first reads", lambda: len(log.entries) > 1_000)
            second = join(stack, kafka, group, topic, Heard())
            records = poll_until([second], lambda: len(second.assignment()) == 2)
            poll_until([second], lambda: bool(records), records)
        finally:
            log.stopped = True
            produce(kafka.bootstrap_servers, topic, PARTITIONS, partitions=PARTITIONS)  # it looks with every record
        reading.result(timeout=10)

    (at,) = (index for index, entry in enumerate(log.entries) if isinstance(entry, set))
    given_up = log.entries[at]
    before, after = log.entries[:at], log.entries[at + 1 :]
    assert after, "it went on with what it kept"
    assert {partition for partition, _ in after} <= {0, 1, 2, 3} - given_up
    read_before = {
        partition: max((offset for which, offset in before if which == partition), default=-1) for partition in given_up
    }
    records.sort(key=lambda record: (record.partition, record.offset))
    for partition, group_of in groupby(records, key=lambda record: record.partition):
        assert next(group_of).offset == read_before[partition] + 1


def lose(kafka: KafkaServer, consumer: Consumer, group: str) -> None:
    """Read everything, and stop polling until the member has left."""
    read(consumer, 40)
    eventually("it left", lambda: not members_of(kafka.bootstrap_servers, group))


def test_what_is_lost_is_not_committed(kafka: KafkaServer, topic: str, group: str, stack: ExitStack) -> None:
    heard = Heard()
    auto = {"enable_auto_commit": True, "auto_commit_interval_ms": 60_000}
    consumer = join(stack, kafka, group, topic, heard, max_poll_interval_ms=1000, **auto)
    lose(kafka, consumer, group)
    assert numbers(read(consumer, 40)) == list(range(40)), "from the beginning"
    assert heard.moves() == [("assigned", {0, 1, 2, 3}), ("lost", {0, 1, 2, 3}), ("assigned", {0, 1, 2, 3})]
    assert stored_offsets(kafka.bootstrap_servers, group) == {}


def test_a_commit_of_what_was_lost_is_refused(kafka: KafkaServer, topic: str, group: str, stack: ExitStack) -> None:
    refused: list[str] = []

    def commit(by: Consumer | RebalanceConsumer) -> None:
        try:
            by.commit(timeout=5)
        except CommitFailedError as error:
            refused.append(str(error))

    heard = Heard({"lost": lambda view, _: commit(view)})
    consumer = join(stack, kafka, group, topic, heard, max_poll_interval_ms=1000)
    lose(kafka, consumer, group)
    commit(consumer)
    poll_until([consumer], lambda: len(heard.events) > 1)
    assert len(refused) == 2
    assert stored_offsets(kafka.bootstrap_servers, group) == {}

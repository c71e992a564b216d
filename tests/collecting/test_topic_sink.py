"""Events as records of a topic, on the embedded broker."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.collecting.topic_sink import TopicSink, TopicTarget
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import BrokerError, ConfigError
from kafka_nextgen.history.json_lines import decode_event
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire.records import NewRecord
from tests.collecting.reading import records_of
from tests.history.making import event
from tests.support.kafka_properties import refusing_address
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster() as running:
        yield running


def test_events_are_records_by_group_in_order(cluster: Cluster) -> None:
    cluster.create_topic("history", 3)
    sink = TopicSink(bootstrap_servers=cluster.bootstrap_servers, topic="history")
    written = [event(seq, group=group) for seq in range(700) for group in ("a", "b", "c")]
    for each in written:
        sink.write(each)
    sink.close(30)
    assert (sink.written, sink.dropped) == (2_100, 0)
    records = records_of(cluster, "history", 3, 2_100)
    for group in ("a", "b", "c"):
        of_group = [record for record in records if record.key == group.encode()]
        assert len({record.partition for record in of_group}) == 1
        found = [decode_event(record.value or b"") for record in of_group]
        assert found == [each for each in written if each.group == group]
    assert {json.loads(record.value or b"")["at"] for record in records} == {record.timestamp for record in records}


def test_a_cluster_that_stays_away_costs_what_waited_and_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka_nextgen.collecting.topic_sink.TIMEOUT_S", 0.05)
    with refusing_address() as address:
        sink = TopicSink(bootstrap_servers=address, topic="history")
        sink.write(event(1))
        eventually("it failed once", lambda: sink._is_failing)
        assert (sink.written, sink.dropped) == (0, 0)
        monkeypatch.setattr("kafka_nextgen.collecting.topic_sink.TIMEOUT_S", 3600.0)  # close() does not wait for it
        sink.close(0.2)
        eventually("it has given up", lambda: sink.dropped == 1)
    assert sink.written == 0


def test_a_topic_that_comes_later_gets_what_waited(cluster: Cluster) -> None:
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "allow.auto.create.topics": False}
    sink = TopicSink(settings, topic="late")
    sink.write(event(1))
    cluster.create_topic("late", 1)
    sink.close(60)
    assert sink.written == 1
    assert [decode_event(record.value or b"") for record in records_of(cluster, "late", 1, 1)] == [event(1)]


def test_events_written_while_brokers_go_and_come_all_arrive_at_least_once() -> None:
    with Cluster(brokers=2, config={"default.replication.factor": 2}) as cluster:
        cluster.create_topic("history", 1)
        sink = TopicSink(bootstrap_servers=cluster.bootstrap_servers, topic="history")
        for seq in range(3_000):
            if seq % 1_000 == 500:
                leader = cluster.leader_of("history", 0)
                assert leader is not None
                cluster.stop_node(leader)
                sink.write(event(seq))
                cluster.start_node(leader)
            else:
                sink.write(event(seq))
        sink.close(60)
        assert (sink.written, sink.dropped) == (3_000, 0)
        found = {decode_event(record.value or b"") for record in records_of(cluster, "history", 1, 3_000)}
    assert found == {event(seq) for seq in range(3_000)}


class PickyTarget(TopicTarget):
    """A topic that takes ``most`` records at once, and none of group ``large``."""

    most = 3

    def __init__(self) -> None:
        super().__init__(ConsumerConfig.parse(bootstrap_servers="localhost:1"), "picky")
        self.kept: list[bytes] = []

    async def _send(self, records: list[NewRecord]) -> None:
        if len(records) > self.most:
            raise BrokerError("too much", code=ErrorCode.RECORD_LIST_TOO_LARGE)
        if any(record.key == b"large" for record in records):
            raise BrokerError("too large", code=ErrorCode.MESSAGE_TOO_LARGE)
        self.kept += [record.key or b"" for record in records]


def test_a_batch_that_is_too_large_is_halved_and_what_can_t_be_written_is_refused() -> None:
    target = PickyTarget()
    groups = ["a", "b", "c", "large", "d", "e", "f", "g"]
    waiting = [event(seq, group=group) for seq, group in enumerate(groups)]
    waiting.insert(2, event(99, reason=object()))  # it is no line of JSON
    refused = 0
    while waiting:
        delivered = target.deliver(waiting)
        assert delivered.error is None
        refused += delivered.rejected
        waiting = waiting[delivered.written + delivered.rejected :]
    target.close()
    assert (target.kept, refused) == ([b"a", b"b", b"c", b"d", b"e", b"f", b"g"], 2)


def test_a_wrong_configuration_is_told_at_once() -> None:
    with pytest.raises(ConfigError):
        TopicSink(bootstrap_servers="localhost:1", topic="t", no_such_key=1)

"""What the driver asks Kafka, and what a batch query is planned from."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from kafka_nextgen import Consumer, OffsetAndMetadata, UnknownTopicError
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark import batch_planner
from kafka_nextgen.spark.batch_planner import plan_batch_query
from kafka_nextgen.spark.cluster import Cluster, PlannerClient
from kafka_nextgen.spark.errors import CommittedOffsetError, DataLossError, TimestampNotFoundError
from kafka_nextgen.spark.options import SourceOptions, parse_source_options
from kafka_nextgen.spark.values import PartitionOffsets
from kafka_nextgen.testing import Cluster as EmbeddedCluster
from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp
from kafka_nextgen.types import TopicDescription, TopicPartition
from tests.support.clients import create_topic, delete_topic, produce
from tests.support.waiting import GUARD_S

A0, A1, B0 = TopicPartition("a.1", 0), TopicPartition("a.1", 1), TopicPartition("b", 0)


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with EmbeddedCluster() as cluster:
        cluster.create_topic("a.1", partitions=2)
        cluster.create_topic("b")
        produce(cluster.bootstrap_servers, "b", 10)
        with Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="g") as consumer:
            consumer.commit({B0: OffsetAndMetadata(4)})
        yield cluster.bootstrap_servers


def options(servers: str, *, is_streaming: bool = False, **given: str) -> SourceOptions:
    hurry = {"fetchOffset.numRetries": "1", "fetchOffset.retryIntervalMs": "10"}
    named = {"kafka.bootstrap.servers": servers, **hurry, **given}
    return parse_source_options(named, is_streaming=is_streaming)


@pytest.mark.parametrize(
    ("strategy", "partitions"),
    [
        ({"subscribe": "b,a.1"}, [A0, A1, B0]),
        ({"subscribePattern": r"\.1"}, [A0, A1]),
        ({"subscribePattern": "b", "patternSyntax": "re2"}, [B0]),
        ({"subscribePattern": "nothing"}, []),
        ({"subscribePattern": ".*"}, [A0, A1, B0]),  # not the internal topic that groups commit to
        ({"assign": '{"a.1":[1]}'}, [A1]),
    ],
)
def test_partitions_are_those_that_the_options_name(
    servers: str, strategy: dict[str, str], partitions: list[TopicPartition]
) -> None:
    cluster = Cluster(options(servers, **strategy))
    found = cluster.partitions()
    cluster.close()
    assert list(found) == partitions
    assert None not in found.values(), "topics have ids"


@pytest.mark.parametrize(("strategy", "missing"), [({"subscribe": "b,c"}, "c"), ({"assign": '{"b":[0,7]}'}, r"b\[7\]")])
def test_what_is_named_and_not_there_is_an_error(servers: str, strategy: dict[str, str], missing: str) -> None:
    cluster = Cluster(options(servers, **strategy))
    with pytest.raises(UnknownTopicError, match=f"the query reads {missing}, which Kafka does not have"):
        cluster.partitions()
    cluster.close()


def answering(servers: str, **answers: object) -> Cluster:
    """A cluster of three tries that is given these answers, one after the other."""
    cluster = Cluster(options(servers, subscribePattern="a.*", **{"fetchOffset.numRetries": "2"}))
    cluster.__dict__["_client"] = Mock(**{f"{call}.side_effect": answer for call, answer in answers.items()})
    return cluster


def at(offset: int) -> dict[TopicPartition, OffsetAndTimestamp]:
    return {A0: OffsetAndTimestamp(offset)}


def test_a_partition_that_was_read_and_is_not_there_is_looked_for_again(servers: str) -> None:
    both = {"a.1": TopicDescription("a.1", None, (0, 1))}
    assert list(answering(servers, describe_topics=[{}, both]).partitions({A0})) == [A0, A1]
    assert answering(servers, describe_topics=[{}, {}, {}]).partitions({A0}) == {}, "it was deleted"


def test_an_end_that_went_backwards_is_asked_for_again(servers: str) -> None:
    brief = answering(servers, list_offsets=[at(0), at(3), at(5)])
    assert brief.offsets({A0: None}, {A0: 5}).latest == {A0: 5}
    assert answering(servers, list_offsets=[at(3)] * 3).latest([A0], {A0: 5}) == {A0: 3}, "the log is shorter"
    late = answering(servers, list_offsets=[at(3), at(3), at(5)])
    assert late.latest([A0], {A0: 5}) == {A0: 5}, "two retries are a third try"


def test_only_what_a_pattern_found_is_asked_for_again_if_it_is_unknown() -> None:
    for strategy, tries in ({"subscribe": "b"}, 1), ({"subscribePattern": "b"}, 2):
        ask = Mock(side_effect=UnknownTopicError("gone", code=3))
        with pytest.raises(UnknownTopicError):
            Cluster(options("nowhere.invalid:9092", **strategy)).retry_unknown_topics(ask)
        assert ask.call_count == tries


def test_nothing_is_connected_before_the_first_question() -> None:
    Cluster(options("nowhere.invalid:9092", subscribe="b")).close()


def planned(servers: str, **given: str) -> list[str]:
    return [str(each) for task in plan_batch_query(options(servers, **given)) for each in task]


def test_a_batch_reads_all_there_is(servers: str) -> None:
    assert planned(servers, subscribe="a.1,b") == ["b[0] 0..10"]


def test_a_batch_starts_at_what_a_group_committed(servers: str) -> None:
    assert planned(servers, subscribe="b", startingOffsets="group", groupId="g") == ["b[0] 4..10"]
    with pytest.raises(CommittedOffsetError, match=r"no committed offset for b\[0\]"):
        planned(servers, subscribe="b", startingOffsets="group", groupId="another")


def test_a_batch_starts_and_ends_by_time(servers: str) -> None:
    assert planned(servers, subscribe="b", startingTimestamp="0") == ["b[0] 0..10"]
    assert planned(servers, subscribe="b", endingTimestamp="0") == []
    future = str(2**60)
    assert planned(servers, subscribe="b", endingTimestamp=future) == ["b[0] 0..10"]
    with pytest.raises(TimestampNotFoundError, match=rf"b\[0\] \(timestamp {future}\)"):
        planned(servers, subscribe="b", startingTimestamp=future)


def test_a_batch_that_cannot_be_planned_leaves_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Mock(retry_unknown_topics=Mock(side_effect=UnknownTopicError("gone", code=3)))
    monkeypatch.setattr(batch_planner, "Cluster", lambda _: cluster)
    with pytest.raises(UnknownTopicError):
        planned("localhost:9092", subscribe="b")
    cluster.close.assert_called_once_with()


def test_a_cluster_that_is_closed_is_connected_anew_by_the_next_question(servers: str) -> None:
    cluster = Cluster(options(servers, subscribe="b"))
    for _ in range(2):
        assert list(cluster.partitions()) == [B0]
        cluster.close()


def test_a_batch_beyond_the_end_of_the_log_is_a_loss(servers: str) -> None:
    ends = '{"b":{"0":12}}'
    with pytest.raises(DataLossError, match=r"b\[0\] ends at offset 10, before the planned end 12"):
        planned(servers, subscribe="b", endingOffsets=ends)
    assert planned(servers, subscribe="b", endingOffsets=ends, failOnDataLoss="false") == ["b[0] 0..10"]


def test_a_start_by_time_may_be_a_record_that_came_meanwhile(servers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    topic = create_topic(servers, "growing")

    def find(cluster: Cluster, timestamps: Collection[TopicPartition]) -> dict[TopicPartition, int | None]:
        produce(servers, topic, 1)
        return {tp: end - 1 for tp, end in cluster.latest(timestamps).items()}

    monkeypatch.setattr(Cluster, "offsets_for_times", find)
    assert planned(servers, subscribe=topic, startingTimestamp="5") == [f"{topic}[0] 0..1"]


def deleting(monkeypatch: pytest.MonkeyPatch, servers: str, topic: str) -> None:
    """Have ``topic`` deleted after the planner has asked for partitions, before it asks where they end."""
    ask = Cluster.latest

    def latest(self: Cluster, partitions: Collection[TopicPartition], known: Any = None) -> PartitionOffsets:
        monkeypatch.undo()
        delete_topic(servers, topic)
        return ask(self, partitions, known)

    monkeypatch.setattr(Cluster, "latest", latest)


def test_a_topic_of_a_pattern_that_is_deleted_between_two_questions_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with EmbeddedCluster() as cluster:
        for topic in ("one", "other"):
            cluster.create_topic(topic)
            produce(cluster.bootstrap_servers, topic, 1)
        deleting(monkeypatch, cluster.bootstrap_servers, "other")
        assert planned(cluster.bootstrap_servers, subscribePattern="o.*") == ["one[0] 0..1"]
        deleting(monkeypatch, cluster.bootstrap_servers, "one")
        with pytest.raises(UnknownTopicError):
            planned(cluster.bootstrap_servers, subscribe="one")


def threads(client_id: str) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if f"planner {client_id}" in thread.name]


def config(client_id: str, servers: str, **more: object) -> ConsumerConfig:
    return ConsumerConfig.parse(client_id=client_id, bootstrap_servers=servers, **more)


def test_one_that_can_not_be_made_leaves_no_thread_behind(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    with pytest.raises(ConfigError, match="has no PEM certificates"):
        PlannerClient(config("unmade", "localhost:9092", security_protocol="SSL", ssl_ca_location=f"{tmp_path}/ca.pem"))
    assert threads("unmade") == []


def test_one_that_is_dropped_ends_its_thread() -> None:
    with EmbeddedCluster() as cluster:
        cluster.create_topic("t")
        client = PlannerClient(config("dropped", cluster.bootstrap_servers))
        assert list(client.describe_topics(["t"])) == ["t"]
        (thread,) = threads("dropped")
        del client
        thread.join(GUARD_S)
        assert not thread.is_alive()

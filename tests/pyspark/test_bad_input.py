"""What can't be read: queries fail where the built-in source's do, each with one error that says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pyspark.failures import failure_of
from tests.pyspark.sources import BUILT_IN, FORMATS, OURS, Format, Sources, assert_same_rows
from tests.pyspark.topics import write
from tests.support.clients import create_named_topic, create_topic, delete_records, delete_topic
from tests.support.kafka_properties import refusing_address
from tests.support.kafka_server import KafkaServer

#: Java's client asks again for as long as this.
IMPATIENT = {"kafka.default.api.timeout.ms": 3_000, "kafka.request.timeout.ms": 1_500}


@pytest.fixture
def topic(newest_kafka: KafkaServer) -> str:
    """A topic of ten records."""
    topic = create_topic(newest_kafka.bootstrap_servers, "bad")
    write(newest_kafka.bootstrap_servers, topic, [b"%d" % number for number in range(10)])
    return topic


class Streams:
    """The same streaming query by either source, each with a checkpoint and an output of its own."""

    def __init__(self, sources: Sources, home: Path) -> None:
        self._sources = sources
        self._home = home

    def run(self, format: Format, topic: str, **options: Any) -> None:
        options = {"startingOffsets": "earliest", "subscribe": topic, **IMPATIENT, **options}
        self._sources.run(format, self._home / f"{format}-checkpoint", self._home / format, **options)

    def run_both(self, topic: str, **options: Any) -> None:
        for format in FORMATS:
            self.run(format, topic, **options)

    def failures(self, topic: str, **options: Any) -> tuple[str, str]:
        """How the built-in source's query fails, and how ours does."""
        built_in, ours = (failure_of(lambda f=format: self.run(f, topic, **options)) for format in FORMATS)
        return built_in, ours

    def assert_same_rows(self, count: int) -> None:
        assert_same_rows(*(self._sources.written(self._home / format) for format in FORMATS), count)


@pytest.fixture
def streams(sources: Sources, tmp_path: Path) -> Streams:
    return Streams(sources, tmp_path)


def test_records_that_are_gone_end_a_stream(sources: Sources, streams: Streams, topic: str) -> None:
    servers = sources.bootstrap_servers
    streams.run_both(topic)
    write(servers, topic, [b"gone"] * 5 + [b"there"] * 5)
    delete_records(servers, topic, 15)
    _, ours = streams.failures(topic)
    assert "DataLossError" in ours
    assert f"{topic}[0] was to be read from offset 10 and now begins at 15" in ours
    assert "failOnDataLoss" in ours


def test_records_that_are_gone_are_skipped_if_that_is_allowed(sources: Sources, streams: Streams, topic: str) -> None:
    servers = sources.bootstrap_servers
    streams.run_both(topic, failOnDataLoss=False)
    write(servers, topic, [b"gone"] * 5 + [b"there"] * 5)
    delete_records(servers, topic, 15)
    streams.run_both(topic, failOnDataLoss=False)
    streams.assert_same_rows(15)


def test_a_topic_that_became_shorter_ends_a_stream(sources: Sources, streams: Streams, topic: str) -> None:
    servers = sources.bootstrap_servers
    streams.run_both(topic)
    delete_topic(servers, topic)
    create_named_topic(servers, topic)
    write(servers, topic, [b"of another log"] * 3)
    _, ours = streams.failures(topic)
    assert "DataLossError" in ours
    assert f"{topic}[0] was read up to offset 10 and now ends at 3" in ours


def test_a_topic_that_was_deleted_ends_a_stream(sources: Sources, streams: Streams, topic: str) -> None:
    streams.run_both(topic)
    delete_topic(sources.bootstrap_servers, topic)
    _, ours = streams.failures(topic, **{"fetchOffset.numRetries": 1, "fetchOffset.retryIntervalMs": 10})
    assert "UnknownTopicError" in ours
    assert topic in ours


def test_a_checkpoint_of_another_topic_ends_a_stream(sources: Sources, streams: Streams, topic: str) -> None:
    streams.run_both(topic)
    other = create_topic(sources.bootstrap_servers, "other")
    write(sources.bootstrap_servers, other, [b"x"])
    _, ours = streams.failures(other)
    assert "DataLossError" in ours
    assert f"{topic}[0] no longer exists" in ours


def start_at(topic: str, offset: int) -> dict[str, str]:
    return {"startingOffsets": json.dumps({topic: {"0": offset}})}


#: Options of a batch query of a topic, and what our error says. The built-in source refuses the first few, too.
REFUSED_BY_BOTH: dict[str, tuple[Callable[[str], dict[str, Any]], str]] = {
    "start beyond the end of the log": (lambda topic: start_at(topic, 11), "StartBeyondEndError"),
    "start after the end": (
        lambda topic: {**start_at(topic, 5), "endingOffsets": json.dumps({topic: {"0": 4}})},
        "StartBeyondEndError",
    ),
    "no partition of that number": (lambda topic: {"startingOffsets": json.dumps({topic: {"7": 0}})}, "[7]"),
    "no offset of that timestamp": (lambda topic: {"startingTimestamp": 2**42}, "TimestampNotFoundError"),
    "no JSON": (lambda topic: {"startingOffsets": "first"}, "startingOffsets"),
    "latest as a start": (lambda topic: {"startingOffsets": "latest"}, "startingOffsets"),
    "a negative limit": (lambda topic: {"minPartitions": -1}, "minPartitions"),
    "a group": (lambda topic: {"kafka.enable.auto.commit": "true"}, "kafka.enable.auto.commit"),
    "no topic": (lambda topic: {"subscribe": f"{topic}-no"}, "UnknownTopicError"),
    "two ways to say what to read": (lambda topic: {"subscribePattern": topic}, "subscribePattern"),
}


@pytest.mark.parametrize("name", REFUSED_BY_BOTH)
def test_both_refuse(sources: Sources, topic: str, name: str) -> None:
    options, expected = REFUSED_BY_BOTH[name]
    quick = {"fetchOffset.numRetries": 1, "fetchOffset.retryIntervalMs": 10, **IMPATIENT}
    for format in FORMATS:
        query = {"subscribe": topic, **quick, **options(topic)}
        failure = failure_of(lambda f=format, query=query: sources.batch(f, **query).count())
    assert expected in failure


def test_a_mistake_in_an_option_or_a_schema_is_told_without_secrets(sources: Sources, topic: str) -> None:
    """``tests/spark`` has the others."""
    mistake = {"kafka.sasl.jaas.confg": "password"}
    failure = failure_of(lambda: sources.batch(OURS, subscribe=topic, **mistake).count())
    assert "ConfigError" in failure
    assert "sasl.jaas.config" in failure
    assert "password" not in failure
    assert "value" in failure_of(lambda: sources.batch(OURS, "value STRING", subscribe=topic).count())


def test_a_broker_that_is_not_there_ends_a_query(sources: Sources, tmp_path: Path) -> None:
    with refusing_address() as nobody:
        nowhere = Sources(sources.spark, nobody)
        options = {"subscribe": "orders", **IMPATIENT}
        assert nobody in failure_of(lambda: nowhere.batch(OURS, **options).count())
        failure = failure_of(lambda: nowhere.run(OURS, tmp_path / "checkpoint", tmp_path / "rows", **options))
        assert nobody in failure
        failure_of(lambda: nowhere.batch(BUILT_IN, **options).count())

"""Lines in by ``produce``, lines out by ``consume``, on the embedded broker."""

from __future__ import annotations

import json
import signal

import pytest

from kafka_nextgen.testing import Cluster
from tests.cli.running import kafka_nextgen, running


def produce(cluster: Cluster, topic: str, lines: str | bytes, *options: str) -> None:
    done = kafka_nextgen("produce", topic, "-b", cluster.bootstrap_servers, *options, stdin=lines)
    assert done.returncode == 0, done.stderr


def consume(cluster: Cluster, topic: str, group: str, *options: str) -> list[str]:
    fixed = ["-b", cluster.bootstrap_servers, "-g", group, "--from-beginning", "--timeout", "20"]
    done = kafka_nextgen("consume", topic, *fixed, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("compression", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_lines_come_back_whatever_they_were_compressed_with(cluster: Cluster, compression: str) -> None:
    topic = f"round-{compression}"
    produce(cluster, topic, "one\ntwo\nthree\n", "--compression", compression)
    assert sorted(consume(cluster, topic, topic, "--max-messages", "3")) == ["one", "three", "two"]


def test_the_next_consumer_of_the_group_goes_on_where_the_first_stopped(cluster: Cluster) -> None:
    produce(cluster, "continued", "1\n2\n3\n4\n5\n", "--acks", "1")
    first = consume(cluster, "continued", "readers", "--max-messages", "2")
    second = consume(cluster, "continued", "readers", "--max-messages", "3")
    assert first + second == ["1", "2", "3", "4", "5"]


def test_json_says_where_a_record_is_and_splits_key_from_value(cluster: Cluster) -> None:
    produce(cluster, "keyed", "color:red:ish\n", "--key-separator", ":")
    (line,) = consume(cluster, "keyed", "keyed", "--max-messages", "1", "--format", "json")
    record = json.loads(line)
    assert record.pop("timestamp") > 0
    assert record.pop("partition") in range(3)
    assert record == {"topic": "keyed", "offset": 0, "key": "color", "value": "red:ish", "headers": []}


def test_json_has_base64_for_what_is_not_text(cluster: Cluster) -> None:
    produce(cluster, "binary", b"\xff\xfe\n")
    (line,) = consume(cluster, "binary", "binary", "--max-messages", "1", "--format", "json")
    assert json.loads(line)["value_base64"] == "//4="
    assert json.loads(line)["key"] is None


def test_a_line_without_the_separator_is_named(cluster: Cluster) -> None:
    done = kafka_nextgen(
        "produce", "nokey", "-b", cluster.bootstrap_servers, "--key-separator", ":", stdin="a:1\noops\n"
    )
    assert done.returncode == 1
    assert "line 2 has no ':'" in done.stderr


def test_consume_ends_when_nothing_came_for_the_timeout(cluster: Cluster) -> None:
    done = kafka_nextgen("consume", "empty", "-b", cluster.bootstrap_servers, "-g", "empty", "--timeout", "0.5")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_consume_cleanly_with_what_was_printed_committed(
    cluster: Cluster, number: signal.Signals
) -> None:
    topic = f"stopped-{number.name.lower()}"
    produce(cluster, topic, "a\nb\n")
    arguments = ["consume", topic, "-b", cluster.bootstrap_servers, "-g", topic, "--from-beginning"]
    with running(*arguments, number=number) as consumer:
        printed = [consumer.line(), consumer.line()]
    produce(cluster, topic, "c\n")
    assert printed == ["a", "b"]
    assert consume(cluster, topic, topic, "--max-messages", "1") == ["c"]

"""``kafka-nextgen topics``, on the embedded broker and on the real one."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner, Result

from kafka_nextgen.cli.main import cli
from tests.support.clients import admin_client, create_topic, delete_records, produce, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S, eventually


def topics(kafka: KafkaServer, *arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["topics", *arguments, "-b", kafka.bootstrap_servers], input=stdin)


def listed(kafka: KafkaServer) -> set[str]:
    return set(admin_client(kafka.bootstrap_servers).list_topics(timeout=GUARD_S).topics)


def await_listed(kafka: KafkaServer, topic: str) -> None:
    eventually(f"{topic} is listed", lambda: topic in listed(kafka))


def test_a_topic_is_created_as_it_was_asked_for(kafka: KafkaServer) -> None:
    topic = unique("created")
    done = topics(kafka, "create", topic, "--partitions", "3", "--set", "retention.ms=3600000")
    assert (done.stdout, done.stderr) == (f"Created {topic} with 3 partitions and 1 replica.\n", "")
    await_listed(kafka, topic)
    done = topics(kafka, "describe", topic)
    lines = done.stdout.splitlines()
    assert lines[0] == f"{topic}: 3 partitions, 1 replica"
    assert re.fullmatch(r"id [\w-]{22}", lines[1])
    assert lines[2] == "retention.ms=3600000"
    assert [line.split() for line in lines[3:]] == [
        ["PARTITION", "LEADER", "REPLICAS", "IN", "SYNC", "START", "END"],
        *([str(number), "1", "1", "1", "0", "0"] for number in range(3)),
    ]


def test_a_topic_has_the_brokers_defaults_without_a_size(kafka: KafkaServer) -> None:
    topic = unique("created")
    assert topics(kafka, "create", topic).stdout.startswith(f"Created {topic} with 1 partition and 1 replica")


def test_a_dry_run_creates_nothing(kafka: KafkaServer) -> None:
    topic = unique("dry")
    done = topics(kafka, "create", topic, "--partitions", "2", "--dry-run")
    assert done.stdout == f"Would create {topic} with 2 partitions and 1 replica.\n"
    refused = topics(kafka, "create", topic, "--set", "retention.ms=long", "--dry-run")
    assert (refused.exit_code, "INVALID_CONFIG" in refused.stderr) == (1, True)
    assert topic not in listed(kafka)


def test_a_topic_that_exists_is_an_error_unless_it_may(kafka: KafkaServer) -> None:
    topic, new = create_topic(kafka.bootstrap_servers, "exists"), unique("new")
    done = topics(kafka, "create", topic, new)
    assert (done.exit_code, f"Created {new}" in done.stdout) == (1, True)
    assert f"Error: topic {topic}: TOPIC_ALREADY_EXISTS" in done.stderr
    done = topics(kafka, "create", topic, "--if-not-exists")
    assert (done.exit_code, done.stdout) == (0, f"{topic} exists already.\n")


def test_topics_are_listed_without_those_of_kafka(kafka: KafkaServer) -> None:
    topic = create_topic(kafka.bootstrap_servers, "listed", 2)
    rows = [line.split() for line in topics(kafka, "list").stdout.splitlines()]
    assert rows[0] == ["TOPIC", "PARTITIONS", "REPLICAS"]
    assert [topic, "2", "1"] in rows
    assert not [row for row in rows if row[0].startswith("__")]


def test_lists_and_descriptions_are_json_of_values(kafka: KafkaServer) -> None:
    topic = create_topic(
        kafka.bootstrap_servers, "json", 1, {"retention.ms": "3600000", "cleanup.policy": "compact,delete"}
    )
    produce(kafka.bootstrap_servers, topic, 5)
    delete_records(kafka.bootstrap_servers, topic, 2)
    (found,) = [each for each in json.loads(topics(kafka, "list", "--json").stdout) if each["topic"] == topic]
    assert (found["partition_count"], found["replication_factor"], found["is_internal"]) == (1, 1, False)
    (described,) = json.loads(topics(kafka, "describe", topic, "--json").stdout)
    assert described["id"] == found["id"]
    assert described["config"]["retention.ms"] == 3_600_000
    assert described["config"]["cleanup.policy"] == ["compact", "delete"]
    assert described["partitions"] == [
        {
            "partition": 0,
            "leader": 1,
            "replicas": [1],
            "in_sync": [1],
            "start_offset": 2,
            "end_offset": 5,
            "error": None,
        }
    ]
    (described,) = json.loads(topics(kafka, "describe", topic, "--all", "--json").stdout)
    assert described["config"]["unclean.leader.election.enable"] is False


def test_what_is_not_there_is_an_error_beside_what_is(kafka: KafkaServer) -> None:
    topic, nothing = create_topic(kafka.bootstrap_servers, "described"), unique("nothing")
    done = topics(kafka, "describe", nothing, topic)
    assert (done.exit_code, done.stdout.startswith(f"{topic}: 1 partition, 1 replica\n")) == (1, True)
    assert f"Error: topic {nothing}: UNKNOWN_TOPIC_OR_PARTITION; list the topics" in done.stderr


# ---- deleting


@pytest.fixture
def doomed(kafka: KafkaServer) -> str:
    topic = create_topic(kafka.bootstrap_servers, "doomed", 2)
    produce(kafka.bootstrap_servers, topic, 7, partitions=2)
    return topic


def test_a_topic_is_deleted_after_a_yes(kafka: KafkaServer, doomed: str) -> None:
    done = topics(kafka, "delete", doomed, stdin="y\n")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["TOPIC", "PARTITIONS", "RECORDS", "AT", "MOST"]
    assert lines[1].split() == [doomed, "2", "7"]
    assert lines[2].startswith("Delete this topic and its records? [y/N]")
    assert (lines[-1], done.exit_code) == (f"Deleted {doomed}.", 0)
    eventually("it is gone", lambda: doomed not in listed(kafka))


@pytest.mark.parametrize("stdin", ["n\n", "\n", "", "perhaps\n"])
def test_nothing_is_deleted_without_a_yes(kafka: KafkaServer, doomed: str, stdin: str) -> None:
    done = topics(kafka, "delete", doomed, stdin=stdin)
    assert (done.exit_code, "nothing was deleted (--yes deletes without a question)" in done.stderr) == (1, True)
    assert doomed in listed(kafka)


def test_yes_deletes_without_asking(kafka: KafkaServer, doomed: str) -> None:
    done = topics(kafka, "delete", doomed, "--yes", "--json")
    assert json.loads(done.stdout) == [{"topic": doomed, "deleted": True, "error": None}]
    eventually("it is gone", lambda: doomed not in listed(kafka))
    done = topics(kafka, "delete", doomed, "--yes", "--if-exists")
    assert (done.exit_code, done.stdout) == (0, f"{doomed} does not exist.\n")


def test_nothing_is_deleted_if_one_name_is_wrong(kafka: KafkaServer, doomed: str) -> None:
    done = topics(kafka, "delete", doomed, unique("nothing"), "--yes")
    assert (done.exit_code, "UNKNOWN_TOPIC_OR_PARTITION" in done.stderr, done.stdout) == (1, True, "")
    assert doomed in listed(kafka)


def test_what_is_internal_to_kafka_is_never_deleted(kafka: KafkaServer, scene: object) -> None:
    done = topics(kafka, "delete", "__consumer_offsets", "--yes")
    assert (done.exit_code, "__consumer_offsets is internal to Kafka" in done.stderr) == (1, True)
    assert "__consumer_offsets" in topics(kafka, "list", "--internal").stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["delete", "t", "--json"], "--json can't ask for confirmation: add --yes"),
        (["create", "t", "--partitions", "0"], "0"),
        (["create", "t", "--set", "a"], "--set takes NAME=VALUE"),
        (["create"], "Missing argument"),
    ],
)
def test_what_was_asked_wrongly_exits_with_2(arguments: list[str], complaint: str) -> None:
    done = CliRunner().invoke(cli, ["topics", *arguments])
    assert (done.exit_code, complaint in done.stderr) == (2, True), done.stderr

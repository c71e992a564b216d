"""Kafka's own tool reads the segment files."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.real_kafka.maven import find_java
from tests.conftest import or_skip
from tests.support.kafka_from_maven import fetch_jars
from tests.support.waiting import GUARD_S
from tests.testing.broker.client import Client
from tests.testing.broker.extended import Group, announce, extended
from tests.testing.broker.group_requests import commit, heartbeat, live_by_the_classic_protocol

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


def dump(*segments: Path, decoder: str = "--print-data-log") -> str:
    """What Kafka's DumpLogSegments says of segment files, record by record."""
    java, jars = or_skip(lambda: (find_java(), fetch_jars("4.3.0")))
    command = [java, "-cp", str(jars / "*"), "org.apache.kafka.tools.DumpLogSegments", "--deep-iteration", decoder]
    command += ["--files", ",".join(map(str, segments))]
    return subprocess.run(command, capture_output=True, text=True, timeout=GUARD_S, check=True).stdout


@pytest.mark.kafka
def test_kafkas_tool_reads_every_batch_of_every_codec(tmp_path: Path) -> None:
    with Cluster(config={"log.segment.bytes": 600}, data_dir=tmp_path) as cluster:
        cluster.create_topic("orders")
        for codec in CODECS:
            how = {"enable.idempotence": True, "compression.type": codec, "linger.ms": 50}
            producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, **how})
            for number in range(10):
                producer.produce("orders", f"{codec}-{number}".encode() * 3)
            producer.flush(GUARD_S)
    segments = sorted((tmp_path / "orders-0").glob("*.log"))
    told = dump(*segments)
    assert len(segments) > 1
    assert re.findall(r"payload: (\S+)", told) == [f"{codec}-{number}" * 3 for codec in CODECS for number in range(10)]
    assert set(re.findall(r"compresscodec: (\w+)", told)) == set(CODECS)
    assert "isvalid: false" not in told
    assert "invalid" not in told.lower()


@pytest.mark.kafka
def test_kafkas_tool_reads_what_is_kept_of_groups(tmp_path: Path) -> None:
    config = {
        "offsets.topic.num.partitions": 1,
        "group.initial.rebalance.delay.ms": 0,
        "group.consumer.assignment.interval.ms": 0,
    }
    with Cluster(config=config, data_dir=tmp_path) as cluster, Client(cluster.bootstrap_servers) as client:
        cluster.create_topic("orders", 2)
        epoch = heartbeat(client, "billing", 0, subscribed_topic_names=["orders"], rack_id="r1").member_epoch
        commit(client, "billing", "orders", 7, epoch=epoch)
        live_by_the_classic_protocol(client)
        heartbeat(client, "billing", -1)
        with extended(cluster.bootstrap_servers) as ours:
            assign_in_a_member(ours)
    told = dump(tmp_path / "__consumer_offsets-0" / f"{0:020}.log", decoder="--offsets-decoder")
    assert "isvalid: false" not in told
    found = re.findall(r"key: (\{.*\}) payload: (\S.*)", told)
    rows = [(json.loads(key), None if value == "<DELETE>" else json.loads(value)["data"]) for key, value in found]
    skipped = re.findall(r"key: Unknown record type (\d+) at offset \d+, skipping", told)
    assert set(skipped) == {"10000", "10001"}, "of extensions, the history of a group and who is expected"
    assert len(rows) + len(skipped) == len(re.findall(r"\| offset: ", told))
    assert last(rows, "5", "billing", before_deletion=True)["subscribedTopicNames"] == ["orders"]
    assert last(rows, "5", "billing", before_deletion=True)["rackId"] == "r1"
    assert last(rows, "7", "billing", before_deletion=True)["topicPartitions"][0]["partitions"] == [0, 1]
    assert last(rows, "8", "billing", before_deletion=True)["memberEpoch"] == epoch
    assert last(rows, "6", "billing")["assignmentEpoch"] == epoch + 1, "an emptied group is assigned (KAFKA-20442)"
    assert last(rows, "3", "billing")["epoch"] == epoch + 1
    assert last(rows, "1", "billing")["offset"] == 7
    assert [last(rows, number, "billing") for number in "578"] == [None] * 3, "the member left"
    assert last(rows, "2", "old")["protocol"] == "range"
    assert [member["clientId"] for member in last(rows, "2", "old")["members"]] == ["tests"]
    assert last(rows, "5", "ours")["subscribedTopicNames"] == ["orders"], "Kafka passes over the assignors"
    assert last(rows, "6", "ours")["assignmentEpoch"] > 0
    assert sorted(last(rows, "7", "ours")["topicPartitions"][0]["partitions"]) in ([0], [1])


def last(rows: list[tuple[Any, Any]], number: str, group: str, *, before_deletion: bool = False) -> Any:
    """The last value of a type of record that a group has, or the last but tombstones."""
    values = [
        value
        for key, value in rows
        if key["type"] == number and group in key["data"].values() and (value is not None or not before_deletion)
    ]
    return values[-1]


def assign_in_a_member(client: Client) -> None:
    """Have a member compute the assignment of a group, with metadata and an error, and announce another."""
    group = Group(client, "ours", "orders")
    group.join()
    computing = group.chosen()
    epoch = group.prepare(computing).group_epoch
    assert group.install(computing, {"a": [0], "b": [1]}, group_epoch=epoch, error=5).error_code == ErrorCode.NONE
    announce(client, "ours", "i")

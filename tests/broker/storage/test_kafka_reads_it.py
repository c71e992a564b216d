"""Kafka's own tool reads the segment files."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from confluent_kafka import Producer

from kafka_nextgen.testing import Cluster
from tests.support.kafka_from_maven import fetch_jars, find_java
from tests.support.kafka_server import NoKafkaError
from tests.support.real_kafka import is_required

CODECS = ("none", "gzip", "snappy", "lz4", "zstd")


def dump(*segments: Path) -> str:
    """What ``kafka.tools.DumpLogSegments`` says of segment files, record by record."""
    try:
        java, jars = find_java(), fetch_jars("4.0.0")  # the last release with the tool beside the broker
    except NoKafkaError as reason:
        pytest.fail(str(reason)) if is_required() else pytest.skip(str(reason))
    command = [java, "-cp", str(jars / "*"), "kafka.tools.DumpLogSegments", "--deep-iteration", "--print-data-log"]
    command += ["--files", ",".join(map(str, segments))]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout


@pytest.mark.kafka
def test_kafkas_tool_reads_every_batch_of_every_codec(tmp_path: Path) -> None:
    with Cluster(config={"log.segment.bytes": 600}, data_dir=tmp_path) as cluster:
        cluster.create_topic("orders")
        for codec in CODECS:
            producer = Producer(
                {
                    "bootstrap.servers": cluster.bootstrap_servers,
                    "enable.idempotence": True,
                    "compression.type": codec,
                    "linger.ms": 50,
                }
            )
            for number in range(10):
                producer.produce("orders", f"{codec}-{number}".encode() * 3)
            producer.flush(10)
    segments = sorted((tmp_path / "orders-0").glob("*.log"))
    told = dump(*segments)
    assert len(segments) > 1
    assert re.findall(r"payload: (\S+)", told) == [f"{codec}-{number}" * 3 for codec in CODECS for number in range(10)]
    assert set(re.findall(r"compresscodec: (\w+)", told)) == set(CODECS)
    assert "isvalid: false" not in told
    assert "invalid" not in told.lower()

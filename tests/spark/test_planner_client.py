"""The connections of a planner end with it, whatever becomes of it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.spark.planner_client import PlannerClient
from kafka_nextgen.testing import Cluster


def threads(client_id: str) -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if f"planner {client_id}" in thread.name]


def config(client_id: str, servers: str, **more: object) -> ConsumerConfig:
    return ConsumerConfig.parse(client_id=client_id, bootstrap_servers=servers, **more)


def test_one_that_can_not_be_made_leaves_no_thread_behind(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("nothing")
    with pytest.raises(ConfigError, match="is no certificates in PEM"):
        PlannerClient(config("unmade", "localhost:9092", security_protocol="SSL", ssl_ca_location=f"{tmp_path}/ca.pem"))
    assert threads("unmade") == []


def test_one_that_is_dropped_ends_its_thread() -> None:
    with Cluster() as cluster:
        cluster.create_topic("t")
        client = PlannerClient(config("dropped", cluster.bootstrap_servers))
        assert list(client.describe_topics(["t"])) == ["t"]
        (thread,) = threads("dropped")
        del client
        thread.join(10)
        assert not thread.is_alive()

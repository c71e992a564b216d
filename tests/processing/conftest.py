"""One cluster for the groups of these tests, with a topic that they only read."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import pytest

from kafka_nextgen import AsyncRebalanceConsumer, TopicPartition
from kafka_nextgen.processing.runner import Runner
from kafka_nextgen.testing import Cluster
from tests.processing.group import BROKER, filled_topic


@pytest.fixture(scope="session")
def servers() -> Iterator[str]:
    with Cluster(config=BROKER) as running:
        yield running.bootstrap_servers


@pytest.fixture(scope="session")
def orders(servers: str) -> str:
    return filled_topic(servers)


@pytest.fixture
def revocation(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Two events: a run of this process begins to give partitions up, and it has."""
    told, give_up = SimpleNamespace(begun=threading.Event(), ended=threading.Event()), Runner.on_partitions_revoked

    async def watched(runner: Runner, consumer: AsyncRebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        told.begun.set()
        await give_up(runner, consumer, partitions)
        told.ended.set()

    monkeypatch.setattr(Runner, "on_partitions_revoked", watched)
    return told

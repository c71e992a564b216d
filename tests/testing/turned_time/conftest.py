"""A cluster whose clock is turned, with the settings of Kafka: nothing is short so that a test need not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.testing import Clock, Cluster
from tests.testing.broker.conftest import client  # noqa: F401

NewConsumer = Callable[..., Consumer]


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(clock=Clock(), config={"group.consumer.assignment.interval.ms": 0}) as running:
        running.create_topic("orders")
        yield running


@pytest.fixture
def new_consumer(cluster: Cluster) -> Iterator[NewConsumer]:
    """Makes consumers that have their partitions; they seldom fetch, so that an hour is short."""
    usual = {"group_id": "billing", "auto_offset_reset": "earliest"}
    seldom = {"fetch_max_wait_ms": 60_000, "request_timeout_ms": 90_000}
    with ExitStack() as stack:

        def make(**more: object) -> Consumer:
            config = {**usual, **seldom, **more}
            consumer = stack.enter_context(Consumer(bootstrap_servers=cluster.bootstrap_servers, **config))
            consumer.subscribe(["orders"])
            while not consumer.assignment():
                consumer.poll(0.1)
            return consumer

        yield make

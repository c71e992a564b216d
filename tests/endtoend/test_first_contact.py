"""A first connection that is cut once ends no program, however briefly it polls."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen import Consumer
from tests.endtoend.reading import config_of, numbers
from tests.support.capturing_proxy import Captured, CapturingProxy
from tests.support.clients import create_topic, produce, unique
from tests.support.kafka_server import KafkaServer

RECORDS = 20


class CutsOnce:
    """Breaks the first connection at the first answer that passes."""

    def __init__(self) -> None:
        self.cuts = 0

    def __call__(self, passing: Captured) -> None:
        if self.cuts == 0 and not passing.is_request:
            self.cuts += 1
            raise ConnectionResetError


@pytest.fixture
def cuts_once() -> CutsOnce:
    return CutsOnce()


@pytest.fixture
def through_proxy(kafka: KafkaServer, cuts_once: CutsOnce) -> Iterator[str]:
    """Return a bootstrap server that cuts the first connection; brokers then name themselves, without the proxy."""
    proxy = CapturingProxy(cuts_once)
    yield f"127.0.0.1:{proxy.listen(int(kafka.bootstrap_servers.rpartition(':')[2]))}"
    proxy.stop()


def test_brief_polls_raise_nothing_and_bring_the_records(
    kafka: KafkaServer, protocol: str, through_proxy: str, cuts_once: CutsOnce
) -> None:
    topic = create_topic(kafka.bootstrap_servers, "cut")
    produce(kafka.bootstrap_servers, topic, RECORDS, partitions=1)
    config = config_of(kafka, unique("cut"), protocol, bootstrap_servers=through_proxy)
    with Consumer(**config) as consumer:
        consumer.subscribe([topic])
        records = list(consumer.poll(timeout=0.1))
        while len(records) < RECORDS:
            records += consumer.poll(timeout=0.1)
        assert numbers(records) == list(range(RECORDS))
    assert cuts_once.cuts == 1

"""One Spark session for all modules, and the newest real Kafka, whose topics are read by both sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

from tests.conftest import REAL, or_skip
from tests.pyspark.sources import Sources
from tests.pyspark.topics import Topic, Topics
from tests.support.clients import create_topic
from tests.support.kafka_server import KafkaServer
from tests.support.servers import Servers
from tests.support.spark import start_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session", params=REAL[:1])
def newest_kafka(request: pytest.FixtureRequest, servers: Servers) -> KafkaServer:
    return or_skip(lambda: servers.get(request.param))


@pytest.fixture(scope="package")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = or_skip(lambda: start_spark(tmp_path_factory.mktemp("spark")))
    yield session
    session.stop()


@pytest.fixture(scope="module")
def spark(session: SparkSession) -> Iterator[SparkSession]:
    """Return the session; no query goes on when a module ends."""
    yield session
    for query in session.streams.active:
        query.stop()


@pytest.fixture
def sources(spark: SparkSession, newest_kafka: KafkaServer) -> Sources:
    return Sources(spark, newest_kafka.bootstrap_servers)


@pytest.fixture(scope="session")
def topics(newest_kafka: KafkaServer) -> Iterator[Mapping[str, Topic]]:
    """Return a topic of each kind."""
    written = Topics(newest_kafka.bootstrap_servers)
    yield written.of_every_kind()
    written.close()


@pytest.fixture(scope="session")
def empty_topic(newest_kafka: KafkaServer) -> str:
    return create_topic(newest_kafka.bootstrap_servers, "empty", 2)

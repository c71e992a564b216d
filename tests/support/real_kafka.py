"""A real Apache Kafka for tests, by whatever means the machine has.

Looked for in this order:

1. ``KAFKA_BOOTSTRAP``: a broker that already runs; the tests then run once, on whatever version it has. It should
   have the settings of ``BROKER_SETTINGS``, or the tests that wait for a killed member take longer;
2. a Docker daemon that answers: the image ``apache/kafka`` through testcontainers;
3. Java 17 or newer and Maven: the jars from Maven Central.

With none of them the tests that need Kafka are skipped and say why; under CI (``CI=true``) that is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support.kafka_from_docker import start_from_docker
from tests.support.kafka_from_maven import start_from_maven
from tests.support.kafka_readiness import wait_until_ready
from tests.support.kafka_server import KafkaServer

#: The release whose ways are followed where nothing else is said.
NEWEST_VERSION = "4.4.0"

#: The newest and the oldest release whose consumer group protocol is supported.
REAL_VERSIONS: tuple[str, ...] = ("external",) if os.environ.get("KAFKA_BOOTSTRAP") else (NEWEST_VERSION, "4.0.0")

#: Besides, a release whose ways differ from those of the newest, for tests that are about such differences.
REAL_RELEASES: tuple[str, ...] = REAL_VERSIONS if REAL_VERSIONS == ("external",) else (*REAL_VERSIONS, "4.3.0")

#: The newest release that has the protocol as a preview, with version 0 of ConsumerGroupHeartbeat only.
PREVIEW_VERSION = "external" if os.environ.get("KAFKA_BOOTSTRAP") else "3.9.1"

_WAYS: tuple[Callable[[str], KafkaServer], ...] = (start_from_docker, start_from_maven)


def is_required() -> bool:
    return os.environ.get("CI", "").lower() in ("1", "true")


def start_real_kafka(version: str) -> KafkaServer:
    """Start Kafka ``version``; raise ``NoKafkaError`` with every way that was tried and why it is not open."""
    if version == "external":
        return _running_already(os.environ["KAFKA_BOOTSTRAP"])
    reasons = ["KAFKA_BOOTSTRAP is not set"]
    for start in _WAYS:
        found = _try(start, version)
        if isinstance(found, KafkaServer):
            return found
        reasons.append(found)
    raise NoKafkaError(f"no way to run Kafka {version}: {'; '.join(reasons)}")


def _try(start: Callable[[str], KafkaServer], version: str) -> KafkaServer | str:
    try:
        return start(version)
    except NoKafkaError as reason:
        return str(reason)


def _running_already(bootstrap_servers: str) -> KafkaServer:
    wait_until_ready(
        bootstrap_servers,
        is_alive=lambda: True,
        log_tail=lambda: f"KAFKA_BOOTSTRAP={bootstrap_servers} is not ours, so its log is not known here",
    )
    return KafkaServer(bootstrap_servers, "external")

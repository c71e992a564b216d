"""A cluster that speaks all four protocols to users with passwords."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Cluster
from tests.support.certificates import Certificates

PASSWORDS = {"alice": "alice's secret", "billing,eu=1": "with,comma=and"}


@pytest.fixture(scope="module")
def secured(certificates: Certificates) -> Iterator[Cluster]:
    config = {
        "listeners": "PLAINTEXT://:0,SSL://:0,SASL_PLAINTEXT://:0,SASL_SSL://:0",
        "ssl.keystore.location": certificates.broker,
        "ssl.truststore.location": certificates.authority,
        "ssl.client.auth": "requested",
        "sasl.server.max.receive.size": 10_000,
        "connection.failed.authentication.delay.ms": 0,
        "group.initial.rebalance.delay.ms": 0,
    }
    with Cluster(config=config, users=PASSWORDS) as running:
        yield running

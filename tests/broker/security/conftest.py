"""Certificates, and a cluster that speaks all four protocols to users with passwords."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from attrs import frozen

from kafka_nextgen.testing import Cluster

PASSWORDS = {"alice": "alice's secret", "billing,eu=1": "with,comma=and"}


@frozen
class Certificates:
    """PEM files: the authority's, the broker's with its key, and a client's with its key."""

    authority: str
    broker: str
    client: str


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    home: Path = tmp_path_factory.mktemp("certificates")
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(home / "authority.pem"))
    broker = authority.issue_cert("127.0.0.1", "localhost")
    broker.private_key_and_cert_chain_pem.write_to_path(str(home / "broker.pem"))
    client = authority.issue_cert(
        common_name="billing", organization_unit_name="tests", organization_name="Example, Inc."
    )
    client.private_key_and_cert_chain_pem.write_to_path(str(home / "client.pem"))
    return Certificates(*(str(home / f"{name}.pem") for name in ("authority", "broker", "client")))


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

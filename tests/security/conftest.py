"""A broker with every kind of listener, embedded and real, and how a client reaches each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import _or_skip as started_or_skip
from tests.support.certificates import Certificates
from tests.support.real_kafka import NEWEST_VERSION
from tests.support.secured_kafka import SecuredKafka, start_secured_embedded, start_secured_kafka


@pytest.fixture(scope="session")
def secured_embedded(certificates: Certificates) -> Iterator[SecuredKafka]:
    running = start_secured_embedded(certificates)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def secured_real(certificates: Certificates) -> Iterator[SecuredKafka]:
    """Run a broker of the newest release, by Java and Maven: nobody else's has these listeners."""
    running = started_or_skip(lambda: start_secured_kafka(NEWEST_VERSION, certificates))
    yield running
    running.stop()


@pytest.fixture(params=["secured_embedded", pytest.param("secured_real", marks=pytest.mark.kafka)])
def secured(request: pytest.FixtureRequest) -> SecuredKafka:
    running: SecuredKafka = request.getfixturevalue(request.param)
    return running

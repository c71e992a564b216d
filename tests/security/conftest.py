"""A broker with every kind of listener, embedded and real, and how a client reaches each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import or_skip
from tests.support.certificates import Certificates
from tests.support.real_kafka import NEWEST_VERSION
from tests.support.secured_kafka import SecuredKafka, start_secured_embedded, start_secured_kafka


@pytest.fixture(scope="session")
def secured_embedded(certificates: Certificates) -> Iterator[SecuredKafka]:
    running = start_secured_embedded(certificates)
    yield running
    running.stop()


@pytest.fixture(scope="session", params=[pytest.param(NEWEST_VERSION, marks=pytest.mark.kafka)])
def secured_real(request: pytest.FixtureRequest, certificates: Certificates) -> Iterator[SecuredKafka]:
    """Run a broker of the newest release, by Java and Maven: nobody else's has these listeners."""
    running = or_skip(lambda: start_secured_kafka(request.param, certificates))
    yield running
    running.stop()

"""An SDK whose spans and metrics stay in memory, and records whose headers name the producer's span."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Cluster
from tests.engine.stage import SETTINGS, Stage
from tests.opentelemetry.telemetry import Telemetry


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    collected = Telemetry()
    yield collected
    collected.shut_down()


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with Cluster(config=SETTINGS) as cluster:
        yield Stage(cluster, monkeypatch)

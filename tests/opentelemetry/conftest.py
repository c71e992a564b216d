"""An SDK whose spans and metrics stay in memory, and records whose headers name the producer's span."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.conftest import stage  # noqa: F401
from tests.opentelemetry.telemetry import Telemetry


@pytest.fixture
def telemetry() -> Iterator[Telemetry]:
    collected = Telemetry()
    yield collected
    collected.shut_down()

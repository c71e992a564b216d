"""A registry, and servers that are none."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import SchemaRegistry as StandIn
from kafka_nextgen.values.registry import client


@pytest.fixture
def registry() -> Iterator[StandIn]:
    with StandIn() as registry:
        yield registry


@pytest.fixture
def tries_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What may pass is final at once: there is no time for the pause before the next attempt."""
    monkeypatch.setattr(client, "_PAUSE_S", 1e6)

"""A small cluster in the process of the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Cluster
from tests.engine.stage import SETTINGS, Stage


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with Cluster(config=SETTINGS) as cluster:
        yield Stage(cluster, monkeypatch)

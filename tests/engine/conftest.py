"""A stage per test: an embedded cluster of one broker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Clock, Cluster
from tests.engine.stage import SETTINGS, Stage
from tests.engine.steady import Steadiness


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with Cluster(config=SETTINGS) as cluster:
        yield Stage(cluster, monkeypatch)


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A stage whose time the test moves on."""
    with Cluster(config=SETTINGS, clock=Clock()) as cluster:
        yield Stage(cluster, monkeypatch)


@pytest.fixture
def orders(stage: Stage) -> Stage:
    """Partitions 0 and 2 of ten records each, and 1 of twenty, one of which is bad (``bad_records``)."""
    stage.create(partitions=3, records=10)
    stage.write(1, 10)
    return stage


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> Steadiness:
    steadiness = Steadiness()
    steadiness.watch(monkeypatch)
    return steadiness

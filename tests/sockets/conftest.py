"""A stage whose broker follows a script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.testing.broker.connection import Connection
from tests.engine.stage import RACKS, SETTINGS, Stage
from tests.sockets.script import Script


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    script = Script()
    monkeypatch.setattr(Connection, "serve", lambda connection: script.serve(connection))
    return script


@pytest.fixture
def racks(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """Two nodes in two racks; node 1, in r1, leads what there is, and node 2, in r2, has a replica of it."""
    with Cluster(brokers=2, config=RACKS) as cluster:
        yield Stage(cluster, monkeypatch)


@pytest.fixture
def stage(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with Cluster(config=SETTINGS) as cluster:
        yield Stage(cluster, monkeypatch)


@pytest.fixture
def turned_stage(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A stage whose cluster has a clock that a test turns."""
    with Cluster(clock=Clock(), config=SETTINGS) as cluster:
        yield Stage(cluster, monkeypatch)

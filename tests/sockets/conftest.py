"""A stage whose broker follows a script."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Cluster
from tests.engine.stage import SETTINGS, Stage
from tests.sockets.script import Script


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    script = Script()
    monkeypatch.setattr("kafka_nextgen.broker.server.serve", script.serve)
    return script


@pytest.fixture
def stage(script: Script, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with Cluster(config=SETTINGS) as cluster:
        yield Stage(cluster, monkeypatch)

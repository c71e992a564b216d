from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engine.stage import Stage
from tests.spark.odd_tasks import two_nodes


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    with two_nodes(monkeypatch) as stage:
        yield stage

"""A stage per test: an embedded cluster of one broker."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator

import pytest

from kafka_nextgen.testing import Clock, Cluster
from tests.engine.stage import SETTINGS, Stage
from tests.engine.steady import Steadiness
from tests.support.waiting import GUARD_S


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    scene = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    asyncio.run(asyncio.wait_for(scene, GUARD_S))
    return True


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

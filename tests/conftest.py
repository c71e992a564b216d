"""Fixtures every test can ask for: brokers of all kinds, and a place for figures worth seeing.

``kafka`` runs a test once on the embedded broker and once on the newest real one. ``every_kafka`` also runs it on the
oldest release that is supported, and on an embedded broker like that: for whatever the release may make a difference
to. ``each_release`` adds a release between those, for what is known to be different, and ``each_real_release`` is that
without the embedded brokers. ``real_kafka`` and ``embedded_kafka`` are of one kind only, ``preview_kafka`` is a release
before 4.0, and ``kafka_pair`` two real brokers together. What a test reports by ``figures`` is printed at the end of
the run, also when all passed.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import os
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.scenarios.files import add_flag, refuse_flag_under_ci
from tests.support.certificates import Certificates, issue_certificates
from tests.support.examples import examples, is_a_night
from tests.support.guardian import guard
from tests.support.java_tools import JavaTools, find_java_tools
from tests.support.kafka_from_maven import QUICK_START
from tests.support.kafka_pair import KafkaPair, start_pair
from tests.support.kafka_server import KafkaServer, KafkaStartError
from tests.support.real_kafka import NEWEST_VERSION, PREVIEW_VERSION, REAL_RELEASES, REAL_VERSIONS, is_required
from tests.support.servers import EMBEDDED, Servers
from tests.support.signals import heed_interrupts
from tests.support.tiers import (
    add_options,
    choose,
    choose_examples,
    is_not_for,
    mark,
    note_output_of,
    say_what_was_left_out,
    turn,
)
from tests.support.waiting import GUARD_S, TEST_S
from tests.support.watchdog import watch

T = TypeVar("T")

FIGURE = "figure"

#: glibc gives back what a large test took: a process that pytest-xdist starts needs up to 100 MB less at its most.
FRUGAL_MALLOC = {"MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}

REAL = [pytest.param(version, marks=pytest.mark.kafka) for version in REAL_VERSIONS]
RELEASES = [pytest.param(version, marks=pytest.mark.kafka) for version in REAL_RELEASES]


def pytest_addoption(parser: pytest.Parser) -> None:
    add_flag(parser)
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    refuse_flag_under_ci(config)
    keep_compiled_tests()
    heed_interrupts()
    os.environ.setdefault("KAFKA_JVM_PERFORMANCE_OPTS", QUICK_START)  # a broker of tests lives for minutes
    for name, value in FRUGAL_MALLOC.items():
        os.environ.setdefault(name, value)
    if config.getoption("timeout") is None:
        config.option.timeout = TEST_S
    guard(config)
    watch(config)
    choose_examples(config)
    # Nothing here is asserted on a clock. Only a night's run draws other examples than the run before.
    settings.register_profile(
        "without a clock",
        deadline=None,
        max_examples=examples(100),
        derandomize=not is_a_night(),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("without a clock")


def keep_compiled_tests() -> None:
    """Ignore ``PYTHONDONTWRITEBYTECODE``, which many containers set, here and in processes that tests start.

    Otherwise each process of each run compiles all tests again, with pytest's changes to asserts: 14 of the 22 s of
    processor time that collecting them takes.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    return True if is_not_for(config, collection_path) else None


def pytest_itemcollected(item: pytest.Item) -> None:
    mark(item)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what this run is not for, and begin with what takes the longest."""
    choose(config, items)
    items.sort(key=turn)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    note_output_of(node, node.config)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep what is collected out of garbage collections: 400,000 objects, and a third of a second each time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine on an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    scene = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    asyncio.run(asyncio.wait_for(scene, GUARD_S))
    return True


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    is_one_of_several = "PYTEST_XDIST_WORKER" in os.environ
    started = Servers(tmp_path_factory.getbasetemp().parent if is_one_of_several else None)
    yield started
    started.stop()


@pytest.fixture(scope="session")
def embedded_kafka(servers: Servers) -> KafkaServer:
    return servers.get("embedded")


@pytest.fixture(scope="session", params=REAL)
def real_kafka(request: pytest.FixtureRequest, servers: Servers) -> KafkaServer:
    return _get(servers, request.param)


@pytest.fixture(scope="session", params=[pytest.param(PREVIEW_VERSION, marks=pytest.mark.kafka)])
def preview_kafka(request: pytest.FixtureRequest, servers: Servers) -> KafkaServer:
    """Return a Kafka whose coordinator has version 0 of ConsumerGroupHeartbeat only."""
    if request.param == "external":
        pytest.skip("KAFKA_BOOTSTRAP is set, and the tests run on whatever that is")
    return _get(servers, request.param)


@pytest.fixture(scope="session", params=["embedded", *REAL[:1]])
def kafka(request: pytest.FixtureRequest, servers: Servers) -> KafkaServer:
    return _get(servers, request.param)


@pytest.fixture(scope="session", params=["embedded", "embedded-4.0", *REAL])
def every_kafka(request: pytest.FixtureRequest, servers: Servers) -> KafkaServer:
    return _get(servers, request.param)


@pytest.fixture(scope="session", params=[*EMBEDDED, *RELEASES])
def each_release(request: pytest.FixtureRequest, servers: Servers) -> KafkaServer:
    return _get(servers, request.param)


@pytest.fixture(scope="session", params=RELEASES)
def each_real_release(request: pytest.FixtureRequest, servers: Servers) -> KafkaServer:
    return _get(servers, request.param)


def _get(servers: Servers, kind: str) -> KafkaServer:
    return or_skip(lambda: servers.get(kind))


def or_skip(start: Callable[[], T]) -> T:
    try:
        return start()
    except NoKafkaError as reason:
        if is_required():
            pytest.fail(str(reason), pytrace=False)
        pytest.skip(str(reason))
    except KafkaStartError as reason:
        pytest.fail(str(reason), pytrace=False)


@pytest.fixture(params=REAL[:1])
def kafka_pair(request: pytest.FixtureRequest) -> Iterator[KafkaPair]:
    """Run two brokers of the newest release, in two racks, for one test."""
    if request.param == "external":
        pytest.skip("KAFKA_BOOTSTRAP is set, and nobody knows whether its brokers have racks")
    pair = or_skip(lambda: start_pair(request.param))
    yield pair
    pair.stop()


@pytest.fixture(scope="session", params=[pytest.param(NEWEST_VERSION, marks=pytest.mark.kafka)])
def java_tools(request: pytest.FixtureRequest) -> JavaTools:
    """Return Kafka's own commands and clients of that release."""
    return or_skip(lambda: find_java_tools(request.param))


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return issue_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Return a function that keeps a line for the end of the run's output."""
    return lambda line: request.node.user_properties.append((FIGURE, line))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print the figures, which come with the reports from the process a test ran in, and what was left out."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    lines = [f"{report.nodeid}: {line}" for report in reports for line in _figures_of(report)]
    if lines:
        terminalreporter.section("figures")
        for line in sorted(lines):
            terminalreporter.line(line)
    say_what_was_left_out(terminalreporter, config)


def _figures_of(report: pytest.TestReport) -> list[object]:
    return [value for name, value in report.user_properties if name == FIGURE] if report.when == "call" else []

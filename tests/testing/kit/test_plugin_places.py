"""Where the plugin for pytest has its Kafka: by settings, started and stopped; and what it costs those without one."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

import pytest_kafka_nextgen
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.real_kafka.place import RunningKafka
from pytest_kafka_nextgen import sharing
from tests.support.waiting import GUARD_S

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("plugin")


def test_settings_come_from_the_configuration(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\nkafka = embedded:4.0\nkafka_config =\n    num.partitions = 3\n")
    pytester.makepyfile(
        """
        def test_it(kafka_cluster, kafka_bootstrap_servers):
            kafka_cluster.produce("orders", "a", partition=2)
            assert kafka_cluster._broker.state.settings.profile.value == "4.0"

        def test_a_cluster_of_its_own(kafka_cluster_factory):
            kafka_cluster_factory().produce("orders", "a", partition=2)
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["kafka: embedded:4.0"])


@pytest.mark.parametrize(
    ("option", "ini", "words"),
    [
        ("--kafka=dokcer", "", "ERROR: --kafka: 'dokcer' is not a place where Kafka can be found: use embedded, *"),
        ("--kafka=embedded", "kafka_config = no-value", "*kafka_config: 'no-value' is not key=value*"),
    ],
)
def test_a_wrong_setting_is_said(pytester: pytest.Pytester, option: str, ini: str, words: str) -> None:
    pytester.makeini(f"[pytest]\n{ini}\n")
    pytester.makepyfile("def test_it(kafka_cluster): pass")
    result = pytester.runpytest_inprocess(option)
    assert result.ret != 0
    assert any(words.strip("*") in line for line in (*result.outlines, *result.errlines))


def test_a_kafka_that_can_t_be_started_is_said(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_DOCKER", "there-is-no-docker")
    pytester.makepyfile("def test_it(kafka_cluster): pass")
    result = pytester.runpytest_inprocess("--kafka=docker:4.3.0")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*--kafka=docker:4.3.0: there-is-no-docker can't be run: *"])


def test_groups_assign_without_delay(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def delays(cluster):
            settings = cluster._broker.state.settings
            return settings.group_consumer_assignment_interval_ms, settings.group_initial_rebalance_delay_ms

        def test_it(kafka_cluster, kafka_cluster_factory):
            assert delays(kafka_cluster) == delays(kafka_cluster_factory()) == (0, 0)
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """When a real Kafka was started and stopped; an embedded cluster takes its place."""
    calls: list[str] = []
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as cluster:

        def start(config: pytest.Config) -> RunningKafka:
            calls.append("started")
            return RunningKafka(cluster.bootstrap_servers, lambda: calls.append("stopped"))

        monkeypatch.setattr(pytest_kafka_nextgen, "start", start)
        yield calls


def test_a_real_kafka_is_started_for_the_first_test_and_stopped_after_the_last(
    pytester: pytest.Pytester, calls: list[str]
) -> None:
    pytester.makepyfile(
        """
        def test_one(kafka_cluster, kafka_topic):
            kafka_cluster.produce(kafka_topic, "a")

        def test_another(kafka_cluster, kafka_topic):
            assert kafka_cluster.records(kafka_topic) == []

        def test_that_is_ended_by_ctrl_c():
            raise KeyboardInterrupt
        """
    )
    pytester.runpytest_inprocess("--kafka=docker", "-k", "nothing")
    assert calls == []
    result = pytester.runpytest_inprocess("--kafka=docker", no_reraise_ctrlc=True)
    result.assert_outcomes(passed=2)
    assert calls == ["started", "stopped"]


def test_workers_of_xdist_share_the_kafka_that_is_started_for_them(pytester: pytest.Pytester, calls: list[str]) -> None:
    config = pytester.parseconfig("--kafka=docker")
    nodes = [SimpleNamespace(config=config, workerinput={}) for _ in range(2)]
    for node in nodes:
        pytest_kafka_nextgen.pytest_configure_node(node)
    assert calls == [], "no test has needed it yet"
    addresses = {addresses_of_a_worker(node.workerinput) for node in nodes}
    assert len(addresses) == 1
    assert calls == ["started"]
    pytest_kafka_nextgen.pytest_unconfigure(config)
    assert calls == ["started", "stopped"]


def addresses_of_a_worker(workerinput: dict[str, object]) -> str:
    with ExitStack() as stack:
        return pytest_kafka_nextgen._address(SimpleNamespace(workerinput=workerinput), stack)  # type: ignore[arg-type]


def test_nothing_is_started_for_workers_that_need_no_kafka(pytester: pytest.Pytester, calls: list[str]) -> None:
    config = pytester.parseconfig("--kafka=docker")
    pytest_kafka_nextgen.pytest_configure_node(SimpleNamespace(config=config, workerinput={}))
    pytest_kafka_nextgen.pytest_unconfigure(config)
    assert calls == []


def test_a_kafka_that_can_t_be_started_is_tried_once_for_all_workers() -> None:
    tries = []

    def start() -> RunningKafka:
        tries.append(1)
        raise pytest.UsageError("there is no docker")

    controller = sharing.Controller(start)
    for _ in range(2):
        with pytest.raises(OSError, match="there is no docker"):
            sharing.ask(controller.place)
    assert tries == [1]
    controller.close()


def test_whoever_does_not_have_the_key_is_told_nothing() -> None:
    controller = sharing.Controller(lambda: RunningKafka("localhost:9092"))
    host, port, _ = controller.place
    with pytest.raises(OSError, match="has ended, or has another key"):
        sharing.ask((host, port, "00" * 32))
    assert sharing.ask(controller.place) == "localhost:9092"
    controller.close()


def test_whoever_connects_and_says_nothing_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing._Handler, "timeout", GUARD_S)
    controller = sharing.Controller(lambda: RunningKafka("localhost:9092"))
    with socket.create_connection(controller.place[:2], GUARD_S):
        assert sharing.ask(controller.place) == "localhost:9092"
        monkeypatch.setattr(sharing._Handler, "timeout", 0.001)
        with socket.create_connection(controller.place[:2], GUARD_S) as other:
            assert other.recv(1) == b"", "it is closed after its time"
        controller.close()


def test_a_kafka_that_is_being_started_at_the_end_is_stopped() -> None:
    is_starting, may_start, stopped = threading.Event(), threading.Event(), threading.Event()

    def start() -> RunningKafka:
        is_starting.set()
        may_start.wait(GUARD_S)
        return RunningKafka("localhost:9092", stopped.set)

    controller = sharing.Controller(start)
    asking = threading.Thread(target=sharing.ask, args=[controller.place])
    asking.start()
    assert is_starting.wait(GUARD_S)
    threading.Timer(0, may_start.set).start()
    controller.close()
    assert stopped.is_set()
    asking.join()


#: In the controller of pytest-xdist, an embedded cluster takes the place of a real Kafka.
XDIST = """
import os, pathlib
import pytest_kafka_nextgen

def start(config):
    from kafka_nextgen.testing import Cluster
    from kafka_nextgen.testing.real_kafka.place import RunningKafka
    cluster = Cluster()
    cluster.__enter__()
    with open("calls", "a") as calls:
        print("started by", "a worker" if "PYTEST_XDIST_WORKER" in os.environ else "the controller", file=calls)
    return RunningKafka(cluster.bootstrap_servers, lambda: cluster.__exit__(None, None, None))

pytest_kafka_nextgen.start = start
"""


@pytest.mark.whole
def test_real_workers_ask_the_controller(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # that of this test itself
    pytester.makeconftest(XDIST)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("turn", range(4))
        def test_with(kafka_cluster, kafka_topic, turn):
            assert kafka_cluster.records(kafka_topic) == []

        def test_without():
            pass
        """
    )
    pytester.runpytest_subprocess("-n", "2", "--kafka=docker", "-k", "without", timeout=GUARD_S)
    assert not (pytester.path / "calls").exists()
    pytester.runpytest_subprocess("-n", "2", "--kafka=docker", timeout=GUARD_S).assert_outcomes(passed=5)
    assert (pytester.path / "calls").read_text() == "started by the controller\n"


@pytest.mark.parametrize(
    "program",
    [
        "import pytest_kafka_nextgen",
        "import pytest; assert pytest.main(['-p', 'pytest_kafka_nextgen', 'test_plain.py']) == 0",
    ],
    ids=["imported", "used by nobody"],
)
def test_projects_that_do_not_use_it_import_nothing_of_the_library(pytester: pytest.Pytester, program: str) -> None:
    pytester.makepyfile(test_plain="def test_plain(): pass")
    check = "import sys; loaded = [each for each in sys.modules if each.split('.')[0] == 'kafka_nextgen']"
    command = [sys.executable, "-c", f"{program}; {check}; assert not loaded, loaded"]
    subprocess.run(command, check=True, timeout=GUARD_S, cwd=pytester.path)


def test_pytest_does_not_rewrite_the_asserts_of_the_library(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig()
    hook = config.pluginmanager.rewrite_hook
    hook.mark_rewrite("kafka_nextgen", "application")
    pytest_kafka_nextgen._keep_asserts_of_the_library(config.pluginmanager)
    assert "application" in hook._must_rewrite
    assert "kafka_nextgen" not in hook._must_rewrite

"""Applications with tests that use the plugin: they pass on the embedded broker, and unchanged on each real Kafka."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kafka_nextgen.testing.kit import kafka_cluster
from kafka_nextgen.testing.kit.waiting import Patience
from tests.conftest import or_skip
from tests.support.example_programs import EXAMPLES
from tests.support.kafka_from_maven import fetch_jars
from tests.support.kafka_server import KafkaServer
from tests.support.real_kafka import NEWEST_VERSION
from tests.support.waiting import GUARD_S

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("plugin")

SHOP_TESTS = 16
OLDER = [pytest.param(f"embedded:{release}", marks=pytest.mark.whole) for release in ("4.3", "4.0")]


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have tests of examples, which wait 10 s by default, wait as long as ours on a busy machine."""
    monkeypatch.setattr(kafka_cluster, "Patience", lambda timeout_s: Patience(max(timeout_s, GUARD_S)))


def copy(name: str, pytester: pytest.Pytester) -> None:
    shutil.copytree(EXAMPLES / name, pytester.path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture
def shop(pytester: pytest.Pytester, patient: None, figures: Callable[[str], None]) -> Callable[[str], None]:
    """A function that runs the tests of examples/shop on a Kafka."""
    copy("shop", pytester)

    def run(where: str) -> None:
        begun = time.monotonic()
        pytester.runpytest_inprocess(f"--kafka={where}").assert_outcomes(passed=SHOP_TESTS)
        figures(f"{SHOP_TESTS} tests in {time.monotonic() - begun:.1f} s")

    return run


@pytest.mark.parametrize("where", ["embedded", *OLDER])
def test_the_shop_is_tested_on_the_embedded_broker(shop: Callable[[str], None], where: str) -> None:
    shop(where)


def test_the_same_tests_pass_on_each_release(each_real_release: KafkaServer, shop: Callable[[str], None]) -> None:
    shop(each_real_release.bootstrap_servers)


CLIENTS = [("confluent_kafka", 3), ("kafka_python", 3), ("aiokafka", 3)]


@pytest.mark.parametrize(("client", "tests"), CLIENTS, ids=[client for client, _ in CLIENTS])
def test_applications_of_other_clients_are_tested(
    pytester: pytest.Pytester, patient: None, client: str, tests: int
) -> None:
    copy("any_client", pytester)
    pytester.runpytest_inprocess(f"test_{client}.py").assert_outcomes(passed=tests)


@pytest.fixture(scope="session")
def kafka_jars() -> Path:
    """Kafka's jars, from the cache of this user: pytester changes ``HOME``."""
    return or_skip(lambda: fetch_jars(NEWEST_VERSION))


@pytest.mark.kafka
def test_applications_in_java_are_tested(
    kafka_jars: Path, pytester: pytest.Pytester, patient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy("any_client", pytester)
    monkeypatch.setenv("KAFKA_JARS", str(kafka_jars))
    pytester.runpytest_inprocess("test_java.py").assert_outcomes(passed=2)

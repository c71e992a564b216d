"""The plugin for pytest, by the tests of an application that use it."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest

import pytest_kafka_nextgen
from kafka_nextgen.testing import Cluster
from tests.support.descriptors import open_descriptors
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S, eventually

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("plugin")

#: The tests of an application, which run on each kind of cluster.
APPLICATION = """
import json
from kafka_nextgen import Consumer

seen = set()

def total(servers, group, topic):
    with Consumer(
        bootstrap_servers=servers, group_id=group, auto_offset_reset="earliest", value_deserializer=json.loads
    ) as consumer:
        consumer.subscribe([topic])
        found = []
        while len(found) < 2:
            found += consumer.poll()
        consumer.commit()
    return sum(record.value["amount"] for record in found)

def test_an_application_by_its_addresses(kafka_cluster, kafka_topic, kafka_group, kafka_bootstrap_servers):
    kafka_cluster.produce(kafka_topic, [{"amount": 3}, {"amount": 4}])
    assert total(kafka_bootstrap_servers, kafka_group, kafka_topic) == 7
    assert kafka_cluster.committed(kafka_group) == {(kafka_topic, 0): 2}
    assert kafka_cluster.lag(kafka_group, kafka_topic) == 0
    seen.update({kafka_topic, kafka_group})

def test_nothing_of_another_test_is_seen(kafka_cluster, kafka_topic, kafka_group):
    assert not seen & {kafka_topic, kafka_group}
    assert kafka_cluster.records(kafka_topic) == []
    assert kafka_cluster.group(kafka_group).members == ()

def test_two_consumers_share(kafka_cluster, kafka_topic_factory, kafka_consumer):
    orders = kafka_topic_factory("orders", partitions=2)
    assert orders.startswith("orders-")
    first, second = kafka_consumer(orders, client_id="first"), kafka_consumer(orders)
    kafka_cluster.wait_until_stable(first, second, timeout=60)
    assert len(first.assignment()) == len(second.assignment()) == 1

def test_records_that_come_later(kafka_cluster, kafka_topic, kafka_records):
    assert kafka_records(kafka_topic, 0) == []
    kafka_cluster.produce(kafka_topic, ["a", "b"])
    assert kafka_records(kafka_topic, 2).texts == ["a", "b"]
"""


def test_an_application_is_tested_on_the_embedded_broker(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(APPLICATION)
    pytester.runpytest_inprocess().assert_outcomes(passed=4)


def test_the_same_tests_run_on_a_kafka_that_is_running(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(APPLICATION)
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as cluster:
        result = pytester.runpytest_inprocess(f"--kafka={cluster.bootstrap_servers}")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["kafka: 127.0.0.1:*"])


def test_the_same_tests_run_on_each_release(each_real_release: KafkaServer, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(APPLICATION)
    pytester.runpytest_inprocess(f"--kafka={each_real_release.bootstrap_servers}").assert_outcomes(passed=4)


@pytest.mark.parametrize(("page", "tests"), [("README.md", 2), ("docs/guides/testing-your-application.md", 9)])
def test_the_tests_on_a_page_pass(pytester: pytest.Pytester, page: str, tests: int) -> None:
    files = [each for each in examples_on(page) if "def test_" in each]
    pytester.makepyfile(**{f"test_{number}": each for number, each in enumerate(files)})
    pytester.runpytest_inprocess().assert_outcomes(passed=tests)


def test_the_fixture_on_the_page_gives_each_test_a_cluster(pytester: pytest.Pytester) -> None:
    page = "docs/guides/testing-your-application.md"
    pytester.makeconftest(*[each for each in examples_on(page) if "\ndef kafka_cluster(" in each])
    pytester.makepyfile("def test_it(kafka_cluster, kafka_topic): assert kafka_cluster.records(kafka_topic) == []")
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def examples_on(page: str) -> list[str]:
    path = Path(pytest_kafka_nextgen.__file__).parents[1] / page
    return re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)


@pytest.mark.whole
def test_each_worker_of_xdist_has_a_cluster(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(APPLICATION)
    pytester.runpytest_subprocess("-n", "2", timeout=GUARD_S).assert_outcomes(passed=4)


@pytest.mark.whole
def test_workers_of_xdist_share_a_real_kafka(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(APPLICATION)
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as cluster:
        where = f"--kafka={cluster.bootstrap_servers}"
        pytester.runpytest_subprocess("-n", "2", where, timeout=GUARD_S).assert_outcomes(passed=4)


def test_the_clock_of_the_session_can_be_turned(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_a_consumer_that_does_not_poll_loses_its_partitions(
            kafka_cluster, kafka_topic, kafka_consumer, kafka_group
        ):
            consumer = kafka_consumer(kafka_topic, max_poll_interval_ms=10_000)
            kafka_cluster.wait_until_stable(consumer)
            kafka_cluster.advance(seconds=11)
            assert kafka_cluster.group(kafka_group).members == ()
            consumer.poll(0)
            assert not consumer.assignment()
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_a_test_can_have_a_cluster_of_its_own(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def kafka_cluster(kafka_cluster_factory):
            return kafka_cluster_factory()

        @pytest.mark.parametrize("turn", [1, 2])
        def test_names_may_be_fixed(kafka_cluster, kafka_consumer, turn):
            kafka_cluster.produce("orders", "a")
            assert len(kafka_cluster.records("orders")) == 1
            kafka_consumer("orders", group_id="billing")

        def test_it_takes_what_a_cluster_takes(kafka_cluster_factory):
            cluster = kafka_cluster_factory(brokers=2, config={"num.partitions": 5}, profile="4.0")
            assert cluster.bootstrap_servers.count(",") == 1
            cluster.produce("orders", "a", partition=4)
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=3)


def test_a_failure_of_wait_until_says_what_it_saw(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        def test_it(kafka_cluster, kafka_topic, kafka_records):
            kafka_cluster.produce(kafka_topic, "a")
            kafka_records(kafka_topic, 2, timeout=0)
        """
    )
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["*AssertionError: not so within 0 s*", "*records('test_it-*'): test_it-*[[]0] offset 0*"]
    )


def test_settings_of_a_consumer_come_before_those_of_all_clients(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture(scope="session")
        def kafka_client_config():
            return {"client.id": "shared", "bootstrap.servers": "localhost:1", "group.id": "shared"}

        def test_it(kafka_cluster, kafka_topic, kafka_consumer):
            kafka_cluster.wait_until_stable(kafka_consumer(kafka_topic, **{"group.id": "own"}), timeout=60)
            (member,) = kafka_cluster.group("own").members
            assert member.client_id == "shared"
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_doctests_have_topics(pytester: pytest.Pytester) -> None:
    pytester.makepyfile('"""\n>>> getfixture("kafka_topic")[:21]\n\'test_doctests_have_to\'\n"""')
    pytester.runpytest_inprocess("--doctest-modules").assert_outcomes(passed=1)


def test_consumers_are_closed_after_their_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from kafka_nextgen import MisuseError

        consumers = []

        def test_it(kafka_topic, kafka_consumer):
            consumers.append(kafka_consumer(kafka_topic))

        def test_the_next():
            with pytest.raises(MisuseError, match="closed"):
                consumers[0].poll(0)
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=2)


#: Half of these tests leave both consumers to the fixture.
MANY = """
import pytest

@pytest.mark.parametrize("turn", range({tests}))
def test_two_members(kafka_cluster, kafka_topic_factory, kafka_consumer, turn):
    orders = kafka_topic_factory(partitions=2)
    first, second = kafka_consumer(orders), kafka_consumer(orders)
    kafka_cluster.wait_until_stable(first, second, timeout=60)
    if turn % 2:
        second.close()
"""


@pytest.mark.parametrize("tests", [4, pytest.param(200, marks=pytest.mark.whole)])
def test_no_thread_and_no_descriptor_is_left(pytester: pytest.Pytester, tests: int) -> None:
    pytester.makepyfile(MANY.format(tests=tests))
    before = what_is_open()
    pytester.runpytest_inprocess("-q").assert_outcomes(passed=tests)
    eventually("all is closed", lambda: what_is_open() <= before, saw=lambda: what_is_open() - before)


def what_is_open() -> set[object]:
    """Threads and descriptors; other tests may close some of theirs meanwhile."""
    return {*threading.enumerate(), *open_descriptors().items()}

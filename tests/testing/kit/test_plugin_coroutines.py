"""Coroutines are tested with the fixtures of the plugin for pytest, by the plugins that run them."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.usefixtures("plugin")


def test_coroutines_of_anyio_are_tested(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import anyio, pytest
        from kafka_nextgen import AsyncConsumer

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @pytest.mark.anyio
        async def test_it(kafka_cluster, kafka_topic, kafka_group, kafka_bootstrap_servers):
            kafka_cluster.produce(kafka_topic, ["a"])
            async with AsyncConsumer(
                bootstrap_servers=kafka_bootstrap_servers, group_id=kafka_group, auto_offset_reset="earliest"
            ) as consumer:
                await consumer.subscribe([kafka_topic])
                while not (records := await consumer.poll(0.1)):
                    pass
                await consumer.commit()
                await kafka_cluster.wait_until_async(lambda: kafka_cluster.lag(kafka_group, kafka_topic) == 0)
            assert [record.value for record in records] == [b"a"]
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)


def test_coroutines_of_pytest_asyncio_are_tested(pytester: pytest.Pytester) -> None:
    pytest.importorskip("pytest_asyncio")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.asyncio
        async def test_it(kafka_cluster, kafka_topic):
            kafka_cluster.produce(kafka_topic, ["a"])
            assert await kafka_cluster.wait_until_async(lambda: kafka_cluster.records(kafka_topic))
        """
    )
    pytester.runpytest_inprocess().assert_outcomes(passed=1)

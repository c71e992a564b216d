"""Waiting for a condition: when it holds, what a failure says, whose time passes meanwhile, and what is refused."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from kafka_nextgen import AsyncConsumer, BrokerError, Consumer, MisuseError, TopicPartition
from kafka_nextgen.requests import api_versions
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.kit.waiting import Patience
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import MetadataRequest
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client


def test_waiting_returns_what_the_condition_returned(embedded: Cluster) -> None:
    embedded.produce("orders", "a")
    assert embedded.wait_until(lambda: embedded.records("orders").texts) == ["a"]


def test_a_function_with_asserts_holds_when_they_do(embedded: Cluster) -> None:
    tries = []

    def is_there() -> None:
        tries.append(1)
        if len(tries) == 3:
            embedded.produce("orders", "a")
        assert embedded.records("orders").texts == ["a"]

    embedded.wait_until(is_there)
    assert len(tries) == 3


def test_a_lambda_that_returns_nothing_does_not_hold(embedded: Cluster) -> None:
    with pytest.raises(AssertionError, match="not so within 0 s"):
        embedded.wait_until(lambda: None, timeout=0)


def test_a_failure_says_what_the_condition_saw(embedded: Cluster) -> None:
    embedded.produce("orders", ["a", "b"])
    with pytest.raises(AssertionError) as failure:
        embedded.wait_until(
            lambda: embedded.lag("billing", "orders") == 0 and embedded.group("billing").is_stable, timeout=0
        )
    with pytest.raises(AssertionError) as other:
        embedded.wait_until(lambda: len(embedded.records("orders")) == 3, timeout=0)
    said = str(failure.value)
    assert said.startswith(f"not so within 0 s: {__file__}:")
    assert 'lambda: embedded.lag("billing", "orders") == 0' in said
    assert "the last attempt saw:\n  lag('billing', 'orders'): orders[0]: 2" in said
    assert "  records('orders'):\n  orders[0] offset 0: key=None value=b'a'\n  orders[0] offset 1" in str(other.value)


def test_a_failure_shows_no_more_than_can_be_read(embedded: Cluster) -> None:
    embedded.produce("orders", [b"x" * 10_000] * 50)
    with pytest.raises(AssertionError) as failure:
        embedded.wait_until(lambda: not embedded.records("orders"), timeout=0)
    said = str(failure.value)
    assert len(said) < 40 * 600
    assert "xxx... and " in said
    assert "... and 10 more lines" in said


def test_a_failed_assert_is_shown_with_its_difference(embedded: Cluster) -> None:
    def is_empty() -> None:
        assert embedded.records("orders") == ["something"]

    with pytest.raises(AssertionError) as failure:
        embedded.wait_until(is_empty, timeout=0)
    assert "the last attempt failed: AssertionError\n" in str(failure.value)
    assert "records('orders'): no records" in str(failure.value)
    assert isinstance(failure.value.__cause__, AssertionError)


def test_a_condition_that_asked_nothing_is_said_to(embedded: Cluster) -> None:
    with pytest.raises(AssertionError, match="it asked the cluster nothing"):
        embedded.wait_until(lambda: False, timeout=0)


async def is_true_for_python() -> bool:
    return False


class Promise:
    """An awaitable that is no coroutine, such as a future."""

    def __await__(self) -> object:
        raise NotImplementedError


@pytest.mark.parametrize("condition", [is_true_for_python, Promise], ids=["coroutine", "another awaitable"])
async def test_a_condition_that_has_to_be_awaited_is_refused(
    embedded: Cluster, condition: Callable[[], object]
) -> None:
    with pytest.raises(MisuseError, match="the condition is a coroutine: pass a plain function"):
        await asyncio.to_thread(embedded.wait_until, condition)
    with pytest.raises(MisuseError, match="the condition is a coroutine: pass a plain function"):
        await embedded.wait_until_async(condition)


async def test_a_condition_that_is_no_function_is_refused(embedded: Cluster) -> None:
    condition: object = embedded.group("billing").is_stable
    with pytest.raises(TypeError, match="no function but already a result, False: put lambda: before it"):
        await asyncio.to_thread(embedded.wait_until, condition)
    with pytest.raises(TypeError, match="no function but already a result"):
        await embedded.wait_until_async(condition)  # type: ignore[arg-type]


def test_only_consumers_with_calls_that_block_are_polled(embedded: Cluster) -> None:
    with pytest.raises(TypeError, match="needs the consumers to poll"):
        embedded.wait_until_stable()
    with pytest.raises(TypeError, match="only a Consumer can be polled, not a list"):
        embedded.wait_until_stable([])  # type: ignore[arg-type]


@pytest.mark.parametrize("polling", [5, None])
def test_polling_is_a_list_of_consumers(embedded: Cluster, polling: Any) -> None:
    with pytest.raises(TypeError, match=f"polling is a list of consumers, not a {type(polling).__name__}"):
        embedded.wait_until(lambda: True, polling=polling)


def test_one_consumer_is_not_taken_for_a_list_whose_end_would_never_come(embedded: Cluster) -> None:
    with (
        Consumer(bootstrap_servers=embedded.bootstrap_servers) as consumer,
        pytest.raises(TypeError, match="polling is a list of consumers, not a Consumer"),
    ):
        embedded.wait_until(lambda: True, polling=consumer)  # type: ignore[arg-type]


@pytest.mark.parametrize("timeout", ["5", None, True])
async def test_a_timeout_is_a_number_of_seconds(embedded: Cluster, timeout: Any) -> None:
    with pytest.raises(TypeError, match="timeout is a number of seconds, not "):
        await embedded.wait_until_async(lambda: True, timeout)
    with pytest.raises(TypeError, match="timeout is a number of seconds, not "):
        await asyncio.to_thread(embedded.wait_until, lambda: True, timeout)


@pytest.mark.parametrize("timeout", [-1, math.nan])
def test_a_timeout_is_not_below_0(embedded: Cluster, timeout: float) -> None:
    with pytest.raises(ValueError, match="timeout is 0 seconds or more, not "):
        embedded.wait_until(lambda: True, timeout)


async def test_an_async_consumer_is_not_polled_elsewhere(embedded: Cluster) -> None:
    async with AsyncConsumer(bootstrap_servers=embedded.bootstrap_servers, group_id="billing") as consumer:
        with pytest.raises(TypeError, match=r"an AsyncConsumer polls in its event loop: .*wait_until_async"):
            await asyncio.to_thread(embedded.wait_until_stable, consumer)


def test_a_topic_that_is_not_there_yet_has_no_lag_of_0(embedded: Cluster) -> None:
    with pytest.raises(BrokerError, match="there is no topic orders in which group billing could have a lag"):
        embedded.lag("billing", "orders")
    tries = []

    def is_read() -> bool:
        tries.append(1)
        if len(tries) == 2:
            embedded.create_topic("orders")
        return embedded.lag("billing", "orders") == 0

    embedded.wait_until(is_read)
    assert len(tries) == 2


def test_other_errors_are_raised_at_once(embedded: Cluster) -> None:
    with pytest.raises(ZeroDivisionError):
        embedded.wait_until(lambda: 1 / 0)


def test_a_coordinator_that_is_loading_counts_as_not_yet(embedded: Cluster) -> None:
    with Cluster(brokers=2) as cluster:
        other = 3 - (cluster.coordinator_of("billing") or 0)
        with Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="billing") as consumer:
            cluster.produce("orders", "a")
            consumer.commit({TopicPartition("orders", 0): 1})
            with cluster.loading_held():
                cluster.move_coordinator("billing", other)
                with pytest.raises(BrokerError, match="COORDINATOR_LOAD_IN_PROGRESS"):
                    cluster.committed("billing")
                with pytest.raises(AssertionError, match="the last attempt failed: BrokerError"):
                    cluster.wait_until(lambda: cluster.group("billing").is_stable, timeout=0)
            assert cluster.wait_until(lambda: cluster.committed("billing"), GUARD_S) == {("orders", 0): 1}


def test_the_clusters_time_passes_while_a_test_waits(embedded: Cluster) -> None:
    assert time_passed_in_three_attempts(embedded) == pytest.approx(0.5)


def test_no_more_time_passes_than_a_test_waits(embedded: Cluster) -> None:
    before, attempts = embedded.clock.advanced_s, iter([False] * 5 + [True])
    embedded.wait_until(lambda: next(attempts), timeout=0.6)
    assert embedded.clock.advanced_s - before == pytest.approx(0.6)


def test_the_steps_of_its_time_become_longer(embedded: Cluster) -> None:
    moments, attempts = list[float](), iter([False] * 5 + [True])

    def is_over() -> bool:
        moments.append(embedded.clock.advanced_s)
        return next(attempts)

    embedded.wait_until(is_over, timeout=1.75)
    steps = [later - earlier for earlier, later in pairwise(moments)]
    assert steps == pytest.approx([0.25, 0.25, 0.5, 0.5, 0.25])


def test_its_time_is_left_for_later_while_a_client_can_t_follow() -> None:
    patience = Patience(0.25)
    assert [patience.next_step_s(["a client"]) for _ in range(50)] == [0] * 50
    assert [patience.next_step_s(()) for _ in range(2)] == [0.25, 0]


def test_it_does_not_while_other_clients_are_connected(embedded: Cluster) -> None:
    with Client(embedded.bootstrap_servers) as client:
        client.ask(apis.METADATA, MetadataRequest(topics=None))
        assert time_passed_in_three_attempts(embedded) == 0
    embedded.wait_until(lambda: not embedded._strangers(), GUARD_S)
    assert time_passed_in_three_attempts(embedded) == pytest.approx(0.5)


def test_nor_while_a_member_is_connected_whose_clock_is_another(embedded: Cluster) -> None:
    with Client(embedded.bootstrap_servers) as client:
        client.ask(apis.API_VERSIONS, api_versions.to_request("1"))
        assert time_passed_in_three_attempts(embedded) == pytest.approx(0.5), "it may be for administration only"
        client.ask(apis.HEARTBEAT, group_id="billing", generation_id=0, member_id="a")
        assert time_passed_in_three_attempts(embedded) == 0
        with pytest.raises(AssertionError, match=r"can't follow it: kafka-nextgen \(client.id=tests\) at 127"):
            embedded.wait_until(lambda: False, timeout=0)


#: A member in another process: it says when it has a partition, and ends when it is told to.
MEMBER = """
import sys
from kafka_nextgen import Consumer
with Consumer(bootstrap_servers=sys.argv[1], group_id="billing") as consumer:
    consumer.subscribe(["orders"])
    while not consumer.assignment():
        consumer.poll(0.1)
    print("assigned", flush=True)
    sys.stdin.read()
"""


def test_nor_while_a_member_of_another_process_is_connected(embedded: Cluster) -> None:
    embedded.create_topic("orders")
    command = [sys.executable, "-c", MEMBER, embedded.bootstrap_servers]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "assigned\n"
        assert time_passed_in_three_attempts(embedded) == 0
        other.communicate()
    assert embedded.group("billing").members == ()


def test_it_does_while_only_consumers_of_this_process_are_connected(embedded: Cluster) -> None:
    with Consumer(bootstrap_servers=embedded.bootstrap_servers, group_id="billing") as consumer:
        embedded.create_topic("orders")
        consumer.subscribe(["orders"])
        embedded.wait_until_stable(consumer, timeout=GUARD_S)
        eventually(  # a connection that the consumer has closed is a stranger's until the broker notices
            "time passes",
            lambda: time_passed_in_three_attempts(embedded) == pytest.approx(0.5),
            saw=embedded._strangers,
        )


def time_passed_in_three_attempts(cluster: Cluster) -> float:
    before, attempts = cluster.clock.advanced_s, iter([False, False, True])
    cluster.wait_until(lambda: next(attempts))
    return cluster.clock.advanced_s - before


def test_only_the_thread_that_waits_notes_what_it_sees(embedded: Cluster) -> None:
    def ask_elsewhere() -> bool:
        asking = threading.Thread(target=embedded.records, args=("orders",))
        asking.start()
        asking.join()
        return False

    with pytest.raises(AssertionError, match="it asked the cluster nothing"):
        embedded.wait_until(ask_elsewhere, timeout=0)


async def test_a_coroutine_waits_without_blocking_its_loop(embedded: Cluster) -> None:
    embedded.create_topic("orders", partitions=2)
    with pytest.raises(MisuseError, match=r"await cluster\.wait_until_async"):
        embedded.wait_until(lambda: True)
    async with AsyncConsumer(bootstrap_servers=embedded.bootstrap_servers, group_id="billing") as consumer:
        await consumer.subscribe(["orders"])

        async def poll() -> None:
            while True:
                await consumer.poll(0.1)

        polling = asyncio.ensure_future(poll())
        group = embedded.group
        assert await embedded.wait_until_async(lambda: group("billing").is_stable and consumer.assignment(), GUARD_S)
        assert len(consumer.assignment()) == 2
        polling.cancel()
    with pytest.raises(AssertionError, match="not so within 0 s"):
        await embedded.wait_until_async(lambda: False, timeout=0)

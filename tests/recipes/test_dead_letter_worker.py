"""The worker with a dead-letter topic: started, used and ended by SIGTERM, with what it committed."""

from __future__ import annotations

import pytest

from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import started
from tests.support.clients import create_named_topic
from tests.support.waiting import GUARD_S


def worker(cluster: Cluster) -> tuple[str, ...]:
    return ("--bootstrap-servers", cluster.bootstrap_servers, "--group", "billing", "--to", "orders.dead")


@pytest.fixture
def orders(cluster: Cluster) -> Cluster:
    """Ten orders in two partitions; one more, which is no JSON, is the first of its partition."""
    cluster.create_topic("orders.dead")
    cluster.produce("orders", ProducerRecord("{poison", "k", headers={"source": "shop"}, partition=0))
    cluster.produce("orders", [ProducerRecord({"id": number}, "k", partition=number % 2) for number in range(10)])
    return cluster


def test_all_is_handled_once_what_fails_is_put_aside_and_sigterm_commits(orders: Cluster) -> None:
    with started("dead_letter_worker", *worker(orders)) as program:
        program.await_lines(10)
        orders.wait_until(lambda: len(orders.records("orders.dead")) == 1, GUARD_S)
        assert program.terminate() == 0, program.errors
    assert sorted(program.lines) == sorted(f"order {number} is handled" for number in range(10))
    assert orders.committed("billing") == {("orders", 0): 6, ("orders", 1): 5}
    (dead,) = orders.records("orders.dead")
    assert (dead.key, dead.value) == (b"k", b"{poison")
    assert dict(dead.headers) == {
        "source": b"shop",
        "origin": b"orders[0] 0",
        "error": b"JSONDecodeError('Expecting property name enclosed in double quotes: line 1 column 2 (char 1)')",
    }
    assert [line for line in program.errors if line.startswith("orders[0] 0 went to orders.dead")]
    assert orders.group("billing").members == ()


def test_the_next_worker_goes_on_where_this_one_ended(orders: Cluster) -> None:
    with started("dead_letter_worker", *worker(orders)) as program:
        program.await_lines(10)
        program.terminate()
    orders.produce("orders", ProducerRecord({"id": 10}, "k", partition=0))
    with started("dead_letter_worker", *worker(orders)) as program:
        program.await_lines(1)
        assert program.terminate() == 0, program.errors
    assert program.lines == ["order 10 is handled"]
    assert orders.lag("billing", "orders") == 0
    assert len(orders.records("orders.dead")) == 1, "it was put aside once"


def test_what_could_not_be_put_aside_is_not_committed(cluster: Cluster) -> None:
    create_named_topic(cluster.bootstrap_servers, "orders.dead", config={"max.message.bytes": "100"})
    cluster.produce("orders", ProducerRecord({"id": 1}, partition=1))
    with started("dead_letter_worker", *worker(cluster)) as program:
        program.await_lines(1)
        cluster.produce("orders", ProducerRecord("{" + "poison" * 100, partition=0))
        assert program.wait() == 1
    assert "was not written to orders.dead" in "\n".join(program.errors)
    assert cluster.committed("billing").get(("orders", 0), 0) == 0

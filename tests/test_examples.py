"""Every example runs as a user would run it: a process of its own, against a broker."""

from __future__ import annotations

import asyncio
import json
import runpy
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pyarrow.parquet
import pytest

from kafka_nextgen import Consumer, GroupAdmin, TopicPartition
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.producing.producer import Producer, connect
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire.records import NewRecord
from tests.support.example_programs import EXAMPLES, RECORDS, run_example

ORDERS = [f"order {number}".encode() for number in range(RECORDS)]


def write(servers: str, topic: str, values: list[bytes]) -> None:
    async def run() -> None:
        cluster = await connect(ConsumerConfig.parse(bootstrap_servers=servers), 10.0)
        try:
            records = [NewRecord(value, key=str(number).encode()) for number, value in enumerate(values)]
            await Producer(cluster, topic).send(records)
        finally:
            await cluster.close()

    asyncio.run(run())


@pytest.fixture(scope="module")
def servers() -> Iterator[str]:
    with Cluster(config={"group.consumer.assignment.interval.ms": 0}) as cluster:
        cluster.create_topic("orders", partitions=3)
        cluster.create_topic("invoices")
        cluster.create_topic("json-orders")
        write(cluster.bootstrap_servers, "orders", ORDERS)
        yield cluster.bootstrap_servers


def test_every_example_is_tested() -> None:
    helpers = {"arguments", "local_spark"}
    assert {path.stem for path in EXAMPLES.glob("*.py")} - helpers == {
        "assignor_in_a_test",
        "asyncio_consumer",
        "catching_up",
        "celery_orders",
        "consume_transform_produce",
        "dead_letter_worker",  # the programs of docs/guides/recipes are in tests/recipes
        "fastapi_service",
        "gunicorn_conf",
        "gunicorn_service",
        "json_to_duckdb",
        "kubernetes_worker",
        "lagging_groups",
        "logging_as_json",
        "manual_assignment",
        "opentelemetry_tracing",
        "opentelemetry_worker",
        "own_assignor",
        "parallel_processing",
        "rebalance_listener",
        "history_nightly",  # those with Spark are in tests/pyspark
        "history_stream",
        "spark_backfill",
        "spark_flights",
        "static_member",
        "sync",
    }


#: How the first line and the last begin, for the examples that say more than what they read.
SAYS = {
    "rebalance_listener": ("assigned orders[0-2]", "revoked orders[0-2]"),
    "static_member": ("", "static_member-7 keeps orders[0-2]"),
    "opentelemetry_tracing": ("", f"{RECORDS} records, "),
}


@pytest.mark.parametrize("name", ["sync", "asyncio_consumer", "manual_assignment", "parallel_processing", *SAYS])
def test_an_example_reads_every_record(name: str, servers: str) -> None:
    instance = ("--instance", "static_member-7") if name == "static_member" else ()
    lines = run_example(name, servers, "--group", name, *instance)
    orders = {line.split("b'")[1].rstrip("'") for line in lines if "b'" in line}
    assert orders == {f"order {number}" for number in range(RECORDS)}
    first, last = SAYS.get(name, ("", ""))
    assert lines[0].startswith(first)
    assert lines[-1].startswith(last)
    if name == "opentelemetry_tracing":
        assert lines.count("process orders") == RECORDS, "a span of every turn"
        assert len({line.partition(" ")[0] for line in lines if "b'order" in line}) == RECORDS


def test_a_topic_of_json_goes_to_duckdb_and_to_parquet(servers: str, tmp_path: Path) -> None:
    orders = [{"id": number, "country": "SE" if number % 2 else "NZ", "price": f"{number}.50"} for number in range(10)]
    write(servers, "json-orders", [json.dumps(order).encode() for order in orders])
    program, file = EXAMPLES / "json_to_duckdb.py", tmp_path / "orders.parquet"
    _, _, code = program.read_text().partition('"""\n\n')
    assert len(list(filter(None, code.splitlines()))) == 10, "docs/guides/tables.md says so"
    shown = subprocess.run([sys.executable, program, servers, file], capture_output=True, text=True, check=True).stdout
    assert [line.split("│")[1:-1] for line in shown.splitlines() if "SE" in line or "NZ" in line] == [
        [" NZ      ", "      5 ", "         22.50 "],
        [" SE      ", "      5 ", "         27.50 "],
    ]
    assert pyarrow.parquet.read_table(file)["id"].to_pylist() == list(range(10))


def test_each_order_is_transformed_once(servers: str) -> None:
    lines = run_example("consume_transform_produce", servers, "--group", "transform", "--to", "invoices")
    assert lines[-1] == f"{RECORDS} records transformed"
    with Consumer(bootstrap_servers=servers, isolation_level="read_committed", auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition("invoices", 0)])
        values = [record.value for record in islice(reader, RECORDS)]
        assert not reader.poll(0.2)
    assert sorted(values) == sorted(f"ORDER {number}".encode() for number in range(RECORDS))


def test_reading_by_hand_ends_by_itself(servers: str) -> None:
    assert len(run_example("manual_assignment", servers, "--max-messages", "1000")) == RECORDS


def test_groups_that_are_behind_are_named(servers: str) -> None:
    with GroupAdmin(bootstrap_servers=servers) as admin:
        admin.alter_offsets("late", {TopicPartition("orders", number): 0 for number in range(3)}).all()
    lines = run_example("lagging_groups", servers)
    assert f"late (classic, Empty, 0 members): {RECORDS} behind in orders[0-2]" in lines


def test_four_processes_share_by_what_they_say_and_read_each_record_once(servers: str) -> None:
    before, after, verdict = run_example("own_assignor", servers, "--max-messages", "1000")
    assert before == "capacities 1 1 1 1: partitions 3 3 3 3"
    assert after == "capacities 3 1 1 1: partitions 6 2 2 2"
    assert verdict.endswith(" records, each read once by one of 4 processes")
    assert int(verdict.split()[0]) >= 1000


def test_a_member_that_is_behind_shares_its_work_if_it_may_say_so(servers: str) -> None:
    assert run_example("catching_up", servers) == [
        "uniform: of the partitions to catch up on, the members have 0 4",
        "weighted: of the partitions to catch up on, the members have 2 2",
    ]


def test_the_example_of_a_test_passes() -> None:
    found = runpy.run_path(str(EXAMPLES / "assignor_in_a_test.py"))
    (test,) = (found[name] for name in found if name.startswith("test_"))
    test()

"""A newcomer's afternoon: three typical programs of other clients, ported with the guides, do what they did before.

The programs are in ``examples/migrating``. Each runs as a process, until it has printed a line for each order, and
ends by SIGTERM.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafka_nextgen.migrating.clients import CLIENTS
from kafka_nextgen.migrating.programs import findings_in_program
from kafka_nextgen.testing import Cluster
from tests.support.peers import installed
from tests.support.waiting import GUARD_S

PROGRAMS = Path(__file__).parents[2] / "examples" / "migrating"
ORDERS = [(f"customer {number % 3}", json.dumps({"price": number})) for number in range(12)]
BROKEN = ("customer 1", "no JSON")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    config = {"group.consumer.assignment.interval.ms": 0, "group.initial.rebalance.delay.ms": 0}
    with Cluster(config=config) as running:
        mixed = [*ORDERS[:5], BROKEN, *ORDERS[5:], BROKEN]
        for topic, records in (("orders", ORDERS), ("spent", ORDERS), ("mixed", mixed)):
            running.create_topic(topic)
            running.produce(topic, records)
        yield running


def run(program: str, servers: str, last: str, *options: str) -> list[str]:
    """Run a program until it prints the last line of its work, end it by SIGTERM, and return all of its lines."""
    arguments = [sys.executable, str(PROGRAMS / f"{program}.py"), "--bootstrap-servers", servers, *options]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        lines: list[str] = []
        while not lines or not lines[-1].startswith(last):
            lines.append(process.stdout.readline().rstrip("\n"))  # type: ignore[union-attr]
            assert lines[-1], process.communicate(timeout=GUARD_S)
        process.terminate()
        rest, errors = process.communicate(timeout=GUARD_S)
        assert process.returncode == 0, errors
        return [*lines, *rest.splitlines()]
    finally:
        process.kill()


def test_invoices_of_confluent_kafka(cluster: Cluster) -> None:
    installed("confluent_kafka")
    before, after = (
        run(f"confluent_kafka_{when}", cluster.bootstrap_servers, "invoice 11", "--group", f"invoices-{when}")
        for when in ("before", "after")
    )
    assert before == [f"invoice {number} for customer {number % 3}: {number}" for number in range(12)]
    assert after == before
    assert cluster.committed("invoices-before") == cluster.committed("invoices-after") == {("orders", 0): 12}


def test_checks_of_kafka_python(cluster: Cluster) -> None:
    installed("kafka")
    found = {}
    for when in ("before", "after"):
        dead = f"dead-{when}"
        options = ("--group", f"checks-{when}", "--topic", "mixed", "--dead-letters", dead)
        lines = run(f"kafka_{when}", cluster.bootstrap_servers, "order 13", *options)
        letters = [(record.key, record.value, record.headers) for record in cluster.records(dead)]
        found[when] = lines, letters, cluster.committed(f"checks-{when}")
    assert found["after"] == found["before"]
    lines, letters, committed = found["after"]
    assert lines[5] == "order 5 is a dead letter"
    assert letters == [(b"customer 1", b"no JSON", (("error", b"JSONDecodeError"),))] * 2
    assert committed == {("mixed", 0): 14}


def test_totals_of_aiokafka_which_are_continued_by_the_ported_program(cluster: Cluster, tmp_path: Path) -> None:
    installed("aiokafka")
    totals = ["customer 0 spent 18", "customer 1 spent 22", "customer 2 spent 26"]
    for when in ("before", "after"):
        options = ("--group", f"totals-{when}", "--topic", "spent", "--database", str(tmp_path / f"{when}.db"))
        lines = run(f"aiokafka_{when}", cluster.bootstrap_servers, "added 12", *options)
        assert lines[-4:] == ["at 12", *totals]
    cluster.produce("spent", ("customer 0", json.dumps({"price": 100})))
    options = ("--group", "totals-before", "--topic", "spent", "--database", str(tmp_path / "before.db"))
    lines = run("aiokafka_after", cluster.bootstrap_servers, "added 13", *options)
    assert lines == ["added 13", "at 13", "customer 0 spent 118", *totals[1:]]


@pytest.mark.parametrize("package", CLIENTS)
def test_the_command_says_what_to_change_before_and_nothing_after(package: str) -> None:
    before, after = ((PROGRAMS / f"{package}_{when}.py").read_text() for when in ("before", "after"))
    assert len(findings_in_program(before)) >= 8
    assert findings_in_program(after) == []

"""A newcomer's afternoon: three typical programs of other clients, ported with the guides, do what they did before.

The programs are in ``examples/migrating``. Each runs as a process, until it has printed a line for each order, and
ends by SIGTERM, on the embedded broker and on real Kafka.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import frozen

from kafka_nextgen.migrating.clients import CLIENTS
from kafka_nextgen.migrating.programs import findings_in_program
from kafka_nextgen.testing import RealCluster
from tests.support.clients import unique
from tests.support.kafka_server import KafkaServer
from tests.support.peers import installed
from tests.support.waiting import GUARD_S

PROGRAMS = Path(__file__).parents[2] / "examples" / "migrating"
ORDERS = [(f"customer {number % 3}", json.dumps({"price": number})) for number in range(12)]
BROKEN = ("customer 1", "no JSON")


@frozen
class Scene:
    """A topic of orders, another one with broken ones among them, and groups and topics of new names."""

    cluster: RealCluster
    orders: str
    mixed: str

    @property
    def servers(self) -> str:
        return self.cluster.bootstrap_servers


@pytest.fixture
def scene(kafka: KafkaServer) -> Iterator[Scene]:
    with RealCluster(kafka.bootstrap_servers) as cluster:
        scene = Scene(cluster, unique("orders"), unique("mixed"))
        for topic, records in ((scene.orders, ORDERS), (scene.mixed, [*ORDERS[:5], BROKEN, *ORDERS[5:], BROKEN])):
            cluster.create_topic(topic)
            cluster.produce(topic, records)
        yield scene


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


def test_invoices_of_confluent_kafka(scene: Scene) -> None:
    installed("confluent_kafka")
    found = {}
    for when in ("before", "after"):
        options = ("--group", unique(f"invoices-{when}"), "--topic", scene.orders)
        lines = run(f"confluent_kafka_{when}", scene.servers, "invoice 11", *options)
        found[when] = lines, scene.cluster.committed(options[1])
    assert found["after"] == found["before"]
    lines, committed = found["after"]
    assert lines == [f"invoice {number} for customer {number % 3}: {number}" for number in range(12)]
    assert committed == {(scene.orders, 0): 12}


def test_checks_of_kafka_python(scene: Scene) -> None:
    installed("kafka")
    found = {}
    for when in ("before", "after"):
        group, dead = unique(f"checks-{when}"), unique("dead")
        scene.cluster.create_topic(dead)
        options = ("--group", group, "--topic", scene.mixed, "--dead-letters", dead)
        lines = run(f"kafka_{when}", scene.servers, "order 13", *options)
        letters = [(record.key, record.value, record.headers) for record in scene.cluster.records(dead)]
        found[when] = lines, letters, scene.cluster.committed(group)
    assert found["after"] == found["before"]
    lines, letters, committed = found["after"]
    assert lines[5] == "order 5 is a dead letter"
    assert letters == [(b"customer 1", b"no JSON", (("error", b"JSONDecodeError"),))] * 2
    assert committed == {(scene.mixed, 0): 14}


def test_totals_of_aiokafka_which_are_continued_by_the_ported_program(scene: Scene, tmp_path: Path) -> None:
    installed("aiokafka")
    totals = ["customer 0 spent 18", "customer 1 spent 22", "customer 2 spent 26"]
    options = {
        when: ("--group", unique("totals"), "--topic", scene.orders, "--database", str(tmp_path / f"{when}.db"))
        for when in ("before", "after")
    }
    for when in options:
        lines = run(f"aiokafka_{when}", scene.servers, "added 12", *options[when])
        assert lines[-4:] == ["at 12", *totals]
    scene.cluster.produce(scene.orders, ("customer 0", json.dumps({"price": 100})))
    lines = run("aiokafka_after", scene.servers, "added 13", *options["before"])
    assert lines == ["added 13", "at 13", "customer 0 spent 118", *totals[1:]]


@pytest.mark.parametrize("package", CLIENTS)
def test_the_command_says_what_to_change_before_and_nothing_after(package: str) -> None:
    before, after = ((PROGRAMS / f"{package}_{when}.py").read_text() for when in ("before", "after"))
    assert len(findings_in_program(before)) >= 8
    assert findings_in_program(after) == []

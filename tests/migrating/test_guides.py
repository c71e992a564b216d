"""The guides: their tables are those of the code, their programs run, and a ported one does what the old one did.

A page has pairs of programs, before and after. Each runs on the embedded broker, whose topic ends with a record that
ends the program: ``process`` raises when it gets it.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from attrs import Factory, define

from kafka_nextgen import GroupAdmin, TopicPartition
from kafka_nextgen.migrating.clients import CLIENTS, Client
from kafka_nextgen.migrating.programs import findings_in_program
from kafka_nextgen.testing import Cluster
from tests.support.peers import installed

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "migrating"
ORDERS = TopicPartition("orders", 0)
LAST = b"the last order"
VALUES = [*(f"order {number}".encode() for number in range(6)), LAST]
CLIENT = [pytest.param(client, id=client.name) for client in CLIENTS.values()]


def programs_of(page: str) -> list[tuple[str, str]]:
    """The programs of a page, each with the heading above it."""
    found = []
    heading = ""
    text = (FOLDER / page).read_text()
    for part in re.findall(r"^#+ ([^\n]*)$|```python\n(.*?)```", text, re.MULTILINE | re.DOTALL):
        heading = part[0] or heading
        if part[1]:
            found.append((heading, dedent(part[1])))
    return found


def pairs() -> list[object]:
    return [
        pytest.param(client.package, before[1], after[1], id=f"{client.name}: {after[0]}")
        for client in CLIENTS.values()
        for before, after in list(pairwise(programs_of(f"{client.name}.md")))[::2]
    ]


class EndedError(Exception):
    """Raised by ``process``, so that a program ends."""


@define
class Run:
    """One run of a program, in a group of its own, and what it passed to ``process``."""

    cluster: Cluster
    group: str
    processed: list[tuple[object, ...]] = Factory(list)

    def process(self, *values: object) -> None:
        if LAST in values:
            raise EndedError
        self.processed.append(values)

    def of(self, program: str) -> None:
        text = program.replace("localhost:9092", self.cluster.bootstrap_servers).replace('"billing"', f'"{self.group}"')
        names: dict[str, Any] = {"process": self.process, "__name__": "program"}
        try:
            exec(compile(text, "program", "exec"), names)
        except EndedError:
            if "consumer" in names:  # its threads would go on in this process
                names["consumer"].close()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    config = {"group.consumer.assignment.interval.ms": 0, "group.initial.rebalance.delay.ms": 0}
    with Cluster(config=config) as running:
        running.create_topic("orders")
        running.create_topic("invoices")
        running.produce("orders", [(str(number), value) for number, value in enumerate(VALUES)])
        yield running


@pytest.mark.parametrize("client", CLIENT)
def test_the_tables_of_a_page_are_those_of_the_code(client: Client) -> None:
    installed(client.package)
    tool = runpy.run_path(str(ROOT / "docs" / "tools" / "make_migrating.py"))
    page = tool["PAGES"][client.name].read_text()
    assert page == tool["migrating_page"](client), "run python docs/tools/make_migrating.py"


def test_every_page_is_in_the_index() -> None:
    index = (FOLDER / "index.md").read_text()
    assert {page.name for page in FOLDER.glob("*.md")} - {"index.md"} == {
        f"{each.name}.md" for each in CLIENTS.values()
    }
    assert all(f"({each.name}.md)" in index for each in CLIENTS.values())


@pytest.mark.parametrize(("package", "before", "after"), pairs())
def test_a_ported_program_does_what_the_old_one_did(
    cluster: Cluster, request: pytest.FixtureRequest, package: str, before: str, after: str
) -> None:
    installed(package)
    name = re.sub(r"\W+", "-", request.node.callspec.id)
    old, new = Run(cluster, f"{name}-old"), Run(cluster, f"{name}-new")
    if "committed(" in before or "AdminClient" in before:
        with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            for run in (old, new):
                admin.alter_offsets(run.group, {ORDERS: 2}).all()
    old.of(before)
    new.of(after)
    assert old.processed
    assert new.processed == old.processed
    if "commit(" in before and "Listener" not in before:
        assert [cluster.committed(run.group) for run in (old, new)] == [{ORDERS: len(VALUES) - 1}] * 2


@pytest.mark.parametrize(("package", "before", "after"), pairs())
def test_the_command_finds_what_to_change_in_the_old_program_only(package: str, before: str, after: str) -> None:
    stays = "AdminClient" in before  # it may be ported, and need not be
    assert bool(findings_in_program(before)) is not stays
    assert findings_in_program(after) == []
    assert package in before


def test_the_program_of_the_index_runs(cluster: Cluster) -> None:
    ((_, program),) = programs_of("index.md")
    Run(cluster, "index").of(program)

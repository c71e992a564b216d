"""The benchmark of rates and partitions at sizes at which nothing can be measured."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from math import nan
from pathlib import Path

import pytest

from benchmarks import rates
from benchmarks.delays.java import Java, java
from benchmarks.delays.task import Delays
from benchmarks.idling.task import Idleness
from benchmarks.idling.task import Task as WaitingTask
from benchmarks.kafka import create_topic
from benchmarks.many_partitions import PEER
from benchmarks.pacing.cases import BASELINE, BY_PARTITIONS, BY_RATE, CASES, HANDLERS, JAVA, Case, Rounds
from benchmarks.pacing.page import PAGE_NAME, in_menu, page_text
from benchmarks.pacing.report import BEHIND, NOTHING, axis_tables, idle_table
from benchmarks.page import PAGE, write_page, write_section
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support.real_kafka import is_required

RUN = "kafka_nextgen, run"
TINY = (Case(20, 1, 0.2, 0.1), Case(50, 2, 0.2, 0.1))


def delays(records: int, ms: float, cpu_s: float) -> Delays:
    return Delays.of([int(ms * 1e6)] * records, cpu_s, None, (0, 1))


def cells(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines() if line.startswith("|")]


@pytest.fixture
def of_java() -> Iterator[Java]:
    try:
        with java() as process:
            yield process
    except NoKafkaError as reason:
        if is_required():
            raise
        pytest.skip(str(reason))


def test_the_cases_are_those_of_both_axes() -> None:
    assert [case.records_per_s for case in BY_RATE] == [1, 50, 500, 5000, 50_000]
    assert [case.partitions for case in BY_PARTITIONS] == [1, 6, 100, 1000, 5000]
    assert len(CASES) == 9
    assert next(iter(HANDLERS)) == BASELINE


def test_a_client_is_told_by_the_baseline() -> None:
    rounds: Rounds = {
        BASELINE: [delays(11, 1.0, 0.001), delays(11, 2.0, 0.002)],
        RUN: [delays(11, 0.5, 0.002), delays(11, 3.0, 0.001)],
    }
    told = cells(axis_tables(rates.RATES, {Case(5, 1, 2.0): rounds}))
    assert told[2:4] == [[f"{BASELINE}, µs", "150 (100..200)"], [RUN, "1 (0.5..2)"]]
    assert [f"{BASELINE}, ms", "1.5 (1..2)"] in told
    assert [RUN, "1.2 (0.5..1.5)"] in told
    assert told[-1][1] == "22"


def test_a_percentile_with_too_few_records_beyond_it_is_left_out() -> None:
    known = {}
    for records in (19, 20, 999, 1000):
        rounds: Rounds = {BASELINE: [delays(records, 1.0, 1.0)]}
        told = [row[1] for row in cells(axis_tables(rates.RATES, {Case(5, 1, 2.0): rounds})) if row[0].endswith(", ms")]
        known[records] = [cell != NOTHING for cell in told]
    assert known == {
        19: [False, False, False],
        20: [True, False, False],
        999: [True, False, False],
        1000: [True, True, False],
    }


def test_a_client_that_does_not_keep_up_is_told_by_its_processor_time_only() -> None:
    rounds: Rounds = {BASELINE: [delays(2000, 1.0, 1.0)], RUN: [delays(1700, 1.0, 1.7)], JAVA: [delays(1900, 2.0, 1.0)]}
    told = cells(axis_tables(rates.RATES, {Case(5, 1, 2.0): rounds}))
    assert [row[1] for row in told if row[0] == RUN] == ["2", BEHIND, BEHIND, NOTHING]
    assert [row[1] for row in told if row[0] == JAVA] == ["1.1", "2", "2", NOTHING]


def test_cases_are_measured_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for axis in ("BY_RATE", "BY_PARTITIONS"):
        monkeypatch.setattr(rates, axis, TINY)
    handlers = {name: HANDLERS[name] for name in (BASELINE, RUN)}
    with Cluster() as cluster:
        measured = rates.measure(cluster.bootstrap_servers, TINY, handlers, 1, {}, 0.1)
    assert tuple(measured) == TINY
    for rounds in measured.values():
        for (one,) in rounds.values():
            assert one.records > 0
            assert 0 < one.at(0.5) < 5
            assert one.cpu_s_per_record > 0
    rates.draw(rates.Measured(measured, {RUN: [Idleness(0.1, nan)]}), tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "rates-by-partitions.svg",
        "rates-by-rate.svg",
        "rates-idle.svg",
    ]


@pytest.mark.kafka
def test_java_handles_and_waits(of_java: Java) -> None:
    with Cluster() as cluster:
        measured = rates.measure(
            cluster.bootstrap_servers, TINY[:1], {JAVA: HANDLERS[JAVA]}, 2, {HANDLERS[JAVA]: of_java.handle}, 0.1
        )
        topic = create_topic(cluster.bootstrap_servers, 2)
        idle = of_java.wait(WaitingTask(JAVA, cluster.bootstrap_servers, topic, 2, 0.1, 0.2))
    for one in measured[TINY[0]][JAVA]:
        assert one.records > 0
        assert 0 < one.at(0.5) < 60
        assert one.cpu_s_per_record > 0
    assert 0 < idle.cpu_share < 10


def test_the_page_is_written_and_put_into_the_menu(tmp_path: Path) -> None:
    rounds: Rounds = {BASELINE: [delays(11, 1.0, 0.001)]}
    idle = {PEER: [Idleness(0.002, nan), Idleness(0.004, nan)], "ours": [Idleness(0.001, nan), Idleness(0.002, nan)]}
    measured = rates.Measured(dict.fromkeys(CASES, rounds), idle)
    assert cells(idle_table(idle, PEER))[-1] == ["ours", "1.5 (1..2)", "0.5"]
    index = tmp_path / "index.md"
    shutil.copy(PAGE, index)
    for _ in range(2):
        page = write_page(PAGE_NAME, page_text(5, 1000, rates.figures(measured, "a run.")), tmp_path)
        write_section(PAGE_NAME, in_menu(), index)
    text = page.read_text()
    assert "{" not in text
    assert "\na run.\n" in text
    assert index.read_text().count(f"\n{PAGE_NAME}\n") == 1
    assert index.read_text().count(f"]({PAGE_NAME}.md)") == 1

"""The benchmarks of the history, at sizes at which nothing can be measured."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import history_cost
from benchmarks.history_events import Told, write_events
from benchmarks.history_writer import Case, cases, measure, run
from benchmarks.spark_history import steps_table
from benchmarks.usage import Step, measured
from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.facts import GroupSummary, MemberSummary, Rebalance
from kafka_nextgen.history.log_reader import Problems, read_log


def test_all_cases_run_and_have_a_row() -> None:
    rows = run(rounds=1, events=300, paced_s=0.01).splitlines()
    assert len(rows) == 2 + len(cases(300, 0.01))


def test_what_does_not_find_room_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    found = measure(Case("all", 2_000, None, capacity=2_000), path)
    assert found.dropped == 0
    assert path.read_text().count("\n") == 2_000
    assert 0 < found.p50_s <= found.p99_s <= found.longest_s


def test_what_a_members_log_costs_is_told_for_each_way_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_cost, "WARM_UP_S", 2.0)
    sizes = {"rounds": 1, "records": 3000, "seconds": 0.2, "records-per-s": 100, "partitions": 2}
    arguments = [part for name, value in sizes.items() for part in (f"--{name}", str(value))]
    done = CliRunner().invoke(history_cost.main, ["--kafka", "embedded", *arguments])
    assert done.exit_code == 0, done.output
    rows = [line.split("|")[1].strip() for line in done.stdout.splitlines() if line.startswith("| ")]
    assert rows == ["reading", "for record in consumer", "batches(50000), to_arrow()", "delay, ms", "p50", "p99"]
    assert "nan" not in done.stdout


def test_synthetic_events_come_to_what_their_writer_says(tmp_path: Path) -> None:
    told = write_events(tmp_path, 5_000, groups=3, processes=1)
    problems = Problems()
    facts = analyze(read_log([tmp_path], problems)).facts
    assert not problems
    groups = [fact for fact in facts["groups"] if isinstance(fact, GroupSummary)]
    assert Told(
        events=sum(each.events for each in groups),
        rebalances=sum(each.rebalances for each in groups),
        moved=sum(each.moved for each in facts["rebalances"] if isinstance(each, Rebalance)),
        stood_ms=sum(each.stood_ms for each in groups),
        members=sum(each.members for each in groups),
        poll_timeouts=sum(each.poll_timeouts for each in facts["members"] if isinstance(each, MemberSummary)),
        lags=len(facts["lags"]),
    ) == told  # fmt: skip
    assert min(told.rebalances, told.moved, told.stood_ms, told.poll_timeouts) > 0


def check_steps() -> None:
    steps: list[Step] = []
    with measured("add", steps):
        subprocess.run([sys.executable, "-c", "sum(range(5_000_000)); import time; time.sleep(1.2)"], check=True)
    (step,) = steps
    assert step.took_s > 1.2
    assert step.cpu_s > 0
    assert step.peak.python == step.peak.total > 1_000
    assert steps_table(steps, 12).splitlines()[2].startswith("| add  | ")


def test_steps_tell_what_the_processes_below_used() -> None:
    """In a process of its own: below that of the tests another test's Kafka may run, which would count as well."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        alone.submit(check_steps).result()

"""The benchmark of the history's file at a size at which nothing can be measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks import history_cost
from benchmarks.history_writer import Case, cases, measure, run


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

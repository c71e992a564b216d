"""The benchmark of the history's file at a size at which nothing can be measured."""

from __future__ import annotations

from pathlib import Path

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

"""How the benchmark of reading through rebalances reads what it saw."""

from __future__ import annotations

import pytest

from benchmarks.gap.report import Callback, Gap, dump_gaps, load
from benchmarks.gap.run import Measured, Rebalance
from benchmarks.rebalance_gap import Figures, gaps_table

KEPT = frozenset({0})


def measured(*gaps: Gap) -> Measured:
    rebalances = [Rebalance(10, 12, KEPT), Rebalance(20, 22, KEPT)]
    return Measured("any", rebalances, gaps, [Callback("revoked", 10.5, 10.8, frozenset({1}))])


def test_the_longest_gap_of_a_kept_partition_counts() -> None:
    moved, short, long, otherwise = Gap(1, 10, 12), Gap(0, 10.1, 10.2), Gap(0, 10.4, 11), Gap(0, 13, 19)
    seen = measured(moved, short, long, otherwise)
    assert seen.longest() == [long, Gap(-1, 0, 0)]
    assert seen.longest_otherwise() == [otherwise]


def test_a_gap_counts_for_the_rebalance_that_it_reaches_into() -> None:
    gap = Gap(0, 9, 10.1)
    assert measured(gap).longest()[0] == gap


@pytest.mark.parametrize(
    ("gap", "in_callbacks_s"), [(Gap(0, 10.4, 11), 0.3), (Gap(0, 10.6, 11), 0.2), (Gap(0, 11, 12), 0)]
)
def test_the_time_of_the_members_own_callbacks_is_told_apart(gap: Gap, in_callbacks_s: float) -> None:
    assert measured().in_callbacks_s(gap) == pytest.approx(in_callbacks_s)


def test_what_a_member_tells_is_understood() -> None:
    callback, gaps = Callback("assigned", 1.0, 2.0, frozenset({1, 3})), [Gap(0, 1.5, 2.5)]
    assert load(callback.dump()) == callback
    assert load(dump_gaps(gaps)) == gaps


def test_the_first_client_is_told_next_to_the_last() -> None:
    figures = [Figures("ours", 10, 20, 5, 3, 4), Figures("theirs", 50, 30, 25, 3, 4)]
    rows = gaps_table(figures, callback_ms=300, rebalances=20).splitlines()
    assert rows[0] == "The longest gap in each of 20 rebalances, callbacks of 300 ms:"
    assert [cell.strip() for cell in rows[-1].split("|")[1:4]] == ["ratio", "5.0", "1.5"]

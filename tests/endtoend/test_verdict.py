"""The judge of the end-to-end tests can say no: each rule once kept and once broken."""

from __future__ import annotations

import pytest

from tests.endtoend.report import Line, Run
from tests.endtoend.verdict import Gap, History, complaints, longest_gaps, repeated

TEN = {0: 10}


def gave(at: float, first: int, last: int, partition: int = 0) -> Line:
    return Line(at, "delivered", runs=(Run(partition, first, last),))


def assigned(at: float, *partitions: int) -> Line:
    return Line(at, "assigned", partitions=partitions)


def revoked(at: float, *partitions: int) -> Line:
    return Line(at, "revoked", partitions=partitions)


def test_a_line_survives_the_pipe() -> None:
    for line in (gave(1.5, 3, 4), assigned(2.0, 1, 5), Line(3.0, "committed", offsets={4: 17})):
        assert Line.load(line.dump()) == line


def killed(*lines: Line, stored: dict[int, int] | None = None) -> History:
    return History("A", lines, killed_at=3, stored=stored or {})


def broken(before: Run, after: Run) -> str:
    return f"A read {before} and then {after} without giving the partition up"


A = History("A", [assigned(1, 0), gave(2, 0, 4), revoked(3, 0)])
B = History("B", [assigned(4, 0), gave(5, 5, 9)])
READ_ALL = (assigned(1, 0), gave(2, 0, 9))


@pytest.mark.parametrize(
    ("histories", "repeats", "found"),
    [
        pytest.param([A, B], 0, [], id="a partition handed over at the right place is fine"),
        pytest.param(
            [History("A", [assigned(1, 0), gave(2, 0, 8)])],
            0,
            ["partition 0: 1 records were never delivered, the first at 9"],
            id="a record that no member told of is missing",
        ),
        pytest.param(
            [History("A", [assigned(1, 0), gave(2, 0, 5), revoked(3, 0)]), B],
            1,
            ["partition 0 offset 5 was delivered to ['A', 'B'], but nobody killed A"],
            id="a repeat is unlawful while the first reader lives",
        ),
        pytest.param(
            [killed(assigned(1, 0), gave(2, 0, 5), stored={0: 5}), B],
            1,
            [],
            id="a repeat is lawful past what the killed reader had stored",
        ),
        pytest.param(
            [killed(assigned(1, 0), gave(2, 0, 5), stored={0: 6}), B],
            1,
            ["partition 0 offset 5 was delivered to ['A', 'B'], but the killed A had committed 6"],
            id="a repeat is unlawful before what the killed reader had stored",
        ),
        pytest.param(
            [killed(*READ_ALL, gave(2.5, 9, 9))],
            1,
            ["partition 0 offset 9 was delivered twice to one member: ['A', 'A']", broken(Run(0, 0, 9), Run(0, 9, 9))],
            id="one member is not given a record twice, not even before it is killed",
        ),
        pytest.param(
            [killed(*READ_ALL, Line(2.5, "committed", offsets={0: 10}), stored={0: 4})],
            0,
            ["A saw 10 committed for 0, but stored is 4"],
            id="a killed member's acknowledged commit has to be stored",
        ),
        pytest.param(
            [History("A", [assigned(1, 0), gave(2, 0, 4), revoked(4.1, 0)]), B],
            0,
            ["partition 0 had two owners at once: A and B"],
            id="two live owners at once are found",
        ),
        pytest.param(
            [History("A", [assigned(1, 0), gave(2, 0, 4), revoked(3, 0), gave(4, 5, 9)])],
            0,
            ["A was given Run(partition=0, first=5, last=9) but owned only []"],
            id="a record of a partition that was given up is found",
        ),
        pytest.param(
            [History("A", [assigned(1, 0), gave(2, 0, 4), gave(3, 6, 9), gave(4, 5, 5)])],
            0,
            [broken(Run(0, 0, 4), Run(0, 6, 9)), broken(Run(0, 6, 9), Run(0, 5, 5))],
            id="a hole and a step back within one ownership are found",
        ),
        pytest.param(
            [History("A", [*READ_ALL, Line(3, "lost", partitions=(0,))])],
            0,
            ["A lost (0,) although it was alive"],
            id="a live member that lost its partitions is found",
        ),
    ],
)
def test_each_rule_is_kept_or_broken(histories: list[History], repeats: int, found: list[str]) -> None:
    assert complaints(histories, TEN) == found
    assert repeated(histories) == repeats


def test_the_longest_gap_counts_partitions_kept_while_another_moves() -> None:
    a = History("A", [assigned(1, 0, 1), gave(2, 0, 4), revoked(3, 1), gave(4, 5, 6), gave(7, 7, 9)])
    b = History("B", [assigned(3.5, 1)])
    assert longest_gaps([a, b]) == (Gap(2, "A", 0), Gap(3, "A", 0))

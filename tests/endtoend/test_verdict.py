"""The judge of the end-to-end tests can say no: each rule once kept and once broken."""

from __future__ import annotations

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


def test_a_partition_handed_over_at_the_right_place_is_fine() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 4), revoked(3, 0)])
    b = History("B", [assigned(4, 0), gave(5, 5, 9)])
    assert complaints([a, b], TEN) == []
    assert repeated([a, b]) == 0


def test_a_record_nobody_told_of_is_missing() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 8)])
    assert complaints([a], TEN) == ["partition 0: 1 records were never delivered, the first at 9"]


def test_a_repeat_is_unlawful_while_the_first_reader_lives() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 5), revoked(3, 0)])
    b = History("B", [assigned(4, 0), gave(5, 5, 9)])
    assert complaints([a, b], TEN) == ["partition 0 offset 5 was delivered to ['A', 'B'], but nobody killed A"]


def test_a_repeat_is_lawful_past_what_the_killed_reader_had_stored() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 5)], killed_at=3, stored={0: 5})
    b = History("B", [assigned(9, 0), gave(10, 5, 9)])
    assert complaints([a, b], TEN) == []
    assert repeated([a, b]) == 1


def test_a_repeat_is_unlawful_before_what_the_killed_reader_had_stored() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 5)], killed_at=3, stored={0: 6})
    b = History("B", [assigned(9, 0), gave(10, 5, 9)])
    assert complaints([a, b], TEN) == [
        "partition 0 offset 5 was delivered to ['A', 'B'], but the killed A had committed 6"
    ]


def test_one_member_is_not_given_a_record_twice_not_even_before_it_is_killed() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 9), gave(2.5, 9, 9)], killed_at=3)
    assert "partition 0 offset 9 was delivered twice to one member: ['A', 'A']" in complaints([a], TEN)


def test_a_killed_members_acknowledged_commit_has_to_be_stored() -> None:
    told = Line(2.5, "committed", offsets={0: 10})
    a = History("A", [assigned(1, 0), gave(2, 0, 9), told], killed_at=3, stored={0: 4})
    assert complaints([a], TEN) == ["A saw 10 committed for 0, but stored is 4"]


def test_two_live_owners_at_once_are_found() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 4), revoked(4, 0)])
    b = History("B", [assigned(3.9, 0), gave(5, 5, 9)])
    assert complaints([a, b], TEN) == ["partition 0 had two owners at once: A and B"]


def test_a_record_of_a_partition_that_was_given_up_is_found() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 4), revoked(3, 0), gave(4, 5, 9)])
    assert complaints([a], TEN) == ["A was given Run(partition=0, first=5, last=9) but owned only []"]


def test_a_step_back_within_one_ownership_is_found() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 4), gave(3, 6, 9), gave(4, 5, 5)])
    assert len(complaints([a], TEN)) == 2


def test_a_live_member_that_lost_its_partitions_is_found() -> None:
    a = History("A", [assigned(1, 0), gave(2, 0, 9), Line(3, "lost", partitions=(0,))])
    assert complaints([a], TEN) == ["A lost (0,) although it was alive"]


def test_the_longest_gap_counts_partitions_kept_while_another_moves() -> None:
    a = History("A", [assigned(1, 0, 1), gave(2, 0, 4), revoked(3, 1), gave(4, 5, 6), gave(7, 7, 9)])
    b = History("B", [assigned(3.5, 1)])
    assert longest_gaps([a, b]) == (Gap(2, "A", 0), Gap(3, "A", 0))

"""The judge of the soak can say no: each rule once kept and once broken, and what explains a breach."""

from __future__ import annotations

import pytest

from tests.endtoend.report import Line
from tests.verification.soak.accounts import FOREVER, Reader
from tests.verification.soak.judge import Judge
from tests.verification.soak.judging import committed, findings, gave, moved

A, B = Reader("A", "group"), Reader("B", "group")
CLASSIC = Reader("classic", "group", is_classic=True)
AUTO = Reader("auto", "group", commits_itself=True)

A_READS = ((A, moved(1, "assigned", 0)), (A, gave(2, 0, 4)))
A_COMMITS = (A, committed(3, 5))
A_GIVES_UP = (A, moved(4, "revoked", 0))
B_TAKES = (B, moved(5, "assigned", 0))


def test_a_partition_handed_over_at_the_right_place_is_fine() -> None:
    assert findings(*A_READS, A_COMMITS, A_GIVES_UP, B_TAKES, (B, gave(6, 5, 9))) == []


def test_lines_are_judged_in_the_order_of_their_times() -> None:
    assert findings((B, gave(6, 5, 9)), B_TAKES, A_GIVES_UP, A_COMMITS, *A_READS) == []


LATE = (A, committed(3.5, 2, since=2.5))  # asked for before the other one


@pytest.mark.parametrize(
    ("told", "first", "found"),
    [
        pytest.param((), 6, "B read topic 0[0] 6 to 9, but nobody has read 5 to 5", id="a record is skipped"),
        pytest.param((), 4, "B began with topic 0[0] 4 to 9, but 5 was committed", id="a record comes again"),
        pytest.param((LATE,), 2, "B began with topic 0[0] 2 to 9, but 5 was committed", id="an earlier commit is told"),
    ],
)
def test_a_new_owner_begins_where_the_last_commit_is(told: tuple[object, ...], first: int, found: str) -> None:
    assert findings(*A_READS, A_COMMITS, *told, A_GIVES_UP, B_TAKES, (B, gave(6, first, 9))) == [found]


def test_a_seek_back_explains_a_repetition() -> None:
    sought = Line(3.5, "sought", offsets={0: 1})
    again = ((A, sought), (A, gave(3.6, 1, 4)), (A, committed(3.7, 5)))
    assert findings(*A_READS, A_COMMITS, *again, A_GIVES_UP) == []


def test_what_is_given_up_without_a_commit_is_found_unless_the_member_was_in_trouble() -> None:
    assert findings(*A_READS, A_GIVES_UP) == ["A gave up topic 0[0] without a commit of 0 to 4"]
    assert findings(*A_READS, A_GIVES_UP, B_TAKES, (B, gave(6, 0, 9)), troubles={"A": 3}) == []


def test_a_consumer_that_commits_by_itself_has_committed_what_it_gives_up() -> None:
    told = ((AUTO, moved(1, "assigned", 0)), (AUTO, gave(2, 0, 4)), (AUTO, moved(3, "revoked", 0)), B_TAKES)
    assert findings(*told, (B, gave(6, 5, 9))) == []
    assert findings(*told, (B, gave(6, 4, 9))) == ["B began with topic 0[0] 4 to 9, but 5 was committed"]


def test_a_run_that_was_interrupted_may_not_have_committed_what_it_gives_up() -> None:
    told = ((AUTO, moved(1, "assigned", 0)), (AUTO, gave(2, 0, 4)), (AUTO, Line(2.5, "interrupted")))
    assert findings(*told, (AUTO, moved(3, "revoked", 0)), B_TAKES, (B, gave(6, 0, 9))) == []
    skipped = findings(*told, (AUTO, moved(3, "revoked", 0)), B_TAKES, (B, gave(6, 6, 9)))
    assert skipped == ["B read topic 0[0] 6 to 9, but nobody has read 5 to 5"]


def test_a_gap_within_an_ownership_is_found() -> None:
    assert findings(*A_READS, (A, gave(3, 6, 9))) == [
        "A read topic 0[0] 6 to 9, but 5 should have come",
        "A read topic 0[0] 6 to 9, but nobody has read 5 to 5",
    ]


def test_what_comes_of_a_paused_partition_is_found() -> None:
    paused, resumed = (A, moved(2.5, "paused", 0)), (A, moved(3, "resumed", 0))
    assert findings(*A_READS, paused, resumed, (A, gave(4, 5, 9))) == []
    assert findings(*A_READS, paused, (A, gave(4, 5, 9))) == ["A read topic 0[0] 5 to 9, which is paused"]


def test_a_record_of_what_is_not_owned_is_found() -> None:
    assert findings((A, gave(1, 0, 4))) == ["A read topic 0[0] 0 to 4, but does not own it"]


def test_two_owners_are_found_unless_the_first_was_in_trouble() -> None:
    assert findings(*A_READS, A_COMMITS, B_TAKES) == ["B was assigned topic 0[0], which A has not given up"]
    assert findings(*A_READS, A_COMMITS, B_TAKES, troubles={"A": 3}) == []


def test_a_commit_of_the_first_of_two_owners_is_found() -> None:
    told = (*A_READS, B_TAKES, (B, gave(6, 0, 4)), (A, committed(8, 5, since=7)))
    assert findings(*told, troubles={"A": 3}) == ["A committed topic 0[0] after B had taken it over"]


def test_a_commit_that_was_answered_before_the_member_was_stopped_is_fine() -> None:
    told = (*A_READS, B_TAKES, (B, gave(6, 0, 4)), (A, committed(8, 5, since=3)))
    assert findings(*told, troubles={"A": 3}) == []


def test_a_loss_is_found_unless_the_member_was_in_trouble_or_leaves() -> None:
    lost = (A, moved(4, "lost", 0))
    assert findings(*A_READS, lost) == ["A lost ['topic 0[0]'] although nothing was done to it"]
    assert findings(*A_READS, lost, troubles={"A": 3}) == []
    assert findings(*A_READS, (A, Line(3, "leaving")), lost) == []
    assert findings(*A_READS, (A, Line(3, "leaving")), (A, moved(3.5, "assigned")), lost) == []


@pytest.mark.parametrize(("is_classic", "kept"), [(True, {("group", 0)}), (False, set())])
def test_what_is_lost_by_closing_in_the_middle_of_a_classic_rebalance_is_not_committed(
    is_classic: bool, kept: set[tuple[str, int]]
) -> None:
    """There is no generation to commit in then: whoever reads next reads it again, and in the end nobody does."""
    judge, reader = Judge(), Reader("C", "group", is_classic=is_classic)
    told = moved(1, "assigned", 0), gave(2, 0, 4), Line(3, "leaving"), moved(4, "lost", 0)
    for line in told:
        judge.hear(reader, line)
    judge.advance(FOREVER)
    assert judge.uncommitted == kept


def test_a_classic_member_may_lose_what_it_has_when_its_group_becomes_a_classic_one() -> None:
    classic, closed = Reader("C", "group", is_classic=True), Line(3, "closed")
    reads, lost = ((classic, moved(1, "assigned", 0)), (classic, gave(2, 0, 4))), (classic, moved(4, "lost", 0))
    assert findings(*reads, (B, closed), lost) == []
    told = ["C lost ['topic 0[0]'] although nothing was done to it"]
    assert findings(*reads, (Reader("other", "group", is_classic=True), closed), lost) == told
    assert findings(*reads, (Reader("other", "another"), closed), lost) == told
    assert findings(*reads, (B, Line(-2, "closed")), lost) == told


def test_a_classic_member_may_lose_what_it_has_when_its_coordinator_fails() -> None:
    """In a rebalance it has a generation by then that the next coordinator has not."""
    classic, fails = Reader("C", "group", is_classic=True), Line(3, "failing over")
    reads, lost = ((classic, moved(1, "assigned", 0)), (classic, gave(2, 0, 4))), (classic, moved(4, "lost", 0))
    told = ["C lost ['topic 0[0]'] although nothing was done to it"]
    assert findings(*reads, (Reader("soak", "group"), fails), lost) == []
    assert findings(*reads, (Reader("soak", "another"), fails), lost) == told
    assert findings(*reads, (Reader("soak", "group"), Line(-7, "failing over")), lost) == told
    assert findings(*A_READS, (Reader("soak", "group"), fails), (A, moved(4, "lost", 0))) != []


def test_a_process_that_ends_with_partitions_is_found_unless_it_was_killed() -> None:
    assert findings(*A_READS, (A, Line(3, "dead"))) == ["A ended without giving up ['topic 0[0]']"]
    assert findings(*A_READS, (A, Line(3, "dead", note="killed")), B_TAKES, (B, gave(6, 0, 9))) == []


def test_what_is_stored_is_between_what_was_acknowledged_and_what_was_processed() -> None:
    asking, told = (A, Line(4, "asking")), (*A_READS, A_COMMITS)
    assert findings(*told, asking, (A, Line(5, "stored", offsets={0: 5}))) == []
    assert findings(*told, asking, (A, Line(5, "stored", offsets={0: 4}))) == [
        "group has 4 stored for topic 0[0], but 5 was acknowledged"
    ]
    assert findings(*told, asking, (A, Line(5, "stored", offsets={0: 6}))) == [
        "group has 6 stored for topic 0[0], but only 5 was processed"
    ]


def test_the_partition_of_a_topic_that_was_made_again_is_another_one() -> None:
    again = ((B, moved(5, "assigned", 0)), (B, gave(6, 0, 9, key=1_000_000)), (A, moved(7, "revoked", 0)))
    assert findings(*A_READS, (A, moved(4, "deleted", 0)), *again) == []


@pytest.mark.parametrize(
    ("reader", "at", "first", "is_fine"),
    [
        (CLASSIC, 8, 0, True),
        (CLASSIC, 16, 0, False),  # all know of the new topic by now
        (CLASSIC, 8, 2, False),  # neither its start nor what was committed
        (B, 8, 0, False),  # assigned by the topic's id
    ],
)
def test_a_classic_group_may_start_over_in_a_topic_that_was_created_again_a_moment_ago(
    reader: Reader, at: float, first: int, is_fine: bool
) -> None:
    """A member that still knew the old topic was assigned the new one's partition by name, and committed its start."""
    key = 1_000_000
    before = ((A, moved(1, "deleted", 0)), (A, moved(2, "assigned", 0)), (A, gave(3, 0, 4, key)))
    gives_up = ((A, committed(4, 5, key)), (A, moved(5, "revoked", 0)), (reader, moved(6, "assigned", 0)))
    assert (findings(*before, *gives_up, (reader, gave(at, first, 9, key))) == []) is is_fine


def test_what_a_group_has_not_read_is_told() -> None:
    judge = Judge()
    for reader, line in A_READS:
        judge.hear(reader, line)
    assert judge.left("group", {0: 5}) == 0
    assert judge.left("group", {0: 6, 1: 3}) == 4
    judge.advance(FOREVER)
    assert judge.unread("group", {0: 6, 1: 3}) == {0: (5, 6), 1: (0, 3)}

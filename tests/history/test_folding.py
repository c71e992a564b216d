"""What a group's events come to, one small story to each question."""

from __future__ import annotations

from typing import Any

import pytest

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.facts import Owner, Rebalance
from kafka_nextgen.history.folding import GroupFold
from kafka_nextgen.history.rebalances import MAX_OPEN
from tests.history.example_stories import HANDOVER
from tests.history.story import story


def facts(text: str, name: str) -> list[Any]:
    return list(analyze(story(text)).facts[name])


def test_a_rebalance_tells_who_began_it_how_long_it_took_and_who_was_the_slowest() -> None:
    first, second = facts(HANDOVER, "rebalances")
    assert (first.epoch, first.began, first.ended, first.by, first.moved) == (1, 0, 100, "A", 0)
    assert (second.epoch, second.began, second.ended) == (2, 10_000, 16_000)
    assert (second.cause, second.by, second.reason) == ("member joined", "B", "deploy")
    assert (second.members, second.moved, second.needless, second.most, second.fewest) == (2, 1, 0, 1, 1)
    assert (second.slowest, second.slowest_ms) == ("B", 6_000)
    assert (second.holder, second.held_by) == ("A", "callback")
    assert (second.stood_ms, second.lag_before, second.lag_after) == (5_000, 0, 0)


def test_a_holdup_tells_what_a_member_did_meanwhile() -> None:
    held = next(each for each in facts(HANDOVER, "holdups") if (each.epoch, each.member) == (2, "A"))
    assert (held.processing_ms, held.commit_ms, held.callback_ms, held.coordinator_ms) == (0, 0, 4_000, 1_200)


def test_a_partition_stands_still_from_the_end_of_one_owner_to_the_begin_of_the_next_one() -> None:
    (still,) = facts(HANDOVER, "standstills")
    assert (still.topic, still.partition, still.began, still.ended, still.ms) == ("t", 1, 11_000, 16_000, 5_000)
    assert (still.former, still.member, still.lag_before, still.lag_after) == ("A", "B", 0, 50)


def test_owners_and_tenures() -> None:
    owners = {(each.topic, each.partition): (each.member, each.lag) for each in facts(HANDOVER, "owners")}
    assert owners == {("t", 0): ("A", 0), ("t", 1): ("B", 50)}
    tenures = [(each.partition, each.member, each.began, each.ended) for each in facts(HANDOVER, "tenures")]
    assert tenures == [(1, "A", 100, 11_000), (0, "A", 100, None), (1, "B", 16_000, None)]


def test_what_happened_after_a_time_may_be_left_out() -> None:
    owners = analyze(story(HANDOVER), until=12_000).facts["owners"]
    assert [(each.partition, each.member) for each in owners if isinstance(each, Owner)] == [(0, "A"), (1, None)]


def test_a_member_out_for_not_polling_is_told_apart() -> None:
    text = """
        0.0 consumer:a joined A @1
        0.1 consumer:a assigned A @1 t[0]
        9.0 consumer:a poll_gap A ms=8000
        9.0 consumer:a lost A @1 t[0] offset=30 cause=poll_timeout
        9.0 coordinator:1 left A @1
        9.1 consumer:a fenced A @1 cause=poll_timeout
    """
    (member,) = facts(text, "members")
    assert (member.joined, member.left, member.fenced, member.poll_timeouts) == (1, 0, 1, 1)
    assert member.longest_poll_gap_ms == 8_000


def test_what_was_read_behind_the_last_commit_is_done_twice() -> None:
    text = """
        0.0 consumer:a joined A @1
        0.1 consumer:a assigned A @1 t[0]
        1.0 consumer:a committed A t[0] offset=10
        2.0 consumer:a lost A @1 t[0] offset=17 cause=fenced
    """
    (repeat,) = facts(text, "repeats")
    assert (repeat.member, repeat.offset, repeat.end, repeat.cause) == ("A", 10, 17, "fenced")


def test_two_owners_are_an_overlap_until_the_first_one_lets_go() -> None:
    text = """
        0.0 consumer:a joined A @1
        0.1 consumer:a assigned A @1 t[0]
        5.0 consumer:b joined B @2
        6.0 consumer:b assigned B @2 t[0]
        9.0 consumer:a revoked A @1 t[0]
    """
    (overlap,) = facts(text, "overlaps")
    assert (overlap.first, overlap.second, overlap.began, overlap.ended) == ("A", "B", 6_000, 9_000)
    assert (overlap.is_excused, overlap.marks) == (False, "told by members alone")


def test_an_overlap_within_the_error_of_two_clocks_is_marked() -> None:
    text = """
        0.1 consumer:a assigned A @1 t[0]
        5.0 coordinator:1 group_epoch @2
        6.0 consumer:b assigned B @2 t[0]
        6.5 consumer:a revoked A @1 t[0]
    """
    (overlap,) = facts(text, "overlaps")
    assert overlap.marks == "begins in the middle, within the clocks' error"
    assert facts(text, "groups")[0].overlaps == 0


def test_a_member_that_does_not_know_yet_that_it_is_out_is_excused() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0]
        5.0 coordinator:1 joined B @2
        5.0 coordinator:1 fenced A @1 cause=session_timeout
        5.5 consumer:b assigned B @2 t[0]
        60.0 consumer:a lost A @1 t[0]
    """
    (overlap,) = facts(text, "overlaps")
    assert (overlap.first, overlap.second, overlap.began, overlap.ended) == ("A", "B", 5_500, 60_000)
    assert overlap.is_excused


def test_a_swap_moves_partitions_needlessly() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.0 coordinator:1 joined B @2
        0.1 consumer:a assigned A @2 t[0-1]
        0.1 consumer:b assigned B @2 t[2-3]
        5.0 coordinator:1 group_epoch @3
        5.1 consumer:a revoked A @2 t[0]
        5.1 consumer:b revoked B @2 t[2]
        5.2 consumer:a assigned A @3 t[2]
        5.2 consumer:b assigned B @3 t[0]
    """
    last = facts(text, "rebalances")[-1]
    assert (last.moved, last.needless, last.most, last.fewest) == (2, 2, 2, 2)


def test_an_assignment_of_several_topics_is_one_arrival() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0]
        0.1 consumer:a assigned A @1 u[0-2]
    """
    (rebalance,) = facts(text, "rebalances")
    assert (rebalance.ended, rebalance.most, rebalance.cause, rebalance.by) == (100, 4, "member joined", "A")


def test_members_that_skip_an_epoch_end_both() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 coordinator:1 assigned A @1 t[0]
        1.0 coordinator:1 group_epoch @2
        1.5 coordinator:1 group_epoch @3
        3.0 coordinator:1 assigned A @3
    """
    assert [(each.epoch, each.began, each.ended) for each in facts(text, "rebalances")] == [
        (1, 0, 100),
        (2, 1_000, 3_000),
        (3, 1_500, 3_000),
    ]
    assert facts(text, "groups")[0].unsettled_ms == 2_100


def test_what_is_not_over_has_no_end() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 coordinator:1 assigned A @1 t[0]
        1.0 coordinator:1 joined B @2
        2.0 coordinator:1 left A @1
        9.0 coordinator:1 lag t[0] offset=1 end=5
    """
    last = facts(text, "rebalances")[-1]
    (still,) = facts(text, "standstills")
    assert (last.epoch, last.ended, last.lag_after) == (2, None, None)
    assert (still.began, still.ended, still.former, still.cause) == (2_000, None, "A", "left")


def test_a_late_assignment_of_a_member_that_is_out_says_nothing_of_now() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 coordinator:1 assigned A @1 t[0]
        2.0 coordinator:1 fenced A @1
        2.1 consumer:a assigned A @1 t[0]
    """
    assert facts(text, "owners") == []


def test_a_rebalance_lasts_until_what_was_given_up_has_its_owner() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0-1]
        5.0 coordinator:1 joined B @2
        5.1 consumer:b assigned B @2
        8.0 consumer:a revoked A @1 t[1] ms=2900
        8.1 consumer:a assigned A @2
        8.5 consumer:b assigned B @2 t[1]
    """
    last = facts(text, "rebalances")[-1]
    assert (last.began, last.ended, last.moved, last.stood_ms) == (5_000, 8_500, 1, 3_400)
    assert (last.slowest, last.slowest_ms) == ("A", 3_100)


def test_a_partition_that_has_no_owner_for_good_is_not_waited_for() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0-1]
        5.0 coordinator:1 group_epoch @2
        5.1 consumer:a revoked A @1 t[1]
        5.2 consumer:a assigned A @2
        60.0 coordinator:1 lag t[0] offset=1 end=1
    """
    last = facts(text, "rebalances")[-1]
    assert (last.epoch, last.began, last.ended) == (2, 5_000, 5_200)
    assert facts(text, "groups")[0].unsettled_ms == 300


@pytest.mark.parametrize(
    "line",
    ["0 coordinator:1 left A @4", "0 consumer:a revoked A @4 t[0]", "0 consumer:a assigned A @4 t[0]"],
)
def test_a_log_that_begins_in_the_middle_is_marked(line: str) -> None:
    begin = "0 coordinator:1 group_epoch @4"
    assert facts(f"{begin}\n{line}", "groups")[0].marks == "begins in the middle"
    assert facts(f"{begin}\n0 consumer:a joined A @4\n{line}", "groups")[0].marks == ""


def test_a_log_whose_writer_dropped_events_is_marked() -> None:
    (group,) = facts("0 coordinator:1 joined A @1\n9 consumer:a error cause=events_dropped reason=12", "groups")
    assert group.marks == "events dropped"


def test_what_a_member_has_already_it_does_not_get_again() -> None:
    text = """
        0.0 consumer:a joined A @1
        0.1 consumer:a assigned A @1 t[0]
        5.0 consumer:a assigned A @2 t[0]
    """
    assert [(each.began, each.ended) for each in facts(text, "tenures")] == [(100, None)]


def test_a_member_that_skips_an_epoch_was_waited_for_in_both() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 coordinator:1 assigned A @1 t[0]
        1.0 coordinator:1 group_epoch @2
        2.0 coordinator:1 group_epoch @3
        5.0 coordinator:1 assigned A @3
    """
    held = [(each.epoch, each.coordinator_ms) for each in facts(text, "holdups")]
    assert held == [(1, 100), (2, 4_000), (3, 3_000)]


def test_a_group_without_members_has_nothing_to_wait_for() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 coordinator:1 assigned A @1
        5.0 coordinator:1 left A @1
        5.0 coordinator:1 group_epoch A @2
        9.0 coordinator:1 lag t[0] offset=0 end=0
    """
    assert [(each.epoch, each.ended) for each in facts(text, "rebalances")] == [(1, 100), (2, 5_000)]


@pytest.mark.parametrize(
    ("spells", "processing", "commit", "callback", "coordinator"),
    [
        ("8.0 consumer:a poll_gap A ms=60000", 3_000, 0, 0, 2_000),
        ("8.0 consumer:a callback A ms=2000\n 8.0 consumer:a committed A t[0] offset=1 ms=500", 0, 500, 1_500, 3_000),
        ("8.0 consumer:a poll_gap A ms=2000\n 9.0 consumer:a callback A ms=2000", 1_000, 0, 2_000, 2_000),
    ],
    ids=["from before the rebalance", "a commit inside of a callback", "one after the other"],
)
def test_a_moment_counts_for_one_thing_that_a_member_did(
    spells: str, processing: int, commit: int, callback: int, coordinator: int
) -> None:
    text = f"""
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0]
        5.0 coordinator:1 group_epoch @2
        {spells}
        10.0 consumer:a assigned A @2
    """
    held = facts(text, "holdups")[-1]
    assert (held.processing_ms, held.commit_ms, held.callback_ms, held.coordinator_ms) == (
        processing,
        commit,
        callback,
        coordinator,
    )


@pytest.mark.parametrize(
    "lost", ["t[0] offset=10", "t[0]", "t[0-1] offset=99"], ids=["all committed", "not known", "of which?"]
)
def test_nothing_is_done_twice_where_nothing_says_so(lost: str) -> None:
    text = f"""
        0.0 consumer:a joined A @1
        0.1 consumer:a assigned A @1 t[0-1]
        1.0 consumer:a committed A t[0] offset=10
        2.0 consumer:a lost A @1 {lost}
    """
    assert facts(text, "repeats") == []


@pytest.mark.parametrize(
    ("callback_ms", "holder", "held_by"),
    [(4_000, "A", "callback"), (300, "B", "coordinator")],
    ids=["B waits for what A gives up late", "nothing is busy for long"],
)
def test_the_holder_is_the_member_that_others_wait_for(callback_ms: int, holder: str, held_by: str) -> None:
    text = f"""
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0-1]
        5.0 coordinator:1 joined B @2
        9.5 consumer:a callback A ms={callback_ms} cause=revoked
        9.5 consumer:a revoked A @1 t[1]
        9.6 consumer:a assigned A @2
        9.9 consumer:b assigned B @2 t[1]
    """
    last = facts(text, "rebalances")[-1]
    assert (last.slowest, last.slowest_ms) == ("B", 4_900)
    assert (last.holder, last.held_by) == (holder, held_by)


def test_what_was_there_when_a_source_began_to_look_did_not_join_then() -> None:
    text = """
        100 poller:p joined A @7 cause=begins_in_the_middle
        100 poller:p group_epoch @7 cause=begins_in_the_middle
        100 poller:p assigned A @7 t[0] cause=begins_in_the_middle
    """
    assert [(each.joined, each.member) for each in facts(text, "members")] == [(0, "A")]
    assert facts(text, "groups")[0].marks == "begins in the middle"


def test_the_lag_before_a_standstill_is_that_of_when_reading_stopped() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0]
        4.0 poller:p lag t[0] offset=10 end=15
        6.0 poller:p lag t[0] offset=10 end=60
        8.0 consumer:a revoked A @1 t[0] ms=3000
        8.5 consumer:b assigned B @2 t[0]
        9.0 poller:p lag t[0] offset=10 end=90
    """
    (still,) = facts(text, "standstills")
    assert (still.began, still.ended, still.lag_before, still.lag_after) == (5_000, 8_500, 5, 80)


@pytest.mark.parametrize(
    ("cause", "end", "began"),
    [
        ("member_expired", 60, 4_000),
        ("unknown", 60, 4_000),  # neither Kafka's records nor a poller tell more
        ("member_left", 60, 9_000),  # it lived until then
        ("member_expired", 20, 9_000),  # there was nothing to do
    ],
)
def test_partitions_of_a_member_that_died_stand_still_since_it_committed_last(cause: str, end: int, began: int) -> None:
    text = f"""
        0.0 coordinator:1 joined A @1
        0.1 coordinator:1 assigned A @1 t[0]
        4.0 coordinator:1 committed t[0] offset=20
        5.0 poller:p lag t[0] offset=20 end={end}
        8.0 coordinator:1 committed t[0] offset=20
        9.0 coordinator:1 fenced A @1 cause={cause}
        9.5 coordinator:1 assigned B @2 t[0]
    """
    (still,) = facts(text, "standstills")
    assert (still.began, still.ended, still.ms, still.cause) == (began, 9_500, 9_500 - began, cause.replace("_", " "))


def test_a_member_that_a_poller_misses_late_had_died_before_another_got_its_partition() -> None:
    text = """
        0.0 consumer:a joined A @1
        0.1 consumer:a assigned A @1 t[0]
        3.0 poller:p lag t[0] offset=10 end=20
        4.0 consumer:a committed t[0] offset=20
        8.0 poller:p lag t[0] offset=20 end=90
        9.0 consumer:b joined B @2
        9.0 consumer:b assigned B @2 t[0]
        9.5 consumer:b committed t[0] offset=95
        12.0 poller:p left A @1 cause=unknown
    """
    (still,) = facts(text, "standstills")
    assert (still.began, still.ended, still.former, still.member) == (4_000, 9_000, "A", "B")
    assert (still.ms, still.lag_before, still.lag_after) == (5_000, 10, 70)
    (overlap,) = facts(text, "overlaps")
    assert (overlap.first, overlap.second, overlap.is_excused) == ("A", "B", True)
    (summary,) = facts(text, "groups")
    assert (summary.stood_ms, summary.overlaps) == (5_000, 0)


def test_a_commit_behind_the_end_that_was_measured_says_that_there_is_more() -> None:
    text = """
        0.0 coordinator:1 assigned A @1 t[0]
        1.0 poller:p lag t[0] offset=10 end=20
        2.0 coordinator:1 committed t[0] offset=35
    """
    (owner,) = facts(text, "owners")
    assert (owner.committed, owner.end, owner.lag) == (35, 35, 0)


def test_a_member_that_committed_nothing_may_have_died_at_any_time() -> None:
    text = """
        0.0 coordinator:1 committed t[0] offset=20
        1.0 coordinator:1 joined A @1
        1.1 coordinator:1 assigned A @1 t[0]
        5.0 poller:p lag t[0] offset=20 end=60
        9.0 coordinator:1 fenced A @1 cause=member_expired
        9.5 coordinator:1 assigned B @2 t[0]
    """
    (still,) = facts(text, "standstills")
    assert still.began == 9_000


def test_the_lag_after_a_standstill_is_the_greatest_until_it_was_measured_again() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0]
        4.0 poller:p lag t[0] offset=10 end=15
        5.0 consumer:a revoked A @1 t[0]
        8.0 poller:p lag t[0] offset=10 end=90
        8.5 consumer:b assigned B @2 t[0]
        9.0 poller:p lag t[0] offset=80 end=95
        9.5 poller:p lag t[0] offset=80 end=999
    """
    (still,) = facts(text, "standstills")
    assert (still.lag_before, still.lag_after) == (5, 80)


def test_what_a_member_did_may_be_told_in_the_millisecond_in_which_it_came() -> None:
    text = """
        0.0 coordinator:1 joined A @1
        0.1 consumer:a assigned A @1 t[0]
        5.0 coordinator:1 group_epoch @2
        9.0 consumer:a assigned A @2
        9.0 consumer:a callback A ms=3000
        20.0 coordinator:1 lag t[0] offset=1 end=1
    """
    held = facts(text, "holdups")[-1]
    assert (held.callback_ms, held.coordinator_ms) == (3_000, 1_000)


def test_a_member_that_joined_meanwhile_did_not_hold_up_what_was_under_way_before() -> None:
    told = """
        0.0 coordinator:1 joined A @1
        1.0 coordinator:1 joined B @2
        1.5 consumer:b assigned B @2 t[0]
        9.0 coordinator:1 joined C @3
        9.5 consumer:c assigned C @3 t[1]
    """
    held = [(each.epoch, each.member) for each in facts(told, "holdups")]
    assert held == [(2, "B"), (3, "C")]
    assert [each.slowest for each in facts(told, "rebalances")] == [None, "B", "C"]


def test_rebalances_that_a_dead_member_keeps_open_are_given_out_when_there_are_too_many() -> None:
    told = "0.0 coordinator:1 joined dead @1\n" + "".join(
        f"{epoch} coordinator:1 group_epoch @{epoch} cause=topic_metadata_changed\n" for epoch in range(2, MAX_OPEN + 4)
    )
    group = GroupFold("c", "g")
    for event in story(told):
        group.add(event)
    assert [(each.epoch, each.ended) for each in group.take() if isinstance(each, Rebalance)] == [
        (1, None),
        (2, None),
        (3, None),
    ]


def test_the_fewest_partitions_are_none_where_a_member_owns_none() -> None:
    told = """
        0.0 consumer:a joined A @1
        0.0 consumer:a assigned A @1 t[0-3]
        1.0 consumer:b joined B @2
        2.0 consumer:b assigned B @2
        3.0 consumer:a assigned A @2
    """
    (*_, last) = facts(told, "rebalances")
    assert (last.epoch, last.members, last.most, last.fewest) == (2, 2, 4, 0)


#: The first member left, and with it the group was over; a second one makes it again.
DELETED = """
    0.0 coordinator:1 joined A @1
    0.0 coordinator:1 group_epoch A @1 cause=member_joined
    0.1 coordinator:1 assigned A @1 t[0]
    9.0 coordinator:1 revoked A @1 t[0]
    9.0 coordinator:1 left A @1 cause=member_left
    9.0 coordinator:1 group_epoch A @2 cause=member_left
    60.0 coordinator:1 joined B @1
    60.0 coordinator:1 group_epoch B @1 cause=member_joined
    60.5 coordinator:1 assigned B @1 t[0]
"""


def test_a_group_that_was_deleted_counts_its_epochs_again() -> None:
    told = [(each.epoch, each.cause, each.by, each.began, each.ended) for each in facts(DELETED, "rebalances")]
    assert told == [
        (1, "member joined", "A", 0, 100),
        (2, "member left", "A", 9_000, 9_000),
        (1, "member joined", "B", 60_000, 60_500),
    ]


def test_a_member_that_is_told_late_is_no_new_group() -> None:
    late = "30.0 poller:p joined A @1\n30.0 poller:p left A @1\n"
    assert [each.epoch for each in facts(DELETED + late, "rebalances")] == [1, 2, 1]
    still_there = DELETED.replace("9.0 coordinator:1 left A", "70.0 coordinator:1 left A")
    assert len(facts(still_there, "rebalances")) == 2

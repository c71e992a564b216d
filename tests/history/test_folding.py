"""What a group's events come to, one small story to each question."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.clock_alignment import clock_offsets, observation_of
from kafka_nextgen.history.facts import Owner, Rebalance
from kafka_nextgen.history.folding import GroupFold
from kafka_nextgen.history.rebalances import MAX_OPEN
from tests.history.example_stories import HANDOVER
from tests.history.story import story


def facts(text: str, name: str) -> list[Any]:
    return list(analyze(story(text)).facts[name])


#: Stories by their titles: events, then facts that follow, ``KIND: FIELD=VALUE ...``. All facts of a kind are told, or
#: the last one. ``offsets`` are what is added to the times of each source.
STORIES = dict(
    paragraph.removeprefix("# ").split("\n", 1)
    for paragraph in Path(__file__).with_name("stories.txt").read_text().split("\n\n")
)


@pytest.mark.parametrize("title", STORIES)
def test_facts_follow_from_a_story(title: str) -> None:
    lines = STORIES[title].strip().splitlines()
    events = story("\n".join(line for line in lines if line[0].isdigit()))
    found = analyze(events).facts
    expected: dict[str, list[dict[str, str]]] = defaultdict(list)
    for line in lines:
        if line.startswith("no "):
            assert found[line.removeprefix("no ")] == []
        elif line.startswith("offsets: "):
            offsets = clock_offsets(sight for event in events if (sight := observation_of(event)) is not None)
            assert set(line.split()[1:]) == {f"{source}={offset}" for source, offset in offsets.items()}
        elif not line[0].isdigit():
            kind, _, values = line.partition(": ")
            expected[kind].append(dict(pair.split("=") for pair in values.split()))
    for kind, rows in expected.items():
        told = found[kind.removeprefix("last ")][-1 if kind.startswith("last ") else 0 :]
        shown = [str(getattr(fact, name)).replace(" ", "_") for fact in told for name in rows[0]]
        assert shown == [value for row in rows for value in row.values()]


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


@pytest.mark.parametrize(
    "line", ["0 coordinator:1 left A @4", "0 consumer:a revoked A @4 t[0]", "0 consumer:a assigned A @4 t[0]"]
)
def test_a_log_that_begins_in_the_middle_is_marked(line: str) -> None:
    begin = "0 coordinator:1 group_epoch @4"
    assert facts(f"{begin}\n{line}", "groups")[0].marks == "begins in the middle"
    assert facts(f"{begin}\n0 consumer:a joined A @4\n{line}", "groups")[0].marks == ""


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


def test_records_that_retention_deleted_are_no_lag() -> None:
    told = """
        1.0 poller:p lag t[0] offset=10 start=90 end=100
        2.0 poller:p committed t[0] offset=20
    """
    assert [each.lag for each in facts(told, "lags")] == [10]
    assert [each.lag for each in facts(told, "owners")] == [10]

"""Clocks that disagree, and sources that tell the same."""

from __future__ import annotations

import random
from itertools import permutations
from typing import Any

import pytest
from attrs import evolve

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.clock_alignment import EpochObservation, clock_offsets, observation_of
from kafka_nextgen.history.events import Event, EventKind
from tests.history.example_stories import HANDOVER
from tests.history.story import story


def offsets(text: str) -> dict[str, int]:
    return clock_offsets(sight for event in story(text) if (sight := observation_of(event)) is not None)


@pytest.mark.parametrize(
    ("skew", "expected"),
    [(0.0, 0), (9.0, 0), (3600.0, -3_600_100), (-7200.0, 7_199_900)],
    ids=["right", "nearly right", "an hour ahead", "two hours behind"],
)
def test_a_clock_is_put_right_by_the_epochs_that_the_coordinator_saw(skew: float, expected: int) -> None:
    text = f"""
        9000.0 coordinator:1 joined A @1
        9000.0 coordinator:1 assigned A @1
        {9000.1 + skew} consumer:a joined A @1
        {9004.0 + skew} consumer:a assigned A @1 t[0]
    """
    assert offsets(text) == {"coordinator:1": 0, "consumer:a": expected}


@pytest.mark.parametrize(
    ("epochs", "late_s", "expected_s"),
    [(2, 9000, -9000), (2, 300, 0), (9, 300, 0), (10, 300, -300)],
    ids=["hours by few", "minutes by few: a member may come so late", "by nine", "minutes by many"],
)
def test_members_alone_are_compared_by_the_epochs_they_came_to(epochs: int, late_s: int, expected_s: int) -> None:
    lines = [
        f"{10 * epoch + late} consumer:{name.lower()} assigned {name} @{epoch}"
        for epoch in range(3, 3 + epochs)
        for name, late in (("A", 0), ("B", late_s))
    ]
    assert offsets("\n".join(lines)) == {"consumer:a": 0, "consumer:b": 1000 * expected_s}


@pytest.mark.parametrize(
    ("line", "marks"),
    [
        ("", "reported by members only"),
        ("2 coordinator:1 group_epoch @1", ""),
        ("2 poller:p joined A", ""),
        ("2 poller:p lag t[0] offset=5 end=9", "reported by members only"),
    ],
    ids=["members alone", "coordinator", "a poller's members", "a poller's lags"],
)
def test_what_members_alone_tell_is_marked(line: str, marks: str) -> None:
    """Who keeps no log, or was killed, tells nothing; only somebody else can."""
    (group,) = analyze(story(f"1 consumer:a joined A @1\n{line}")).facts["groups"]
    assert getattr(group, "marks", None) == marks


@pytest.mark.parametrize("skew", [0, 3600])
def test_coordinators_that_took_turns_are_put_right_by_a_member(skew: int) -> None:
    """Both saw epoch 2; the second one did not see how it began."""
    text = f"""
        1.0 coordinator:1/4 assigned A @1
        2.0 coordinator:1/4 assigned A @2
        2.0 consumer:a assigned A @2 orders[0]
        {32 + skew} coordinator:2/4 assigned A @2 orders[1]
        40.0 consumer:a assigned A @3
        {40 + skew} coordinator:2/4 assigned A @3
    """
    assert offsets(text) == {"coordinator:1/4": 0, "consumer:a": 0, "coordinator:2/4": -1000 * skew}


def shifted(events: list[Event], source: str, ms: int) -> list[Event]:
    return [evolve(event, at=event.at + ms) if event.source == source else event for event in events]


@pytest.mark.parametrize("hours", [1, 30])
def test_answers_are_the_same_by_a_clock_that_is_hours_ahead_but_marked(hours: int) -> None:
    both = HANDOVER.replace(
        "10.0 coordinator:1 joined B @2", "10.0 coordinator:1 joined B @2\n 10 consumer:b joined B @2"
    )
    events = story(both)
    plain = analyze(events).facts
    odd = analyze(shifted(events, "consumer:b", hours * 3_600_000)).facts
    for name in ("tenures", "standstills", "holdups", "owners"):
        assert odd[name] == plain[name]
    assert {each.marks for each in odd["rebalances"] if hasattr(each, "marks")} == {"clocks disagree"}


def test_the_order_in_the_log_and_repeated_lines_do_not_matter() -> None:
    events = story(HANDOVER)
    mixed = events * 3
    random.Random(5).shuffle(mixed)
    assert dict(analyze(mixed).facts) == dict(analyze(events).facts)


def test_a_source_and_its_number_are_an_events_identity() -> None:
    (event,) = story("1 offsets:3 joined A @1")
    assert [getattr(each, "events", None) for each in analyze([event, event]).facts["groups"]] == [1]


@pytest.mark.parametrize(
    "other",
    [
        {"at": 2_000},
        {"member": "B"},
        {"kind": EventKind.ASSIGNED, "topic": "t", "partitions": (0,)},
        {"cause": "grown"},
    ],
)
def test_a_source_that_contradicts_itself_is_marked_whichever_event_is_read_first(other: dict[str, Any]) -> None:
    event, later = story("1 offsets:3 joined A @1\n3 offsets:3 left A @1")
    contents = [event, later, evolve(event, **other)]
    one, *others = [analyze(each).facts for each in permutations(contents)]
    assert all(facts == one for facts in others)
    assert ["a source contradicts itself" in getattr(each, "marks", "") for each in one["groups"]] == [True]


def test_two_clusters_with_one_group_name_are_two_groups() -> None:
    events = story("0 consumer:a assigned A @1 t[0]", cluster="one") + story(
        "0 consumer:b assigned B @1 t[0]", cluster="two"
    )
    answers = analyze(events)
    assert not answers.facts["overlaps"]
    assert [(each.cluster, each.group) for each in answers.facts["groups"]] == [("one", "g"), ("two", "g")]


def test_a_writer_that_never_learned_its_cluster_is_marked() -> None:
    (group,) = analyze(story("0 consumer:a joined A @1", cluster="")).facts["groups"]
    assert getattr(group, "marks", None) == "cluster unknown, reported by members only"


def test_coordinators_of_one_log_are_compared_with_others_by_the_first_sight_of_those() -> None:
    sights = [
        EpochObservation("coordinator:1/4", EventKind.GROUP_EPOCH, None, epoch, at)
        for epoch, at in ((1, 0), (2, 1_000), (3, 2_000))
    ]
    sights += [EpochObservation("coordinator:2/4", EventKind.GROUP_EPOCH, None, epoch, 50_000) for epoch in (2, 3)]
    sights += [EpochObservation("poller:p", EventKind.GROUP_EPOCH, None, 3, 102_000)]
    assert clock_offsets(sights) == {"coordinator:1/4": 0, "coordinator:2/4": -48_000, "poller:p": -100_000}

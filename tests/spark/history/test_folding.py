"""Folding batches of ordered events: the facts are those of ``analyze``, however the batches are cut."""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from typing import Any

import pytest
from attrs import asdict

pytest.importorskip("pyspark")

import pyarrow as pa

from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.events import Event
from kafka_nextgen.history.ordering import in_order
from kafka_nextgen.spark.history.folding import events_of, fact_batches, folded_batches
from kafka_nextgen.spark.history.ordering import group_doubts
from tests.history.story import story
from tests.spark.history.logs import TWO_MEMBERS, marked_batches, stories


def facts_in(batches: list[pa.RecordBatch]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for batch in batches:
        for row in batch.to_pylist():
            name = row.pop("fact")
            assert [each for each, value in row.items() if value is not None] == [name]
            found[name].append(row[name])
    return found


def answers(events: list[Event], until: int | None = None) -> dict[str, list[dict[str, Any]]]:
    return {
        name: [asdict(each) for each in facts] for name, facts in analyze(events, until=until).facts.items() if facts
    }


def of_each_group(events: list[Event]) -> list[pa.RecordBatch]:
    def group(event: Event) -> tuple[str, str]:
        return event.cluster, event.group

    batches = []
    for _, of_group in groupby(sorted(events, key=group), key=group):
        ordered, marks = in_order(list(of_group))
        batches += marked_batches(ordered, 3, marks)
    return batches


def test_events_come_back_from_their_batches() -> None:
    events = stories()
    assert [event for batch in marked_batches(events, 7) for event in events_of(batch)] == events


@pytest.mark.parametrize("until", [None, 2_400])
def test_facts_are_those_of_answer(until: int | None) -> None:
    events = stories()
    assert facts_in(list(folded_batches(of_each_group(events), until))) == answers(events, until)


def test_doubles_that_lie_side_by_side_count_once() -> None:
    events = story(TWO_MEMBERS)
    ordered, _ = in_order(events)
    doubled = [event for event in ordered for _ in range(2)]
    assert facts_in(list(folded_batches(marked_batches(doubled, 5)))) == answers(events)


def test_facts_of_a_kind_come_in_batches_of_so_many_rows() -> None:
    facts = analyze(stories()).facts["tenures"]
    sizes = [batch.num_rows for batch in fact_batches(facts, rows=4)]
    assert sizes[:-1] == [4] * (len(sizes) - 1)
    assert sum(sizes) == len(facts)


def test_only_doubtful_groups_have_a_row() -> None:
    def seen(group: str, source: str, at: int, epoch: int | None = 1) -> dict[str, Any]:
        return {
            "cluster": "c", "group": group, "source": source, "kind": "joined", "member": "A", "epoch": epoch, "at": at
        }  # fmt: skip

    sights = [
        seen("right", "coordinator:1", 1_000),
        seen("right", "consumer:a", 1_002),
        seen("wrong", "coordinator:1", 1_000),
        seen("wrong", "consumer:a", 3_601_000),
        seen("alone", "consumer:a", 1_002),
        seen("polled", "consumer:a", 1_002),
        seen("polled", "poller:p", 9_000_000, None),
    ]
    batches = [pa.RecordBatch.from_pylist([sight]) for sight in sights]
    assert [row for batch in group_doubts(batches) for row in batch.to_pylist()] == [
        {"cluster": "c", "group": "wrong", "offsets": [("consumer:a", -3_600_000)], "members_alone": False},
        {"cluster": "c", "group": "alone", "offsets": [], "members_alone": True},
    ]


def test_times_and_offsets_that_can_not_be_do_not_end_the_job() -> None:
    most = 2**63 - 1
    told = f"""
        0 consumer:a assigned A @1 t[0-1]
        1 consumer:a callback A ms={most}
        1 consumer:a callback A ms={most}
        2 poller:p lag t[0] offset=-{most} end={most}
        2 poller:p lag t[1] offset=-{most} end={most}
        3 consumer:a lost A @1 t[0] offset={most} ms={most}
        4 consumer:b assigned B @2 t[0]
    """
    found = facts_in(list(folded_batches(of_each_group(story(told)))))
    assert {row["callback_ms"] for row in found["members"]} == {most, 0}
    assert {row["lag"] for row in found["lags"]} == {most}
    assert found.keys() == answers(story(told)).keys()

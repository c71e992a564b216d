"""Records of the offsets topic to events: in the order of each partition, and bad ones told."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pyspark")

import pyarrow as pa

from kafka_nextgen.groups.records import GroupMetadata, GroupMetadataRemoved, TargetAssignmentMetadata
from kafka_nextgen.offsets_topic.events import RecordStory
from kafka_nextgen.spark.history.offsets_topic import event_batches
from tests.offsets_topic.group_records import epoch, metadata
from tests.spark.history.records import EpochStory, batch_of, row


def told(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    batches = [pa.RecordBatch.from_pylist([each]) for each in rows]
    found = event_batches(batches, lambda partition: EpochStory(partition).tell)
    return [row for batch in found for row in batch.to_pylist()]


def test_each_partition_has_a_story_of_its_own() -> None:
    found = told(
        row(3, GroupMetadata("g", 1)), row(9, GroupMetadata("g", 2)), row(1, GroupMetadata("g", 7), partition=5)
    )
    assert [(each["source"], each["epoch"], each["reason"]) for each in found] == [
        ("offsets:0", 1, "None"),
        ("offsets:0", 2, "1"),
        ("offsets:5", 7, "None"),
    ]


def test_records_of_one_time_are_told_together() -> None:
    """A member's metadata comes before the epoch that it joins at."""
    batches = [pa.RecordBatch.from_pylist([each]) for each in batch_of(5, metadata("A", "orders"), epoch(1))]
    (found,) = event_batches(batches, lambda _: RecordStory("offsets:0").tell)
    assert [(each["kind"], each["epoch"], each["cause"]) for each in found.to_pylist()] == [
        ("joined", 1, None),
        ("group epoch", 1, "member joined"),
    ]


def test_known_records_are_remembered_and_not_told_again() -> None:
    known = {**row(3, GroupMetadata("g", 1)), "is_known": True}
    bad = {**row(4, b"\x00\x03\x00"), "is_known": True}
    assert [each["reason"] for each in told(known, bad, row(9, GroupMetadata("g", 2)))] == ["1"]


def test_records_of_other_types_and_tombstones_are_no_problem() -> None:
    other = {**row(5, b"\x7f\x00\x00"), "value": None}
    keyless = {**row(6, b""), "key": None, "value": b"x"}
    found = told(row(4, TargetAssignmentMetadata("g", 1)), other, keyless, row(7, GroupMetadataRemoved("g")))
    assert found == []


def test_a_bad_record_is_told_with_its_place_and_passed_over() -> None:
    bad = {**row(5, b"\x00\x03\x00"), "value": None}
    problem, event = told(bad, row(6, GroupMetadata("g", 1)))
    assert (problem["problem"], problem["kind"]) == ("bad record", None)
    assert problem["origin"] == "__consumer_offsets-0 at offset 5"
    assert problem["text"]
    assert event["epoch"] == 1

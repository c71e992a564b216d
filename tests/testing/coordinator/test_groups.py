"""Listing, describing and deleting groups, and offsets beyond what the scenarios tell."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.described import ConsumerGroupDescribed
from kafka_nextgen.groups.listed import GroupsDeleted, GroupsListed
from kafka_nextgen.testing.coordinator.requests import (
    ConsumerGroupDescribe,
    ConsumerGroupHeartbeat,
    DeleteGroups,
    ListGroups,
    OffsetCommit,
    OffsetFetch,
)
from kafka_nextgen.testing.coordinator.responses import OffsetsCommitted, OffsetsFetched
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, Profile
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.testing.coordinator.stage import GROUP, Stage

FOO_0 = TopicPartition("foo", 0)


@pytest.fixture
def stage() -> Stage:
    """Group ``g`` with member A, group ``simple`` with offsets only."""
    stage = Stage()
    stage.set_topic("foo", 2)
    stage.join("A")
    stage.ask(OffsetCommit("simple", {FOO_0: OffsetAndMetadata(1)}))
    return stage


def _listed(stage: Stage, **filters: frozenset[str]) -> list[tuple[str, str, str]]:
    answer = stage.ask(ListGroups(**filters)).response
    assert isinstance(answer, GroupsListed)
    return [(group.group_id, group.state, group.group_type) for group in answer.groups]


def test_groups_are_listed_with_state_and_type(stage: Stage) -> None:
    assert _listed(stage) == [("g", "Stable", "consumer"), ("simple", "Empty", "classic")]
    assert _listed(stage, states=frozenset({"EMPTY"})) == [("simple", "Empty", "classic")]
    assert _listed(stage, types=frozenset({"Consumer"})) == [("g", "Stable", "consumer")]
    assert _listed(stage, states=frozenset({"dead"})) == []


@pytest.mark.parametrize(("profile", "shown"), [(Profile.V4_3, {0, 1}), (Profile.V4_2, {0})])
def test_what_a_member_still_has_to_give_back_is_shown_since_4_3(profile: Profile, shown: set[int]) -> None:
    stage = Stage(CoordinatorSettings(profile=profile, group_consumer_assignment_interval_ms=0))
    stage.set_topic("foo", 2)
    stage.join("A")
    stage.join("B")
    stage.ask(ConsumerGroupHeartbeat(GROUP, "A", stage.group.current("A").member_epoch))
    answer = stage.ask(ConsumerGroupDescribe((GROUP,))).response
    assert isinstance(answer, ConsumerGroupDescribed)
    assert answer.groups[0].state == "Reconciling"
    assert answer.groups[0].assignor == "uniform"
    first = answer.groups[0].members[0]
    assert {partition.partition for partition in first.assignment} == shown
    assert {partition.partition for partition in first.target} == {0}
    assert {answer.topic_names[partition.topic_id] for partition in first.target} == {"foo"}


@pytest.mark.parametrize("group_id", ["nowhere", "simple"])
def test_only_consumer_groups_are_described(stage: Stage, group_id: str) -> None:
    answer = stage.ask(ConsumerGroupDescribe((group_id,))).response
    assert isinstance(answer, ConsumerGroupDescribed)
    assert answer.groups[0].error is ErrorCode.GROUP_ID_NOT_FOUND


def test_only_empty_groups_are_deleted(stage: Stage) -> None:
    answer = stage.ask(DeleteGroups((GROUP, "simple", "nowhere"))).response
    assert answer == GroupsDeleted(
        {
            GROUP: ErrorCode.NON_EMPTY_GROUP,
            "simple": ErrorCode.NONE,
            "nowhere": ErrorCode.GROUP_ID_NOT_FOUND,
        }
    )
    stage.ask(ConsumerGroupHeartbeat(GROUP, "A", -1))
    assert _listed(stage) == [(GROUP, "Empty", "consumer")]
    stage.ask(DeleteGroups((GROUP,)))
    assert _listed(stage) == []
    assert stage.coordinator.deadline() is None


@pytest.mark.parametrize(("version", "error"), [(9, ErrorCode.GROUP_ID_NOT_FOUND), (8, ErrorCode.ILLEGAL_GENERATION)])
def test_a_member_of_no_group_commits_nothing(stage: Stage, version: int, error: ErrorCode) -> None:
    answer = stage.ask(OffsetCommit("nowhere", {FOO_0: OffsetAndMetadata(1)}, "A", 3, version=version)).response
    assert answer == OffsetsCommitted({FOO_0: error})
    assert "nowhere" not in stage.coordinator.groups


def test_metadata_has_a_limit_per_partition_in_utf_16_units(stage: Stage) -> None:
    offsets = {
        FOO_0: OffsetAndMetadata(5, metadata="é" * 4096),
        TopicPartition("foo", 1): OffsetAndMetadata(5, metadata="𐐀" * 2049),
    }
    answer = stage.ask(OffsetCommit(GROUP, offsets, "A", 2)).response
    assert isinstance(answer, OffsetsCommitted)
    assert list(answer.errors.values()) == [ErrorCode.NONE, ErrorCode.OFFSET_METADATA_TOO_LARGE]
    assert list(stage.group.offsets) == [FOO_0]


def test_an_old_commit_is_refused_for_what_would_be_stored_only(stage: Stage) -> None:
    too_long, good = OffsetAndMetadata(5, metadata="x" * 5_000), OffsetAndMetadata(5)
    foo_1 = TopicPartition("foo", 1)
    answer = stage.ask(OffsetCommit(GROUP, {FOO_0: too_long, foo_1: too_long}, "A", 1)).response
    assert answer == OffsetsCommitted(dict.fromkeys((FOO_0, foo_1), ErrorCode.OFFSET_METADATA_TOO_LARGE))
    answer = stage.ask(OffsetCommit(GROUP, {FOO_0: too_long, foo_1: good}, "A", 1)).response
    assert answer == OffsetsCommitted(dict.fromkeys((FOO_0, foo_1), ErrorCode.STALE_MEMBER_EPOCH))


@pytest.mark.parametrize(
    ("member_id", "epoch", "error"),
    [
        (None, -1, ErrorCode.NONE),
        ("A", 2, ErrorCode.NONE),
        ("", -1, ErrorCode.UNKNOWN_MEMBER_ID),
        ("B", 2, ErrorCode.UNKNOWN_MEMBER_ID),
        ("A", 1, ErrorCode.STALE_MEMBER_EPOCH),
        ("A", -1, ErrorCode.STALE_MEMBER_EPOCH),
    ],
)
def test_who_may_fetch(stage: Stage, member_id: str | None, epoch: int, error: ErrorCode) -> None:
    answer = stage.ask(OffsetFetch(GROUP, (FOO_0,), member_id, epoch)).response
    assert isinstance(answer, OffsetsFetched)
    assert answer.error is error


def test_a_group_nobody_knows_has_no_offsets_and_no_error(stage: Stage) -> None:
    assert stage.ask(OffsetFetch("nowhere", (FOO_0,))).response == OffsetsFetched({FOO_0: None})


def test_offsets_of_a_recreated_topic_are_gone_for_those_who_fetch_all(stage: Stage) -> None:
    stage.set_topic("foo", 2, anew=True)
    assert stage.ask(OffsetFetch("simple", None)).response == OffsetsFetched({})
    assert _listed(stage)[1:] == [("simple", "Empty", "classic")]
    list(stage.pass_time(600))
    assert "simple" not in stage.coordinator.groups

"""A broker may know of a topic made again before its coordinator does, which has to write first what it forgets."""

from __future__ import annotations

from uuid import UUID

import pytest

from kafka_nextgen.testing.coordinator.requests import OffsetCommit, OffsetFetch, TopicImage, TopicsChanged
from kafka_nextgen.testing.coordinator.responses import OffsetsFetched
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.testing.coordinator.stage import Stage

BEFORE, AGAIN = UUID(int=1), UUID(int=2)
T0 = TopicPartition("t", 0)


@pytest.fixture
def stage() -> Stage:
    return Stage()


def fetched(stage: Stage, topic_id: UUID) -> OffsetAndMetadata | None:
    answer = stage.ask(OffsetFetch("g", (T0,), topic_ids={"t": topic_id})).response
    assert isinstance(answer, OffsetsFetched)
    return answer.offsets[T0]


def knows(stage: Stage, topic_id: UUID) -> None:
    stage.ask(TopicsChanged({"t": TopicImage(topic_id, "t", 1)}))


def commits(stage: Stage, topic_id: UUID, offset: int) -> None:
    stage.ask(OffsetCommit("g", {T0: OffsetAndMetadata(offset)}, topic_ids={"t": topic_id}))


def test_an_offset_of_the_topic_before_is_none_of_the_one_made_again(stage: Stage) -> None:
    knows(stage, BEFORE)
    commits(stage, BEFORE, 78)
    assert fetched(stage, BEFORE) == OffsetAndMetadata(78)
    assert fetched(stage, AGAIN) is None, "78 would pass over its first records"


def test_an_offset_of_a_topic_that_came_and_went_unheard_of_is_forgotten(stage: Stage) -> None:
    knows(stage, BEFORE)
    commits(stage, AGAIN, 5)
    stage.ask(TopicsChanged({}))
    assert "g" not in stage.coordinator.groups or not stage.coordinator.groups["g"].offsets


def test_an_offset_of_the_topic_made_again_stays_when_the_coordinator_learns_of_that(stage: Stage) -> None:
    knows(stage, BEFORE)
    commits(stage, AGAIN, 5)
    knows(stage, AGAIN)
    assert fetched(stage, AGAIN) == OffsetAndMetadata(5)

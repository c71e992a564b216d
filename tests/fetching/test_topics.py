"""A topic made again under its old name: nothing of the old one is taken for one of the new one's."""

from __future__ import annotations

from uuid import UUID

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching import (
    DecodedPartition,
    Fetch,
    FetchSettings,
    FetchState,
    NeedCommittedOffset,
    NeedMetadata,
    NeedOffsetReset,
    TopicChanges,
)
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.cluster_image import ClusterImage, TopicInfo
from kafka_nextgen.requests.list_offsets import ListedOffset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.fetching.world import TOPIC_ID, World, asked, cluster, columns

P0, P1 = (TopicPartition("orders", number) for number in range(2))
ANOTHER_ID = UUID(int=2)
HERE = cluster({P0: 1, P1: 1})
MADE_AGAIN = cluster({P0: 1, P1: 1}, ANOTHER_ID)


def without_orders() -> ClusterImage:
    gone = TopicInfo("orders", None, error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    return evolve(HERE, topics_by_name={"orders": gone})


@pytest.fixture
def by_name() -> World:
    return World(FetchState(FetchSettings()), HERE)


@pytest.fixture
def by_id() -> World:
    return World(FetchState(FetchSettings()), HERE, topic_ids={"orders": TOPIC_ID})


def reads(world: World) -> Fetch:
    """Hand over two records of three; a fetch for more is under way."""
    world.start(P0, at=5)
    world.answer(world.fetch(), columns(P0, 5, 3))
    assert world.take(2) == [(0, 5), (0, 6)]
    world.state.handover.mark_consumed()
    return world.fetch()


def test_what_is_fetched_is_the_topic_that_was_assigned_whatever_has_its_name(by_id: World) -> None:
    by_id.image = MADE_AGAIN
    by_id.assign(P0)
    need = by_id.only(NeedMetadata)
    assert by_id.state.gone() == {P0}
    by_id.image = HERE
    by_id.state.results.metadata_refreshed(need, by_id.now)
    by_id.find_committed({P0: OffsetAndMetadata(5)})
    (position,) = by_id.fetch().positions
    assert (position.topic_id, position.offset) == (TOPIC_ID, 5)


@pytest.mark.parametrize("image", [MADE_AGAIN, without_orders()], ids=["made again", "deleted"])
def test_a_topic_that_is_gone_is_asked_about_but_not_read_or_committed(by_id: World, image: ClusterImage) -> None:
    under_way = reads(by_id)
    by_id.image = image
    by_id.answer(under_way, DecodedPartition(P0, ErrorCode.UNKNOWN_TOPIC_ID))
    by_id.now += 10
    need = by_id.only(NeedMetadata)
    by_id.state.results.metadata_refreshed(need, by_id.now)
    by_id.now += 10
    by_id.only(NeedMetadata)
    assert by_id.state.gone() == {P0}
    assert by_id.state.handover.consumed_offsets() == by_id.state.handover.handed_over_offsets() == {}
    assert by_id.state.position(P0) == 7


def test_what_arrived_of_a_topic_that_is_gone_is_still_handed_over(by_id: World) -> None:
    reads(by_id)
    by_id.image = MADE_AGAIN
    by_id.plan()
    assert by_id.take() == [(0, 7)]


def test_a_broker_that_had_not_heard_of_the_topic_does_no_harm(by_id: World) -> None:
    by_id.answer(reads(by_id), DecodedPartition(P0, ErrorCode.UNKNOWN_TOPIC_ID))
    by_id.image = without_orders()
    by_id.refresh()
    by_id.image = HERE
    by_id.now += 10
    assert asked(by_id.plan()) == [(1, 0, 8)]
    assert by_id.state.gone() == frozenset()
    assert by_id.state.handover.consumed_offsets() == {P0: OffsetAndMetadata(7, 5)}


def test_an_unknown_topic_id_is_asked_about_with_growing_pauses(by_id: World) -> None:
    under_way = reads(by_id)
    by_id.take()
    pauses = []
    for _ in range(6):
        by_id.answer(under_way, DecodedPartition(P0, ErrorCode.INCONSISTENT_TOPIC_ID))
        by_id.refresh()
        began = by_id.now
        while not asked(needs := by_id.plan()):
            by_id.now += 0.01
        pauses.append(round(by_id.now - began, 1))
        under_way = next(need for need in needs if isinstance(need, Fetch))
    assert pauses == [0.1, 0.2, 0.4, 0.8, 1.0, 1.0]


def test_the_new_topic_assigned_in_place_of_the_old_one_begins_by_its_own_committed_offset(by_id: World) -> None:
    late = reads(by_id)
    by_id.image = MADE_AGAIN
    by_id.state.stop([P0])
    by_id.state.assign([P0], [P0], {"orders": ANOTHER_ID})
    by_id.state.release([P0])
    need = by_id.only(NeedCommittedOffset)
    by_id.answer(late, columns(P0, 8, 3))
    assert by_id.take() == []
    assert by_id.state.topic_ids([P0]) == {"orders": ANOTHER_ID}
    assert by_id.state.handover.consumed_offsets() == {}
    by_id.state.results.committed_found(need, {P0: OffsetAndMetadata(1)}, by_id.now)
    (position,) = by_id.fetch().positions
    assert (position.topic_id, position.offset) == (ANOTHER_ID, 1)


def test_assigned_by_name_a_partition_of_a_topic_made_again_begins_anew(by_name: World) -> None:
    late = reads(by_name)
    by_name.state.pause([P0])
    by_name.image = MADE_AGAIN
    plan = by_name.state.planning.plan(MADE_AGAIN, by_name.now)
    assert plan.topics == TopicChanges((P0,), frozenset(), frozenset({P0}))
    (need,) = plan.needs
    assert isinstance(need, NeedOffsetReset)
    assert by_name.state.planning.plan(MADE_AGAIN, by_name.now).topics == TopicChanges((), frozenset(), frozenset({P0}))
    assert by_name.state.planning.plan(MADE_AGAIN, by_name.now).topics is None, "nothing has changed"
    by_name.answer(late, columns(P0, 8, 3))
    assert by_name.state.handover.consumed_offsets() == by_name.state.handover.handed_over_offsets() == {}
    assert by_name.state.paused() == {P0}
    by_name.state.resume([P0])
    assert by_name.take() == []
    by_name.state.results.reset_found(need, {P0: ListedOffset(1)}, by_name.now)
    (position,) = by_name.fetch().positions
    assert (position.topic_id, position.offset) == (ANOTHER_ID, 1)


def test_assigned_by_name_what_is_being_given_up_does_not_begin_anew(by_name: World) -> None:
    reads(by_name)
    by_name.state.stop([P0])
    by_name.image = MADE_AGAIN
    assert by_name.plan() == []
    assert by_name.state.gone() == {P0}
    assert by_name.state.handover.consumed_offsets() == {}


def test_assigned_by_name_a_deleted_topic_is_waited_for(by_name: World) -> None:
    by_name.answer(reads(by_name), DecodedPartition(P0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
    by_name.image = without_orders()
    by_name.refresh()
    by_name.now += 10
    by_name.refresh()
    by_name.image = MADE_AGAIN
    by_name.only(NeedOffsetReset)


def test_a_cluster_without_topic_ids_knows_topics_by_name_only(by_name: World) -> None:
    unnumbered = evolve(HERE.topics_by_name["orders"], topic_id=None)
    by_name.image = evolve(HERE, topics_by_name={"orders": unnumbered})
    reads(by_name)
    assert by_name.state.gone() == frozenset()
    assert by_name.state.topic_ids([P0]) == {}


def test_assigned_by_name_without_a_reset_what_is_committed_is_asked_for(by_name: World) -> None:
    by_name.state = FetchState(FetchSettings(reset=OffsetReset.NONE))
    reads(by_name)
    by_name.image = MADE_AGAIN
    by_name.only(NeedCommittedOffset)


def test_offsets_beyond_the_position_in_a_topic_made_again_are_those_of_the_old_one(by_name: World) -> None:
    late = reads(by_name)
    commit = {P0: OffsetAndMetadata(7), P1: OffsetAndMetadata(9)}
    assert by_name.state.of_old_topics(commit) == frozenset()
    by_name.image = MADE_AGAIN
    need = by_name.only(NeedOffsetReset)
    by_name.answer(late, columns(P0, 8, 3))
    assert by_name.state.of_old_topics(commit) == {P0}
    by_name.state.results.reset_found(need, {P0: ListedOffset(0)}, by_name.now)
    assert by_name.state.of_old_topics(commit) == {P0}
    by_name.answer(by_name.fetch(), columns(P0, 0, 8))
    by_name.take(7)
    assert by_name.state.of_old_topics(commit) == frozenset(), "7 records of the new one were handed over"

"""With stored offsets, what the application has not stored does not count as processed."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import MisuseError
from kafka_nextgen.fetching import FetchSettings, FetchState, NeedOffsetReset
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.list_offsets import ListedOffset
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.fetching.world import World, cluster, columns

P0, P1 = (TopicPartition("orders", number) for number in range(2))


@pytest.fixture
def stored() -> World:
    return World(FetchState(FetchSettings(stores_offsets=True)), cluster({P0: 1, P1: 1}))


def consumed(world: World) -> dict[TopicPartition, int]:
    """What auto-commit would commit at the next poll, and so would ``commit()``."""
    world.state.handover.mark_consumed()
    found = world.state.handover.consumed_offsets()
    assert world.state.handover.offsets_to_commit() == found
    return {tp: at.offset for tp, at in found.items()}


def store(world: World, offset: int) -> None:
    world.state.store({P0: OffsetAndMetadata(offset)})


def test_what_is_stored_is_committed_and_nothing_beyond_it(stored: World) -> None:
    stored.read(P0, 5)
    assert consumed(stored) == {P0: 0}, "where reading began"
    store(stored, 3)
    assert consumed(stored) == {P0: 3}
    store(stored, 2)
    assert consumed(stored) == {P0: 2}


@pytest.mark.parametrize("marked", [True, False], ids=["known before", "read at once"])
def test_where_reading_began_is_kept_though_records_were_handed_over(stored: World, marked: bool) -> None:
    stored.start(P0, at=7)
    if marked:
        assert consumed(stored) == {P0: 7}
    stored.answer(stored.fetch(), columns(P0, 7, 5))
    stored.take(2)
    assert consumed(stored) == {P0: 7}


def test_a_partition_whose_callback_has_not_returned_has_not_begun(stored: World) -> None:
    stored.state.assign([P0], [P0])
    stored.find_committed({P0: OffsetAndMetadata(4)})
    assert consumed(stored) == {}
    stored.state.seek(P0, 9)
    stored.state.release([P0])
    assert consumed(stored) == {P0: 9}, "the callback says where to begin"


@pytest.mark.parametrize(("target", "left"), [(1, 1), (3, 3), (9, 3)])
def test_a_seek_goes_back_but_not_over_what_is_not_stored(stored: World, target: int, left: int) -> None:
    stored.read(P0, 5)
    store(stored, 3)
    stored.state.seek(P0, target)
    assert consumed(stored) == {P0: left}


@pytest.mark.parametrize(("where", "found", "left"), [(OffsetReset.EARLIEST, 1, 1), (OffsetReset.LATEST, 9, 3)])
def test_a_reset_goes_back_too(stored: World, where: OffsetReset, found: int, left: int) -> None:
    stored.read(P0, 5)
    store(stored, 3)
    stored.state.seek_to([P0], where)
    stored.state.results.reset_found(stored.only(NeedOffsetReset), {P0: ListedOffset(found)}, stored.now)
    assert consumed(stored) == {P0: left}


def test_a_seek_does_not_pass_what_was_read_at_once_and_is_not_stored(stored: World) -> None:
    stored.start(P0, at=7)
    stored.answer(stored.fetch(), columns(P0, 7, 5))
    stored.take(2)  # and no poll since, which would note where reading began
    stored.state.seek(P0, 90)
    assert consumed(stored) == {P0: 7}


def test_a_reset_does_not_pass_it_either(stored: World) -> None:
    stored.start(P0, at=7)
    stored.answer(stored.fetch(), columns(P0, 7, 5))
    stored.take(2)
    stored.state.seek_to([P0], OffsetReset.LATEST)
    stored.state.results.reset_found(stored.only(NeedOffsetReset), {P0: ListedOffset(90)}, stored.now)
    assert consumed(stored) == {P0: 7}


def test_a_seek_before_anything_was_read_is_where_reading_begins(stored: World) -> None:
    stored.start(P0, at=7)
    stored.state.seek(P0, 90)
    assert consumed(stored) == {P0: 90}


@pytest.mark.parametrize(("committed", "left"), [(2, 3), (4, 4)])
def test_what_the_application_commits_itself_is_not_taken_back(stored: World, committed: int, left: int) -> None:
    stored.read(P0, 5)
    store(stored, 3)
    stored.state.handover.note_commit({P0: OffsetAndMetadata(committed), P1: OffsetAndMetadata(1)})
    assert consumed(stored) == {P0: left}
    store(stored, 1)
    assert consumed(stored) == {P0: 1}, "the last call counts"


def test_nothing_is_stored_for_what_is_not_assigned(stored: World) -> None:
    stored.read(P0, 5)
    with pytest.raises(MisuseError, match=r"orders\[1\]"):
        stored.state.store({P0: OffsetAndMetadata(3), P1: OffsetAndMetadata(3)})
    assert consumed(stored) == {P0: 0}


def test_otherwise_a_seek_is_where_the_next_owner_begins(world: World) -> None:
    world.read(P0, 5)
    world.state.seek(P0, 9)
    assert world.state.handover.consumed_offsets() == {P0: OffsetAndMetadata(9)}

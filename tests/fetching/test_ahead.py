"""The next fetch goes out while the records of the last one are decoded."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError
from kafka_nextgen.fetching import Arrival, DecodedPartition, Fetch, FetchSettings, FetchState, find_arrivals
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.fetch import FetchedPartition
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.fetching.world import World, asked, cluster, columns

P0, P1 = (TopicPartition("orders", number) for number in range(2))


def receive(world: World, fetch: Fetch, **ends: int) -> None:
    """Records of these partitions have come, which end there."""
    arrivals = {TopicPartition("orders", int(name[1:])): Arrival(end, 100) for name, end in ends.items()}
    world.receive(fetch, arrivals=arrivals)


def test_fetching_goes_on_behind_records_that_are_being_decoded_and_handed_over_then(world: World) -> None:
    world.start(P0)
    first = world.fetch()
    receive(world, first, p0=3)
    second = world.fetch()
    assert asked([second]) == [(1, 0, 3)]
    assert (world.take(), world.state.position(P0)) == ([], 0)
    receive(world, second, p0=5)
    assert world.plan() == [], "one answer more than is being decoded"
    world.answer(first, columns(P0, 0, 3))
    assert asked(world.plan()) == [(1, 0, 5)]
    world.answer(second, columns(P0, 3, 2))
    assert world.take() == [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4)]
    assert world.state.position(P0) == 5


def test_a_partition_without_records_waits_for_the_rest_of_the_answer(world: World) -> None:
    world.start(P0, P1)
    first = world.fetch()
    receive(world, first, p0=3)
    assert asked(world.plan()) == [(1, 0, 3)]
    world.answer(first, columns(P0, 0, 3), DecodedPartition(P1, ErrorCode.NONE, columns(P1, 0, 1)))
    assert world.take() == [(0, 0), (0, 1), (0, 2), (1, 0)]


def test_records_that_end_elsewhere_than_their_headers_said_call_the_next_fetch_off(world: World) -> None:
    world.start(P0)
    first = world.fetch()
    receive(world, first, p0=3)
    second = world.fetch()
    world.answer(first, columns(P0, 0, 2))
    world.answer(second, columns(P0, 3, 2))
    assert world.take() == [(0, 0), (0, 1)]
    assert asked(world.plan()) == [(1, 0, 2)]


def test_corrupt_records_are_met_where_they_are_and_nothing_is_skipped(world: World) -> None:
    world.start(P0)
    first = world.fetch()
    receive(world, first, p0=3)
    second = world.fetch()
    error = CorruptRecordError("broken", P0, 0)
    world.answer(first, DecodedPartition(P0, corrupt=error))
    world.answer(second, columns(P0, 3, 2))
    with pytest.raises(CorruptRecordError) as raised:
        world.take()
    assert raised.value is error
    assert world.state.position(P0) == 0


def test_decoding_that_fails_as_a_whole_is_begun_again(world: World) -> None:
    world.start(P0)
    first = world.fetch()
    receive(world, first, p0=3)
    world.state.results.failed(first, world.now)
    world.now += 10
    world.state.results.metadata_refreshed(world.plan()[0], world.now)  # type: ignore[arg-type]
    assert asked(world.plan()) == [(1, 0, 0)]


def test_a_seek_makes_what_is_being_decoded_worthless_and_what_comes_then_is_not_gone_on_behind(world: World) -> None:
    world.start(P0)
    first = world.fetch()
    receive(world, first, p0=3)
    second = world.fetch()
    world.state.seek(P0, 7)
    receive(world, second, p0=6)
    world.answer(first, columns(P0, 0, 3))
    assert world.take() == []
    world.answer(second, columns(P0, 3, 3))
    assert world.take() == []
    assert asked(world.plan()) == [(1, 0, 7)]


def test_what_is_being_decoded_takes_room() -> None:
    world = World(FetchState(FetchSettings(OffsetReset.LATEST, buffer_bytes=2000)), cluster({P0: 1, P1: 1}))
    world.start(P0, P1)
    world.answer(world.fetch(), columns(P1, 0, 40))
    first = world.fetch()
    receive(world, first, p0=3)
    room_is_left = world.plan()
    world.answer(first, columns(P0, 0, 3))
    assert (room_is_left, asked(world.plan())) == ([], [(1, 0, 3)])


def test_where_records_end_is_told_by_the_last_whole_batch() -> None:
    world = World(FetchState(FetchSettings(OffsetReset.LATEST)), cluster({P0: 1}))
    world.start(P0, at=1)
    first = encode_batch([NewRecord(b"a"), NewRecord(b"b")], leader_epoch=3)
    whole = first + encode_batch([NewRecord(b"c")], base_offset=2, leader_epoch=4)
    last = len(encode_batch([NewRecord(b"c")]))
    fetch = world.fetch()
    cases = {
        whole: {P0: Arrival(3, len(whole), 4, len(whole) / 3, last)},
        whole[:-1]: {P0: Arrival(2, len(whole) - 1, 3, (len(whole) - last) / 2, len(whole) - last)},
        whole[:40]: {},
        encode_batch([NewRecord(b"a")]): {},  # ends where the fetch began
        b"\xff" * 70: {},
    }
    for data, expected in cases.items():
        answered = [FetchedPartition(P0, ErrorCode.NONE, 3, records=data)]
        assert find_arrivals(fetch, answered) == expected

"""Which partitions are asked for from whom, what the answers do, and what the application gets."""

from __future__ import annotations

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, CorruptRecordError, OffsetOutOfRangeError, TopicAuthorizationError
from kafka_nextgen.fetching import (
    DecodedPartition,
    Fetch,
    FetchSettings,
    FetchState,
    NeedMetadata,
    NeedOffsetReset,
    decode_answer,
)
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.settings import SHORT_WAIT_MS
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.fetch import FetchedPartition, FetchPosition
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from kafka_nextgen.wire.records import ColumnSlice, NewRecord, RecordLimits, encode_batch
from tests.fetching.world import TOPIC_ID, World, asked, cluster, columns

P0, P1, P2, P3 = (TopicPartition("orders", number) for number in range(4))


def small_world(**settings: int) -> World:
    return World(FetchState(FetchSettings(OffsetReset.LATEST, **settings)), cluster({P0: 1, P1: 1}))


# What is asked.


def test_each_leader_is_asked_for_what_it_leads_and_all_a_broker_wants_to_know(world: World) -> None:
    world.start(P0, P1, P2)
    one, two = world.plan()
    assert asked([one, two]) == [(1, 0, 0), (1, 1, 0), (2, 2, 0)]
    assert isinstance(two, Fetch)
    assert two.positions == (FetchPosition(P2, TOPIC_ID, 0, leader_epoch=5, max_bytes=1 << 20),)
    assert (two.max_bytes, two.max_wait_ms) == (1 << 20, 500)


def test_one_fetch_at_a_time_is_on_its_way_to_a_node(world: World) -> None:
    world.start(P0)
    fetch = world.fetch()
    world.assign(P0, P1, P2)
    world.state.seek(P1, 0)
    world.state.seek(P2, 0)
    assert asked(world.plan()) == [(2, 2, 0)]
    world.answer(fetch)
    assert asked(world.plan()) == [(1, 0, 0), (1, 1, 0)]


def test_fetching_goes_on_ahead_of_the_application_and_looking_at_records_moves_nothing(world: World) -> None:
    world.read(P0, 3, take=0)
    assert asked(world.plan()) == [(1, 0, 3)]
    (part,) = world.state.handover.peek(2)
    assert (part.start, part.stop) == (0, 2)
    assert world.state.position(P0) == 0


def test_a_partition_buffered_beyond_its_share_is_left_out_and_the_wait_is_short() -> None:
    world = small_world(buffer_bytes=3_000)
    world.start(P0, P1)
    world.answer(world.fetch(), columns(P0, 0, 60))
    fetch = world.fetch()
    assert asked([fetch]) == [(1, 1, 0)]
    assert fetch.max_wait_ms == SHORT_WAIT_MS
    assert len(world.take()) == 60
    world.answer(fetch)
    fetch = world.fetch()
    assert sorted(asked([fetch])) == [(1, 0, 60), (1, 1, 0)]
    assert fetch.max_wait_ms == 500


def test_no_more_is_asked_than_there_is_room_for_until_records_are_handed_over() -> None:
    world = small_world(buffer_bytes=3_000)
    world.read(P0, 30, take=0)
    assert 0 < world.fetch().max_bytes < 3_000
    world = small_world(buffer_bytes=900)
    world.start(P0, P1)
    world.answer(world.fetch(), columns(P0, 0, 30))
    assert world.plan() == []
    world.take()
    assert len(asked(world.plan())) == 2


def test_whoever_brought_records_is_asked_for_last(world: World) -> None:
    world.start(P0, P1)
    world.answer(world.fetch(), columns(P0, 0, 1))
    assert asked(world.plan()) == [(1, 1, 0), (1, 0, 1)]


def test_a_paused_partition_is_neither_fetched_nor_handed_over_and_keeps_its_records(world: World) -> None:
    world.start(P0, P1)
    world.answer(world.fetch(), columns(P0, 0, 2), columns(P1, 0, 1))
    world.state.pause([P0])
    assert world.state.paused() == {P0}
    assert world.take() == [(1, 0)]
    assert asked(world.plan()) == [(1, 1, 1)]
    world.state.resume([P0])
    assert world.take() == [(0, 0), (0, 1)]


# Handing over.


def test_the_position_advances_with_what_is_handed_over_and_auto_commit_once_the_application_came_back(
    world: World,
) -> None:
    world.read(P0, 3, take=2)
    assert world.state.handover.handed_over_offsets() == {P0: OffsetAndMetadata(2, 5)}
    assert world.state.handover.consumed_offsets() == {}
    world.state.handover.mark_consumed()
    world.take(2)
    assert world.state.handover.consumed_offsets() == {P0: OffsetAndMetadata(2, 5)}
    world.state.seek(P0, 70)
    assert world.state.handover.consumed_offsets() == {P0: OffsetAndMetadata(70)}


def test_control_batches_move_the_position_once_the_records_before_them_are_handed_over(world: World) -> None:
    world.start(P0)
    world.answer(world.fetch(), columns(P0, 0, 1, control=True))
    assert not world.state.handover.has_records()
    assert world.state.position(P0) == 1
    world.answer(world.fetch(), columns(P0, 1, 2))
    world.answer(world.fetch(), columns(P0, 3, 1, control=True))
    world.take(1)
    assert world.state.position(P0) == 2
    world.take(1)
    assert world.state.position(P0) == 4


def test_the_high_watermark_is_that_of_the_last_fetch(world: World) -> None:
    world.start(P0, P1)
    world.answer(world.fetch(), DecodedPartition(P0, columns=columns(P0, 0, 2), high_watermark=99))
    ends = {tp: standing.log_end for tp, standing in world.state.progress().partitions.items()}
    assert ends == {P0: 99, P1: None}


def test_a_preview_stands_where_handing_over_would_lead_and_changes_nothing(world: World) -> None:
    world.read(P0, 3, take=0)
    world.answer(world.fetch(), columns(P0, 3, 1, control=True))
    parts = world.state.handover.peek(3)
    before = world.state.progress()
    assert world.state.position(P0, parts) == 4, "behind the control batch, as if they were handed over"
    assert world.state.position(P0, [ColumnSlice(parts[0].columns, 0, 2)]) == 2
    ahead = world.state.progress(parts)
    assert world.state.progress() == before
    world.state.handover.take(3)
    assert world.state.progress() == ahead
    world.state.seek(P0, 1)
    assert world.state.position(P0, parts) == 1, "they can't be handed over any more"


def test_where_one_partition_stands_is_found_without_a_copy_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that asks for the position of each record must not pay for all partitions each time."""
    many = [TopicPartition("orders", number) for number in range(20)]
    world = World(FetchState(FetchSettings(OffsetReset.LATEST)), cluster(dict.fromkeys(many, 1)))
    world.start(*many)
    world.answer(world.fetch(), *(columns(partition, 0, 1) for partition in many))
    parts = world.state.handover.peek(len(many))
    copied: set[TopicPartition] = set()

    def copy(state: PartitionState) -> PartitionState:
        copied.add(state.partition)
        return evolve(state)

    monkeypatch.setattr("kafka_nextgen.fetching.context.evolve", copy)
    assert world.state.position(many[0], parts) == 1
    assert copied == {many[0]}
    world.state.progress(parts[:3])
    assert copied == set(many[:3])


# Trouble.


@pytest.mark.parametrize(
    "code",
    [
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.INCONSISTENT_TOPIC_ID,
        ErrorCode.KAFKA_STORAGE_ERROR,
    ],
)
def test_another_leader_is_looked_up_before_asking_again(world: World, code: int) -> None:
    world.start(P0)
    world.answer(world.fetch(), DecodedPartition(P0, code))
    need = world.only(NeedMetadata)
    world.now += 10
    assert world.plan() == []
    world.state.results.metadata_refreshed(need, world.now)
    assert asked(world.plan()) == [(1, 0, 0)]


def test_nothing_is_planned_for_the_end_of_a_pause_that_nobody_waits_for(world: World) -> None:
    """A plan ends the steady state, and takes back what is lent."""
    image = world.image
    world.start(P0)
    world.image = evolve(image, brokers={})
    world.state.results.metadata_refreshed(world.only(NeedMetadata), world.now)
    assert world.plan() == []
    assert world.state.planning.deadline(world.now) is not None
    world.image = image
    assert asked(world.plan()) == [(1, 0, 0)]
    assert world.state.planning.deadline(world.now) is None


@pytest.mark.parametrize(
    "code", [ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.OFFSET_NOT_AVAILABLE, ErrorCode.UNKNOWN_SERVER_ERROR]
)
def test_what_passes_is_asked_again_after_a_pause(world: World, code: int) -> None:
    world.start(P0)
    world.answer(world.fetch(), DecodedPartition(P0, code))
    assert world.plan() == []
    world.now += 0.1
    assert asked(world.plan()) == [(1, 0, 0)]


def test_trouble_with_one_partition_does_not_hold_up_the_others(world: World) -> None:
    world.start(P0, P1)
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.NOT_LEADER_OR_FOLLOWER), columns(P1, 0, 1))
    assert asked(world.plan()) == [(1, 1, 1)]


def test_a_failed_fetch_is_repeated_after_looking_the_leader_up(world: World) -> None:
    world.start(P0)
    world.state.results.failed(world.fetch(), world.now)
    world.refresh()
    assert world.plan() == []
    world.now += 0.1
    assert asked(world.plan()) == [(1, 0, 0)]


def test_an_offset_out_of_range_is_reset_once_the_records_in_front_of_it_are_handed_over(world: World) -> None:
    world.read(P0, 2, take=0)
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE))
    world.now += 10
    assert world.plan() == []
    assert world.take() == [(0, 0), (0, 1)]
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE))
    assert world.only(NeedOffsetReset).questions == {P0: -1}


def test_an_offset_out_of_range_is_raised_where_a_reset_is_forbidden() -> None:
    state = FetchState(FetchSettings(reset=OffsetReset.NONE))
    world = World(state, cluster({P0: 1}))
    world.start(P0, at=500)
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE))
    with pytest.raises(OffsetOutOfRangeError, match=r"orders\[0\]: the log has no offset 500") as caught:
        state.handover.take(1)
    assert caught.value.partition == P0
    assert state.position(P0) == 500


def test_a_strict_reset_stops_where_data_is_gone_but_still_chooses_where_nothing_was_committed() -> None:
    world = World(FetchState(FetchSettings(reset=OffsetReset.EARLIEST, strict=True)), cluster({P0: 1, P1: 1}))
    world.start(P0, at=500)
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.OFFSET_OUT_OF_RANGE))
    with pytest.raises(OffsetOutOfRangeError, match=r"no offset 500, and offset\.reset\.strict forbids"):
        world.state.handover.take(1)
    assert world.state.position(P0) == 500
    world.assign(P0, P1)
    world.find_committed({P1: None})
    assert world.only(NeedOffsetReset).questions == {P1: -2}


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (ErrorCode.TOPIC_AUTHORIZATION_FAILED, TopicAuthorizationError),
        (ErrorCode.CORRUPT_MESSAGE, CorruptRecordError),
        (ErrorCode.INVALID_REQUEST, BrokerError),
        (4711, BrokerError),
    ],
)
def test_what_somebody_has_to_mend_is_raised_once_an_attempt(world: World, code: int, error: type[Exception]) -> None:
    world.start(P0, at=7)
    for _ in range(2):
        world.answer(world.fetch(), DecodedPartition(P0, code))
        assert world.plan() == []
        assert world.state.handover.has_records()
        with pytest.raises(error, match=r"orders\[0\] can't be read at offset 7"):
            world.state.handover.take(1)
        assert world.take() == []
        assert world.state.position(P0) == 7
        world.now += 10


def test_an_error_is_kept_while_its_partition_is_paused_and_dropped_by_a_seek(world: World) -> None:
    world.start(P0)
    world.answer(world.fetch(), DecodedPartition(P0, ErrorCode.CORRUPT_MESSAGE))
    world.state.pause([P0])
    assert world.take() == []
    world.state.seek(P0, 8)
    world.state.resume([P0])
    assert world.take() == []
    assert asked(world.plan()) == [(1, 0, 8)]


def test_corrupt_records_are_raised_after_all_that_come_before_them(world: World) -> None:
    good = encode_batch([NewRecord(b"a"), NewRecord(b"b")])
    bad = encode_batch([NewRecord(b"c")], base_offset=2)[:-1] + b"\1"
    world.start(P0)
    for data in (good + bad, bad):  # the second found ahead of the application
        fetch = world.fetch()
        world.answer(fetch, *decode_answer(fetch, [FetchedPartition(P0, 0, 3, records=data)], RecordLimits()))
    assert world.take() == [(0, 0), (0, 1)]
    assert world.take() == []
    world.now += 10
    fetch = world.fetch()
    world.answer(fetch, *decode_answer(fetch, [FetchedPartition(P0, 0, 3, records=bad)], RecordLimits()))
    with pytest.raises(CorruptRecordError) as caught:
        world.state.handover.take(1)
    assert (caught.value.partition, caught.value.offset) == (P0, 2)
    assert world.state.position(P0) == 2


def test_a_cut_first_batch_makes_the_next_fetch_larger_and_ends_as_an_error() -> None:
    world = small_world(partition_max_bytes=1000, max_bytes=3000)
    world.start(P0)
    for expected in (1000, 2000, 3000):
        fetch = world.fetch()
        assert fetch.positions[0].max_bytes == expected
        cut = encode_batch([NewRecord(bytes(100_000))])[:expected]
        world.answer(fetch, *decode_answer(fetch, [FetchedPartition(P0, 0, 1, records=cut)], RecordLimits()))
    with pytest.raises(CorruptRecordError, match="no complete batch although 3000 bytes were allowed"):
        world.state.handover.take(1)


def test_a_partition_nobody_asked_for_is_ignored(world: World) -> None:
    world.start(P0)
    fetch = world.fetch()
    assert decode_answer(fetch, [FetchedPartition(P3, 0, 1)], RecordLimits()) == ()
    world.answer(fetch, columns(P3, 0, 1))
    assert not world.state.handover.has_records()

"""What fetching takes, all of it together: ``fetch.buffer.bytes``, and more only by what nobody knew or can divide."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kafka_nextgen.fetching import Fetch, FetchSettings, FetchState, SessionAnswer, decode_answer, find_arrivals
from kafka_nextgen.fetching.underway import MOST_ANSWER_BYTES, FetchBudget
from kafka_nextgen.requests.fetch import FetchedPartition
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Compression, NewRecord, RecordLimits, decode_partition, encode_batch
from tests.fetching.world import World, asked, cluster, columns
from tests.support.examples import examples

PARTITIONS = [TopicPartition("orders", number) for number in range(4)]
LEADERS = {tp: 1 + tp.partition // 2 for tp in PARTITIONS}
MOST_FETCHES = 2 * 2  # of each node the one that is decoded and the next
EMPTY_BYTES = 8  # columns without a record
PARTITION_BYTES = 3_000


def batch_of(offset: int, records: int, value: bytes, codec: Compression) -> bytes:
    return encode_batch([NewRecord(value)] * records, compression=codec, base_offset=offset)


def answer(fetch: Fetch, records: int, value: bytes, codec: Compression) -> list[FetchedPartition]:
    """As many whole batches as the limits allow, and of the first partition one in any case."""
    left, answered = fetch.max_bytes, []
    for position in fetch.positions:
        data, offset = b"", position.offset
        while True:
            batch = batch_of(offset, records, value, codec)
            is_due = not answered and not data
            if not is_due and len(data) + len(batch) > min(left, position.max_bytes):
                break
            data, offset = data + batch, offset + records
        left -= len(data)
        answered.append(FetchedPartition(position.partition, 0, offset, records=data))
    return answered


STEPS = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 200), st.booleans()), min_size=1, max_size=12)


@settings(max_examples=examples(60))
@given(STEPS, st.sampled_from([Compression.NONE, Compression.LZ4]), st.integers(30_000, 100_000))
@example([(39, 63, False)] * 3, Compression.LZ4, 30_000)  # all three were asked for before the first was decoded
def test_each_fetch_asked_for_exceeds_the_buffer_by_a_batch_and_a_partition_at_most(
    steps: Sequence[tuple[int, int, bool]], codec: Compression, buffer_bytes: int
) -> None:
    settings = FetchSettings(buffer_bytes=buffer_bytes, partition_max_bytes=PARTITION_BYTES)
    world = World(FetchState(settings), cluster(LEADERS))
    for tp in PARTITIONS:
        world.assign(*world.state.assignment(), tp)
        world.state.seek(tp, 0)
    under_way: list[Fetch] = []
    excess: list[int] = []  # of each fetch decoded since there was room to ask
    for records, value_bytes, is_taken in steps:
        plan(world, under_way, excess, buffer_bytes)
        if under_way:
            fetch = under_way.pop(0)
            answered = answer(fetch, records, bytes(value_bytes), codec)
            head = SessionAnswer(0, 0, [each.partition for each in answered])
            world.state.results.received(fetch, head, find_arrivals(fetch, answered), world.now)
            under_way.insert(0, fetch)
            plan(world, under_way, excess, buffer_bytes)
            del under_way[0]
            decoded = decode_answer(fetch, answered, RecordLimits())
            transient = sum(each.fetched_bytes + each.columns.nbytes for each in decoded if each.columns is not None)
            allowed = sum(sizes(answered)) + len(answered) * EMPTY_BYTES
            assert transient <= fetch.set_aside_bytes + allowed
            excess.append(allowed)
            world.state.results.fetched(fetch, decoded, world.now)
            assert taken(world, under_way) <= buffer_bytes + sum(excess)
            assert len(excess) + len(under_way) <= MOST_FETCHES
        if is_taken:
            world.take(100_000)


def plan(world: World, under_way: list[Fetch], excess: list[int], buffer_bytes: int) -> None:
    """Ask for more, but never for more than there is room for."""
    asked = [need for need in world.plan() if isinstance(need, Fetch)]
    under_way += asked
    if asked:
        assert taken(world, under_way) <= buffer_bytes
        excess.clear()


def taken(world: World, under_way: Sequence[Fetch]) -> int:
    return world.state.progress().buffered_bytes + sum(fetch.set_aside_bytes for fetch in under_way)


def sizes(answered: Sequence[FetchedPartition]) -> tuple[int, int]:
    """The largest partition of an answer: its bytes, and those of its columns."""
    largest = max(answered, key=lambda each: len(each.records or b""))
    columns = decode_partition(largest.records or b"", largest.partition, 0, RecordLimits())
    return len(largest.records or b""), columns.nbytes


def test_what_answers_grow_by_is_learned_at_once_and_forgotten_slowly() -> None:
    budget = FetchBudget(100_000)
    budget.note(100, 900)
    assert budget.growth == 9.0
    budget.note(100, 100)
    assert 7.0 < budget.growth < 9.0
    for _ in range(100):
        budget.note(100, 100)
    assert budget.growth == pytest.approx(1.0, abs=0.01)
    budget.note(0, 0)
    assert budget.growth == pytest.approx(1.0, abs=0.01), "nothing came"


@pytest.mark.parametrize(
    ("free_bytes", "nodes", "expected"),
    [
        (60_000, 1, 10_000),  # half of the buffer, of which a third is for the frame
        (60_000, 3, 3_333),
        (15_000, 1, 5_000),  # all that is free
        (7_499, 1, 0),  # less than a quarter of what a fetch may take
        (-1, 1, 0),
    ],
)
def test_a_fetch_takes_half_of_its_nodes_part_frame_and_columns_together(
    free_bytes: int, nodes: int, expected: int
) -> None:
    assert FetchBudget(60_000, growth=2.0).for_fetch(free_bytes, nodes) == expected


def test_one_node_leaves_room_for_the_other() -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=10_000)), cluster(LEADERS))
    world.start(*PARTITIONS)
    limits = {need.node_id: need.max_bytes for need in world.plan() if isinstance(need, Fetch)}
    assert limits.keys() == {1, 2}
    assert limits[1] == limits[2]


def test_an_answer_that_grows_more_than_was_set_aside_is_decoded_in_part_and_asked_for_again() -> None:
    world = World(FetchState(FetchSettings(buffer_bytes=20_000)), cluster(LEADERS))
    world.start(*PARTITIONS[:2])
    fetch = world.fetch()
    batch = batch_of(0, 10, bytes(10_000), Compression.LZ4)
    answered = [FetchedPartition(tp, 0, 10, records=batch) for tp in PARTITIONS[:2]]
    world.answer(fetch, *decode_answer(fetch, answered, RecordLimits()))
    assert {number for number, _ in world.take()} == {0}
    assert sorted((each.partition.partition, each.offset) for each in world.fetch().positions) == [(0, 10), (1, 0)]


def test_paused_partitions_give_their_room_back_before_others_wait_for_it() -> None:
    first, second = PARTITIONS[:2]
    world = World(FetchState(FetchSettings(buffer_bytes=2_000)), cluster(LEADERS))
    world.start(first, second)
    world.answer(world.fetch(), columns(first, 0, 62))
    world.state.pause([first])
    fetch = world.fetch()
    assert asked([fetch]) == [(1, 1, 0)]
    world.answer(fetch, columns(second, 0, 1))
    world.state.resume([first])
    assert sorted(asked(world.plan())) == [(1, 0, 0), (1, 1, 1)]


def test_no_answer_is_asked_to_be_larger_than_is_of_use() -> None:
    assert FetchBudget(1 << 40).for_fetch(1 << 40, 1) == MOST_ANSWER_BYTES

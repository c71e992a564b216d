"""What decoding takes of a hostile answer: each partition once, and no more than memory allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.fetching import AnswerDecoding, DecodedPartition, Fetch, decode_answer
from kafka_nextgen.requests.fetch import FetchedPartition
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Compression, NewRecord, RecordLimits, encode_batch
from tests.fetching.world import World, asked

P0, P1 = TopicPartition("orders", 0), TopicPartition("orders", 1)
BOMB = encode_batch([NewRecord(bytes(1_000_000))], Compression.ZSTD)

Decode = Callable[[Fetch, Iterable[FetchedPartition], RecordLimits], tuple[DecodedPartition, ...]]


def decode_by_tasks(
    fetch: Fetch, answered: Iterable[FetchedPartition], limits: RecordLimits
) -> tuple[DecodedPartition, ...]:
    """As threads decode what is large, but by one."""
    decoding = AnswerDecoding(fetch, answered, limits)
    while (task := decoding.begin()) is not None:
        decoding.end(task, task.decode())
    return decoding.results()


@pytest.mark.parametrize("decode", [decode_answer, decode_by_tasks])
def test_a_partition_that_is_answered_twice_is_read_once(world: World, decode: Decode) -> None:
    world.start(P0)
    fetch = world.fetch()
    once = FetchedPartition(P0, 0, 1, records=BOMB)
    (decoded,) = decode(fetch, [once] * 50, RecordLimits())
    assert decoded.columns is not None
    assert len(decoded.columns) == 1


@pytest.mark.parametrize("decode", [decode_answer, decode_by_tasks])
def test_an_answer_of_bombs_is_decoded_as_far_as_it_may_and_the_rest_asked_for_again(
    world: World, decode: Decode
) -> None:
    world.start(P0, P1)
    fetch = world.fetch()
    answered = [FetchedPartition(partition, 0, 1, records=BOMB) for partition in (P0, P1)]
    decoded = decode(fetch, answered, RecordLimits(max_answer_bytes=500_000))
    assert [len(each.columns) for each in decoded if each.columns is not None] == [1, 0]
    world.answer(fetch, *decoded)
    assert world.take() == [(0, 0)]
    assert (1, 1, 0) in asked(world.plan())


@pytest.mark.parametrize("decode", [decode_answer, decode_by_tasks])
def test_errors_are_told_however_much_there_was(world: World, decode: Decode) -> None:
    world.start(P0, P1)
    answered = [FetchedPartition(P0, 0, 1, records=BOMB), FetchedPartition(P1, ErrorCode.NOT_LEADER_OR_FOLLOWER, 1)]
    decoded = decode(world.fetch(), answered, RecordLimits(max_answer_bytes=500_000))
    assert decoded[1].error == ErrorCode.NOT_LEADER_OR_FOLLOWER

"""Partitions are decoded side by side, and answers come out in the order in which they went in."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from kafka_nextgen.engine.reading import record_decoder
from kafka_nextgen.engine.reading.record_decoder import RecordDecoder
from kafka_nextgen.fetching import DecodedPartition, Fetch, decode_answer
from kafka_nextgen.fetching.decoding import PartitionTask
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.requests.fetch import FetchedPartition, FetchPosition
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.records import Compression, NewRecord, RecordLimits, encode_batch
from tests.support.waiting import GUARD_S

LIMITS = RecordLimits()
PARTITIONS = [TopicPartition("orders", number) for number in range(9)]


@pytest.fixture
def decoder(monkeypatch: pytest.MonkeyPatch) -> Iterator[RecordDecoder]:
    monkeypatch.setattr(record_decoder.os, "cpu_count", lambda: 3)
    decoder = RecordDecoder(LIMITS, check_crcs=True)
    yield decoder
    decoder.close()


def fetch_of(partitions: list[TopicPartition], offset: int = 0) -> Fetch:
    positions = tuple(FetchPosition(each, None, offset, -1, 1 << 20) for each in partitions)
    wanted = {each.partition: each for each in positions}
    return Fetch(1, wanted, 1 << 24, 500, {}, SessionRequest.alone(positions), set_aside_bytes=1 << 26)


def answer_of(
    partitions: list[TopicPartition], offset: int = 0, compression: Compression = Compression.LZ4
) -> list[FetchedPartition]:
    records = {each: [NewRecord(str(each).encode())] * 9 for each in partitions}
    return [
        FetchedPartition(each, 0, 99, records=encode_batch(records[each], compression, base_offset=offset))
        for each in partitions
    ]


def decode(decoder: RecordDecoder, offset: int = 0) -> tuple[DecodedPartition, ...]:
    return asyncio.run(decoder.decode(fetch_of(PARTITIONS, offset), answer_of(PARTITIONS, offset)))


def values(decoded: tuple[DecodedPartition, ...]) -> list[tuple[TopicPartition, list[bytes | None]]]:
    return [(each.partition, list(each.columns.values)) for each in decoded if each.columns is not None]


def test_the_results_are_those_of_decoding_one_after_the_other(decoder: RecordDecoder) -> None:
    side_by_side = decode(decoder)
    assert values(side_by_side) == values(decode_answer(fetch_of(PARTITIONS), answer_of(PARTITIONS), LIMITS))
    assert [each.partition for each in side_by_side] == PARTITIONS


async def test_a_later_answer_does_not_overtake_an_earlier_one(
    decoder: RecordDecoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last partition of the first answer takes until the second answer is decoded."""
    later_is_decoded = threading.Event()
    decode = PartitionTask.decode

    def slow(task: PartitionTask) -> DecodedPartition:
        if task.answer.partition != PARTITIONS[-1]:
            return decode(task)
        if task.offset == 0:
            assert later_is_decoded.wait(GUARD_S)
        else:
            later_is_decoded.set()
        return decode(task)

    monkeypatch.setattr(PartitionTask, "decode", slow)
    ended: list[int] = []

    async def one(offset: int) -> None:
        await decoder.decode(fetch_of(PARTITIONS, offset), answer_of(PARTITIONS, offset))
        ended.append(offset)

    await asyncio.gather(one(0), one(9))
    assert ended == [0, 9]


@pytest.mark.parametrize(("compression", "num_threads"), [(Compression.LZ4, 3), (Compression.NONE, 1)])
def test_it_takes_several_threads_where_there_is_something_to_decompress(
    decoder: RecordDecoder, monkeypatch: pytest.MonkeyPatch, compression: Compression, num_threads: int
) -> None:
    together = threading.Barrier(num_threads)
    decode, threads = PartitionTask.decode, set()

    def waiting(task: PartitionTask) -> DecodedPartition:
        if threading.get_ident() not in threads:
            threads.add(threading.get_ident())
            together.wait(GUARD_S)
        return decode(task)

    monkeypatch.setattr(PartitionTask, "decode", waiting)
    asyncio.run(decoder.decode(fetch_of(PARTITIONS), answer_of(PARTITIONS, compression=compression)))
    assert len(threads) == num_threads


def test_an_answer_that_is_decoded_is_counted_until_it_is_done(decoder: RecordDecoder) -> None:
    answer = answer_of(PARTITIONS)

    async def look() -> list[int]:
        before = decoder.num_waiting
        decoding = asyncio.ensure_future(decoder.decode(fetch_of(PARTITIONS), answer))
        await asyncio.sleep(0)
        meanwhile = decoder.num_waiting
        await decoding
        return [before, meanwhile, decoder.num_waiting]

    assert asyncio.run(look()) == [0, 1, 0]


def test_a_bug_in_one_partition_is_raised_and_does_not_hold_up_the_next_answer(
    decoder: RecordDecoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode_task = PartitionTask.decode

    def broken(task: PartitionTask) -> DecodedPartition:
        if task.offset == 0:
            raise ZeroDivisionError
        return decode_task(task)

    monkeypatch.setattr(PartitionTask, "decode", broken)

    async def run() -> int:
        with pytest.raises(ZeroDivisionError):
            await decoder.decode(fetch_of(PARTITIONS), answer_of(PARTITIONS))
        return len(await decoder.decode(fetch_of(PARTITIONS, 9), answer_of(PARTITIONS, 9)))

    assert asyncio.run(run()) == 9


def test_after_the_end_nothing_is_decoded(decoder: RecordDecoder) -> None:
    decoder.close()
    assert decode(decoder) == ()

"""A handler with next to no client: fetches written by hand to one broker, records handed to the application's thread.

Nothing is looked after but the offsets: no group, no leader, no error, no limit. So it tells what an answer costs at
the least, received and decoded on asyncio as our client does; and, with some time of the interpreter wasted for each,
what costing more comes to.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Mapping
from struct import Struct

from benchmarks.delays.log import Log
from benchmarks.delays.ours import config, partitions
from benchmarks.delays.task import Delays, Task
from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.bridge.fetch import FetchPosition
from kafka_nextgen.engine.application.signals import ThreadSignal
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.transport.frame_reader import receiver_of
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.fetch_request import RawFetchRequest, WantedTopic
from kafka_nextgen.wire.frames import encode_request, read_response
from kafka_nextgen.wire.plain_decoding import decode_plain
from kafka_nextgen.wire.raw_fetch import RawFetchAnswer
from kafka_nextgen.wire.records import Columns, RecordLimits, decode_partition

__all__ = ["handle", "handle_at_0_3_ms", "handle_at_0_15_ms"]

_VERSION = FETCH.max_version
_LENGTH = Struct(">i")
_HEAD = _LENGTH.size + 5  # of an answer: its length, its number, no tags
_LIMITS = RecordLimits()
_MOST_BYTES = 1 << 20  # that are asked for of a partition, and that the columns of an answer may take


class _Fetching(asyncio.BufferedProtocol):
    """One fetch after the other in one session; values go to ``values``, and ``signal`` is rung."""

    def __init__(self, topic: str, topic_id: TopicId, offsets: Mapping[TopicPartition, int], waste_s: float) -> None:
        self.values: deque[list[bytes | None]] = deque()
        self.signal = ThreadSignal()
        self.is_lost = threading.Event()
        self._topic, self._topic_id = topic, topic_id
        self._wanted = {tp: FetchPosition(tp, topic_id, offset) for tp, offset in offsets.items()}
        self._places = {topic_id.bytes: {tp.partition: tp for tp in offsets}}
        self._waste_s = waste_s
        self._session = 0, 0
        self._buffer = memoryview(bytearray(1 << 20))
        self._end = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._receive = receiver_of(transport)
        self._ask(list(self._wanted.values()))

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost.set()

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer[self._end :]

    def buffer_updated(self, nbytes: int) -> None:
        self._end += nbytes
        if self._end < _LENGTH.size:
            return
        size = _LENGTH.size + _LENGTH.unpack_from(self._buffer)[0]
        if self._end < size and self._receive is not None:
            self._end += self._receive(self._buffer[self._end : size])
        if self._end == size:
            self._end = 0
            self._answered(self._buffer[:size])

    def _answered(self, frame: memoryview) -> None:
        session_id, columns = self._read(frame)
        self._session = session_id, self._session[1] + 1
        moved = []
        for each in columns:
            position = FetchPosition(each.partition, self._topic_id, each.next_offset)
            self._wanted[each.partition] = position
            moved.append(position)
            self.values.append(each.values.to_list(0, len(each)))
        waste(self._waste_s)
        self._ask(moved)
        self.signal.ring()

    def _read(self, frame: memoryview) -> tuple[int, list[Columns]]:
        """The session and what there is of records, as quickly as we can."""
        plain = decode_plain(frame[_HEAD:], self._places, self._wanted, _MOST_BYTES, True, DecodedPartition)
        if plain is not None:
            return plain.session_id, [each.columns for each in plain.partitions if each.columns is not None]
        answer = read_response(FETCH, _VERSION, memoryview(bytes(frame[_LENGTH.size :])))[1]
        assert isinstance(answer, RawFetchAnswer)
        parts = [each for topic in answer.topics for each in topic.partitions]
        return answer.session_id, [self._decode(each.number, each.records) for each in parts if each.records]

    def _decode(self, number: int, records: memoryview) -> Columns:
        partition = TopicPartition(self._topic, number)
        return decode_partition(records, partition, self._wanted[partition].offset, _LIMITS)

    def _ask(self, moved: list[FetchPosition]) -> None:
        wanted = [(position.partition.partition, -1, position.offset, -1, _MOST_BYTES) for position in moved]
        topics = [WantedTopic(self._topic, self._topic_id, wanted)] if wanted else []
        request = RawFetchRequest(500, 1, 50 << 20, 0, *self._session, topics=topics, forgotten=())
        self._transport.write(encode_request(request, _VERSION, 0, None))


def waste(seconds: float) -> None:
    """Keep the interpreter busy."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def handle(task: Task) -> Delays:
    """As lean as it gets."""
    return _handle(task, 0.0, 0.0)


def handle_at_0_15_ms(task: Task) -> Delays:
    """0.15 ms more for each answer, a third of it where records are handled."""
    return _handle(task, 0.0001, 0.00005)


def handle_at_0_3_ms(task: Task) -> Delays:
    """0.3 ms more for each answer, a third of it where records are handled."""
    return _handle(task, 0.0002, 0.0001)


def _handle(task: Task, waste_there_s: float, waste_here_s: float) -> Delays:
    fetching = _begun(task, waste_there_s)
    loop = asyncio.new_event_loop()
    host, port = task.bootstrap_servers.split(",")[0].rsplit(":", 1)
    loop.run_until_complete(loop.create_connection(lambda: fetching, host, int(port)))
    thread = threading.Thread(target=loop.run_forever, name="by hand", daemon=True)
    thread.start()
    log, is_on = Log(task), True
    while is_on:
        rings = fetching.signal.rings
        if not fetching.values:
            assert not fetching.is_lost.is_set(), "something that is not looked after"
            fetching.signal.wait(rings, 1.0)
            waste(waste_here_s)
        while fetching.values and is_on:
            is_on = all(log.take(value or b"") for value in fetching.values.popleft())
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    return log.delays()


def _begun(task: Task, waste_s: float) -> _Fetching:
    """At the ends of the partitions, which a consumer has looked up."""
    with Consumer(config(task)) as consumer:
        consumer.assign(partitions(task))
        ends = consumer.end_offsets(partitions(task))
        while not (ids := consumer._core.fetches.topic_ids(partitions(task))):  # noqa: SLF001
            consumer.poll(0.1)
    return _Fetching(task.topic, ids[task.topic], ends, waste_s)

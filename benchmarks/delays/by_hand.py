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
from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.engine.application.wakeup import ThreadWakeup
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.transport.frame_reader import receiver_of
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.fetch_request import RawFetchRequest, WantedTopic
from kafka_nextgen.wire.frames import client_head, decode_response, encode_request
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import BinaryColumn, Columns, HeaderColumn, RecordLimits, decode_partition

__all__ = ["handle", "handle_at_0_3_ms", "handle_at_0_15_ms"]

_VERSION = FETCH.max_version
_LENGTH = Struct(">i")
_LIMITS = RecordLimits()
_MOST_BYTES = 1 << 20  # that are asked for of a partition


class _Fetching(asyncio.BufferedProtocol):
    """One fetch after the other in one session; values go to ``values``, and ``signal`` is rung."""

    def __init__(self, topic: str, topic_id: TopicId, offsets: Mapping[TopicPartition, int], waste_s: float) -> None:
        self.values: deque[list[bytes | None]] = deque()
        self.signal = ThreadWakeup()
        self.is_lost = threading.Event()
        self._topic, self._topic_id = topic, topic_id
        self._offsets = dict(offsets)
        self._waste_s = waste_s
        self._session = 0, 0
        self._step: accelerator.SteadyFetch[DecodedPartition] | None = None
        self._buffer = memoryview(bytearray(1 << 20))
        self._end = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._receive = receiver_of(transport)
        transport.write(self._request())

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
            self._answered(self._buffer[_LENGTH.size : size])

    def _answered(self, frame: memoryview) -> None:
        request, columns = self._followed(frame) or self._read(frame)
        for each in columns:
            self.values.append(each.values.to_list(0, len(each)))
        waste(self._waste_s)
        self._transport.write(request)
        self.signal.notify()

    def _followed(self, frame: memoryview) -> tuple[bytes, list[Columns]] | None:
        """The next request and what there is of records, in one step of C, if that can be."""
        taken = None if self._step is None else self._step.answer(frame, 0)
        self._session = self._session[0], self._session[1] + 1
        if taken is None:
            return None
        return taken[0], [each.columns for each in taken[1] if each.columns is not None]

    def _read(self, frame: memoryview) -> tuple[bytes, list[Columns]]:
        """The same in Python."""
        if self._step is not None:
            self._offsets = {partition: offset for partition, (offset, _) in self._step.places().items()}
        answer = decode_response(FETCH, _VERSION, memoryview(bytes(frame)))[1]
        assert isinstance(answer, FetchResponse)
        parts = [each for topic in answer.responses for each in topic.partitions]
        columns = [self._decode(each.partition_index, each.records) for each in parts if each.records]
        self._offsets |= {each.partition: each.next_offset for each in columns}
        self._session = answer.session_id, self._session[1]
        return self._request(), columns

    def _decode(self, number: int, records: bytes) -> Columns:
        partition = TopicPartition(self._topic, number)
        return decode_partition(records, partition, self._offsets[partition], _LIMITS)

    def _request(self) -> bytes:
        """The next request, which names all partitions, and the step that its answer is for."""
        wanted = [(partition.partition, -1, offset, -1, _MOST_BYTES) for partition, offset in self._offsets.items()]
        topics = [WantedTopic(self._topic, self._topic_id, wanted)]
        request = RawFetchRequest(500, 1, 50 << 20, 0, *self._session, topics=topics, forgotten=())
        self._step = self._make_step(request) if ACCELERATED else None
        return encode_request(request, _VERSION, 0, None)

    def _make_step(self, request: RawFetchRequest) -> accelerator.SteadyFetch[DecodedPartition]:
        head, limits, rest = client_head(None), request.limits(_VERSION), request.rest(_VERSION)
        places = [
            (partition, self._topic_id.bytes, partition.partition, -1, offset, -1, _MOST_BYTES)
            for partition, offset in self._offsets.items()
        ]
        types = Columns, BinaryColumn, HeaderColumn
        session_id, epoch = self._session
        return accelerator.SteadyFetch(
            _VERSION, session_id, epoch, head, limits, rest, places, True, DecodedPartition, types
        )


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
        rings = fetching.signal.count
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
        while not (ids := consumer._core.fetches.under_lock(lambda state: state.topic_ids(partitions(task)))):  # noqa: SLF001
            consumer.poll(0.1)
    return _Fetching(task.topic, ids[task.topic], ends, waste_s)

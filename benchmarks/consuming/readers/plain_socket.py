"""No client: one socket, one buffer, Fetch requests one after the other. It shows what there is to be had.

The broker is asked for as much as every tuned client asks for, and of what comes only the ends of the batches are
looked for, to go on behind them. ``receive`` leaves it at that; ``decompress`` decompresses every batch as well, and
looks at nothing in it. What a client does beyond that is what it can be made quicker in.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from itertools import count

from benchmarks.consuming.gauge import Gauge, Reading
from benchmarks.consuming.task import BUFFER_BYTES, PARTITION_BYTES, Task
from kafka_nextgen.requests.fetch import FetchLimits, FetchPosition, from_response, to_request
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire import frames
from kafka_nextgen.wire.apis import FETCH
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import find_end
from kafka_nextgen.wire.records.batch_header import HEADER, read_header
from kafka_nextgen.wire.records.compression import decompress_view

__all__ = ["decompress", "receive"]

VERSION = 12  # the last in which topics have their names
LIMITS = FetchLimits(max_wait_ms=100, max_bytes=BUFFER_BYTES // 2)

Work = Callable[[memoryview], object]


def receive(task: Task, gauge: Gauge) -> Reading:
    """Receive, and no more."""
    return _read(task, gauge, lambda _: None)


def decompress(task: Task, gauge: Gauge) -> Reading:
    """Receive, and decompress."""
    return _read(task, gauge, _decompress)


def _read(task: Task, gauge: Gauge, work: Work) -> Reading:
    host, port = task.bootstrap_servers.split(",")[0].rsplit(":", 1)
    offsets = {TopicPartition(task.topic, number): 0 for number in range(task.partitions)}
    room = memoryview(bytearray(BUFFER_BYTES // 2))
    with socket.create_connection((host, int(port))) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        gauge.begin()
        for number in count():
            _fetch(connection, number, offsets, room, work)
            if sum(offsets.values()) >= task.records:
                return gauge.end(sum(offsets.values()))
    raise AssertionError("unreachable")


def _fetch(
    connection: socket.socket, number: int, offsets: dict[TopicPartition, int], room: memoryview, work: Work
) -> None:
    positions = [FetchPosition(partition, None, offset, -1, PARTITION_BYTES) for partition, offset in offsets.items()]
    connection.sendall(frames.encode_request(to_request(positions, LIMITS, VERSION), VERSION, number, "plain"))
    _, answer = frames.decode_response(FETCH, VERSION, _receive(connection, room))
    assert isinstance(answer, FetchResponse)
    for part in from_response(answer, {}).partitions:
        data = memoryview(part.records or b"")
        end = find_end(data, offsets[part.partition])
        if end is not None:
            work(data)
            offsets[part.partition] = end.offset


def _receive(connection: socket.socket, room: memoryview) -> memoryview:
    size = int.from_bytes(connection.recv(4, socket.MSG_WAITALL), "big")
    received = 0
    while received < size:
        received += connection.recv_into(room[received:size])
    return room[:size]


def _decompress(data: memoryview) -> None:
    at = 0
    while (header := read_header(data, at)) is not None and at + header.size <= len(data):
        decompress_view(header.codec, data[at + HEADER.size : at + header.size], BUFFER_BYTES)
        at += header.size

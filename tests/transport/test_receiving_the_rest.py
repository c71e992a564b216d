"""The rest of a frame is received in one go, and never more than that."""

from __future__ import annotations

import asyncio
import select
import socket
import struct
import threading
from asyncio.trsock import TransportSocket
from collections.abc import Iterator

import pytest

from kafka_nextgen.compiled import ACCELERATED, accelerator
from kafka_nextgen.errors import DisconnectedError
from kafka_nextgen.properties.value_types import ServerAddress
from kafka_nextgen.transport.connecting import open_connection
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.frame_reader import receiver_of
from kafka_nextgen.transport.traffic import Traffic
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.wire import frames
from kafka_nextgen.wire.apis import METADATA
from kafka_nextgen.wire.messages import MetadataResponse

from .scripted import question, request, scripted, settings, turns

compiled = pytest.mark.skipif(not hasattr(accelerator, "receive"), reason="nothing is compiled here, or it is Windows")

PATIENCE_MS = 5_000


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    peer, ours = socket.socketpair()
    ours.setblocking(False)
    with peer, ours:
        yield peer, ours


def receive(ours: socket.socket, to: bytearray, most_ms: int = PATIENCE_MS) -> int:
    return accelerator.receive(ours.fileno(), to, most_ms)


@compiled
def test_it_stops_where_the_frame_ends(pair: tuple[socket.socket, socket.socket]) -> None:
    peer, ours = pair
    peer.sendall(b"frame" + b"next")
    to = bytearray(5)
    assert (receive(ours, to), bytes(to)) == (5, b"frame")
    assert ours.recv(100) == b"next"


@compiled
def test_it_goes_on_while_more_comes(pair: tuple[socket.socket, socket.socket]) -> None:
    peer, ours = pair
    frame = bytes(range(256)) * 20_000  # more than a socket holds
    writer = threading.Thread(target=peer.sendall, args=(frame,))
    writer.start()
    to, count = bytearray(len(frame)), 0
    while count < len(frame):
        count += accelerator.receive(ours.fileno(), memoryview(to)[count:], PATIENCE_MS)
    writer.join()
    assert to == frame


@compiled
def test_it_does_not_wait_for_what_does_not_come_nor_go_on_for_longer_than_it_may(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    peer, ours = pair
    peer.sendall(b"half a fr")
    assert receive(ours, bytearray(100), most_ms=-1) == 0
    assert receive(ours, bytearray(100)) == 9
    assert receive(ours, bytearray(100)) == 0


@compiled
@pytest.mark.parametrize("is_reset", [False, True])
def test_an_end_is_left_to_whoever_reads_next(is_reset: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        ours = socket.create_connection(server.getsockname())
        peer, _ = server.accept()
    with ours:
        if is_reset:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        assert select.select([ours], [], [])[0]  # it has heard of that
        assert receive(ours, bytearray(100)) == 0
        assert ours.recv(100) == b""


@compiled
def test_a_closed_socket_brings_nothing_and_only_what_can_be_written_to_is_received_into(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    assert accelerator.receive(-1, bytearray(100), PATIENCE_MS) == 0
    with pytest.raises(TypeError):
        accelerator.receive(pair[1].fileno(), b"constant", PATIENCE_MS)  # type: ignore[arg-type]


class Transport(asyncio.Transport):
    """A transport with this extra info, which discards what is written."""

    def __init__(self, **extra: object) -> None:
        super().__init__(extra)

    def write(self, data: object) -> None:
        pass

    def abort(self) -> None:
        pass


def test_only_a_plain_socket_is_received_from(pair: tuple[socket.socket, socket.socket]) -> None:
    plain = receiver_of(Transport(socket=TransportSocket(pair[1])))
    assert (plain is not None) == (ACCELERATED and hasattr(accelerator, "receive"))
    assert receiver_of(Transport(socket=TransportSocket(pair[1]), sslcontext=object())) is None
    assert receiver_of(Transport()) is None
    assert receiver_of(Transport(socket=pair[1])) is None  # another event loop's, such as uvloop's


def answer_to(number: int) -> bytes:
    message = MetadataResponse(brokers=[], cluster_id="in pieces", controller_id=0, topics=[])
    return frames.encode_response(METADATA, message, 13, number)


@compiled
@pytest.mark.parametrize("here", [4, 5, 8, 30])
async def test_the_rest_of_an_answer_is_taken_before_the_loop_turns(
    here: int, pair: tuple[socket.socket, socket.socket]
) -> None:
    peer, ours = pair
    connection = Connection(ServerAddress("pieces", 9092), settings(), Traffic())
    connection.connection_made(Transport(socket=TransportSocket(ours)))
    first, second = (connection.send(METADATA, 13, question(), Deadline(20, "the question")) for _ in range(2))
    frame, behind = answer_to(0), answer_to(1)
    connection.get_buffer(-1)[:here] = frame[:here]
    peer.sendall(frame[here:] + behind)
    connection.buffer_updated(here)
    assert (await first).cluster_id == "in pieces"
    assert ours.recv(1000) == behind
    assert not second.done()


async def test_a_connection_may_end_within_a_large_frame() -> None:
    async with scripted() as (broker,):
        traffic = Traffic()
        connection = await open_connection(broker.address, settings(), traffic)
        broker.script[METADATA] = struct.pack(">i", 1_000_000) + bytes(300_000)
        asking = asyncio.create_task(request(connection, METADATA, 13, question(), Deadline(20, "the question")))
        while traffic.bytes_in < 300_000:
            await turns(1)
        broker.drop_connections()
        with pytest.raises(DisconnectedError):
            await asking
        await connection.close()

"""Bytes on their way between two sockets of this process, which neither end shows."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest

from kafka_nextgen.transport.loopback import is_anything_under_way

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the bytes sent and received")


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        accepted, _ = server.accept()
        with accepted:
            yield client, accepted


def test_what_has_arrived_is_not_under_way(ends: tuple[socket.socket, socket.socket]) -> None:
    client, accepted = ends
    client.send(b"a request")
    assert accepted.recv(100) == b"a request"
    accepted.send(b"an answer")
    assert client.recv(100) == b"an answer"
    assert not is_anything_under_way([client.fileno(), accepted.fileno()])
    assert client.send(b"another"), "the sockets are as before"


def test_what_waits_to_be_sent_is_under_way(ends: tuple[socket.socket, socket.socket]) -> None:
    client, accepted = ends
    client.setblocking(False)
    with suppress(BlockingIOError):
        while client.send(bytes(1_000_000)):
            pass
    assert is_anything_under_way([client.fileno(), accepted.fileno()])
    assert not is_anything_under_way([client.fileno()]), "the other end is not ours"


def test_what_is_no_connection_is_left_out() -> None:
    here, there = socket.socketpair()
    with here, there, socket.create_server(("127.0.0.1", 0)) as server:
        assert not is_anything_under_way([each.fileno() for each in (here, there, server)])
    assert not is_anything_under_way([12_345]), "it is closed by now"

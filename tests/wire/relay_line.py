"""A relay on a socket, and the broker's end of it."""

from __future__ import annotations

import select
import socket
from collections.abc import Sequence
from typing import Any

from attrs import frozen

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.wire.fetch_request import RawFetchRequest, WantedTopic
from kafka_nextgen.wire.frames import client_head, encode_request
from tests.bridge.over_the_wire import AUDIT, ORDERS

__all__ = [
    "EPOCH",
    "MOST_BODY",
    "NUMBER",
    "PLACES",
    "SESSION",
    "Events",
    "Given",
    "Line",
    "Place",
    "frame_of",
    "receive",
]

#: Topic id, number, leader epoch, offset, last epoch, most bytes.
Place = tuple[bytes, int, int, int, int, int]
Events = list[tuple[int, int]]
SESSION, EPOCH, NUMBER = 77, 9, 5  # the session is the one that is answered

PLACES: Sequence[Place] = [
    (AUDIT.bytes, 0, 6, 0, 2, 2_000),
    *((ORDERS.bytes, number, 4, 3, -1, 1_000 + number) for number in range(4)),
]

MOST_BODY = 16 * 1024


@frozen
class Given:
    """What a relay is made of, but for its socket."""

    version: int = 17
    number: int = NUMBER
    epoch: int = EPOCH
    client_id: str | None = "me"
    rack_id: str = ""
    places: Sequence[Place] = PLACES
    check_crc: bool = True
    most_kept_bytes: int = 1 << 20
    asked_at: float = 0.0
    session_id: int = SESSION

    def arguments(self, fd: int, bell: accelerator.Bell | None = None) -> list[Any]:
        question = self._question((), self.epoch)
        return [
            fd,
            self.version,
            self.number,
            self.session_id,
            self.epoch,
            client_head(self.client_id),
            question.limits(self.version),
            question.rest(self.version),
            self.places,
            self.check_crc,
            self.most_kept_bytes,
            self.asked_at,
            bell,
        ]

    def request(self, number: int, epoch: int, *topics: WantedTopic) -> bytes:
        """The frame of a request, as Python writes it."""
        return encode_request(self._question(topics, epoch), self.version, number, self.client_id)

    def _question(self, topics: Sequence[WantedTopic], epoch: int) -> RawFetchRequest:
        return RawFetchRequest(500, 1, 1 << 20, 1, self.session_id, epoch, topics, (), self.rack_id)


class Line:
    """A socket that a relay has, and the broker's end of it.

    There is a bell, so that of a relay that goes on nothing is told.
    """

    def __init__(self, given: Given) -> None:
        self.socket, self.broker = socket.socketpair()
        self.socket.setblocking(False)
        self.broker.setblocking(False)
        self.fd = self.socket.fileno()
        self.epoll = select.epoll()
        self.epoll.register(self.fd, select.EPOLLIN)
        self.bell = accelerator.Bell()
        self.begin(given)

    def begin(self, given: Given) -> None:
        """Have a new relay."""
        self.given = given
        self.relay = accelerator.FetchRelay(*given.arguments(self.fd, self.bell))

    def serve(self, timeout_s: float = 0.0) -> Events:
        return accelerator.serve(self.epoll.fileno(), timeout_s, (self.relay,))

    def answer(self, frame: bytes) -> Events:
        """What is told when that has come."""
        self.broker.sendall(frame)
        return self.serve()

    def asked(self) -> bytes:
        """What has been sent since this was called last."""
        return receive(self.broker)

    def take(self) -> list[bytes]:
        """The bodies that are kept, which they are no more."""
        bodies = []
        while (first := self.relay.first()) is not None:
            bodies.append(first[1])
            self.relay.drop(first[0])
        return bodies

    def left(self) -> bytes:
        """What came and was not kept, be it still in the socket."""
        return self.relay.left()[0] + receive(self.socket)

    @property
    def over(self) -> Events:
        """What is told of a relay that is over."""
        return [(self.fd, 0)]

    def close(self) -> None:
        self.epoll.close()
        self.socket.close()
        self.broker.close()


def receive(end: socket.socket) -> bytes:
    """All that is there."""
    came = b""
    try:
        while more := end.recv(1 << 20):
            came += more
    except BlockingIOError:
        pass
    return came


def frame_of(body: bytes | memoryview, number: int = NUMBER, tags: bytes = b"\x00") -> bytes:
    content = number.to_bytes(4, "big") + tags + body
    return len(content).to_bytes(4, "big") + content

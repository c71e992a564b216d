"""A broker's end of a socket whose other end a ``SteadySocket`` serves."""

from __future__ import annotations

import socket
from typing import Any

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.types import Record
from tests.wire.steady_bodies import bring
from tests.wire.steady_twin import CORRELATION_ID, Start

ASKED_AT = 10.0


class ServedSocket:
    """``served`` is at the end of the client, whose fetch 5 is in flight; this is the broker."""

    def __init__(self) -> None:
        self.broker, self.client = socket.socketpair()
        self.broker.settimeout(60)
        self.next_id = CORRELATION_ID
        self.step = Start().step()
        self.served: accelerator.SteadySocket[DecodedPartition] = accelerator.SteadySocket(
            self.step, self.client.fileno(), CORRELATION_ID, ASKED_AT
        )

    def sends(self, frame: bytes) -> None:
        """Send an answer, given without its length."""
        self.broker.sendall(len(frame).to_bytes(4, "big") + frame)

    def answers(self, offset: int, count: int = 1, correlation_id: int | None = None) -> None:
        """Answer the request in flight with records from this offset on."""
        number = self.next_id if correlation_id is None else correlation_id
        self.next_id = number + 1
        self.sends(number.to_bytes(4, "big") + bring(offset, count)[4:])

    def request(self) -> bytes:
        """Receive the next request, with its length."""
        head = self._exactly(4)
        return head + self._exactly(int.from_bytes(head, "big"))

    def _exactly(self, size: int) -> bytes:
        received = b""
        while len(received) < size:
            more = self.broker.recv(size - len(received))
            assert more, "the client closed the socket"
            received += more
        return received

    @property
    def taken(self) -> list[list[int]]:
        """The offsets of each answer that was taken."""
        return [
            [offset for result in results or () for offset in (result.columns.offsets if result.columns else ())]
            for results in self.served.taken
        ]

    def close(self) -> None:
        self.broker.close()
        self.client.close()


def offsets_of(records: Any) -> list[int]:
    return [record.offset for record in records if isinstance(record, Record)]

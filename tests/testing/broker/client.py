"""The smallest Kafka client: a blocking socket, one request at a time, and every byte under the test's control."""

from __future__ import annotations

import select
import socket
import struct
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.frames import decode_response, encode_request
from kafka_nextgen.wire.messages import JoinGroupRequest
from kafka_nextgen.wire.schema import Message
from tests.support.plain_messages import message_of
from tests.support.waiting import GUARD_S


class Client:
    """A connection to the first of ``bootstrap_servers``."""

    def __init__(self, bootstrap_servers: str, timeout_s: float = GUARD_S, client_id: str = "tests") -> None:
        self.bootstrap_servers = bootstrap_servers
        self._client_id = client_id
        host, port = bootstrap_servers.split(",")[0].rsplit(":", 1)
        self._socket = socket.create_connection((host, int(port)), timeout_s)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._correlation_id = 0
        self._unanswered: deque[int] = deque()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def ask(self, api: Api, message: Message | None = None, version: int | None = None, **fields: Any) -> Any:
        """Send a message, or one of plain ``fields``, in its highest version or ``version``; return the answer."""
        spoken = api.max_version if version is None else version
        self.send(message or message_of(api.request, **fields), spoken)
        return self.receive(api, spoken)

    def send(self, message: Message, version: int) -> None:
        self._correlation_id += 1
        self._unanswered.append(self._correlation_id)
        self.send_bytes(encode_request(message, version, self._correlation_id, self._client_id))

    def receive(self, api: Api, version: int) -> Any:
        """Return the next answer, which must be to the oldest request ``send`` sent, if any is unanswered."""
        correlation_id, answer = decode_response(api, version, self.receive_frame())
        assert not self._unanswered or correlation_id == self._unanswered.popleft()
        return answer

    def send_bytes(self, data: bytes) -> None:
        self._socket.sendall(data)

    def receive_frame(self) -> bytes:
        """Return the next frame, without its length; ``ConnectionError`` if the broker hung up instead."""
        (length,) = struct.unpack(">i", self._receive(4))
        return self._receive(length)

    def has_answer(self, timeout_s: float) -> bool:
        """Whether the broker says something, or hangs up, within this time."""
        return bool(select.select([self], [], [], timeout_s)[0])

    def is_hung_up(self) -> bool:
        """Wait for the broker to say something or to hang up, and return whether it hung up."""
        try:
            return not self._socket.recv(1)
        except ConnectionError:
            return True

    def _receive(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise ConnectionError(f"the broker hung up, {size - len(data)} bytes short")
            data += more
        return data


@contextmanager
def clients_of(bootstrap_servers: str) -> Iterator[dict[int, Client]]:
    """Connect to every node; each client by the id of its node."""
    with ExitStack() as stack:
        servers = enumerate(bootstrap_servers.split(","), 1)
        yield {node_id: stack.enter_context(Client(address)) for node_id, address in servers}


def join_request(group: str, metadata: bytes = b"", **fields: Any) -> JoinGroupRequest:
    """A request to join a classic group as a new consumer with assignor ``range``, but for ``fields``."""
    usual = {"protocol_type": "consumer", "session_timeout_ms": 30_000, "rebalance_timeout_ms": 30_000}
    protocols = [{"name": "range", "metadata": metadata}]
    return message_of(JoinGroupRequest, group_id=group, protocols=protocols, **{**usual, **fields})

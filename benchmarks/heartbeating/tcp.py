"""Members over TCP that cost next to nothing themselves: one thread, any number of connections, frames made before.

A group forms by proper requests and answers. From then on it is at rest, so each member's heartbeat is the same bytes
every time, and an answer is only looked at for its error code. A connection carries its members in turns, and sends
the next heartbeat when the last is answered.
"""

from __future__ import annotations

import selectors
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from typing import TypeVar
from uuid import uuid4

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import TopicId
from kafka_nextgen.wire.apis import APIS
from kafka_nextgen.wire.frames import decode_response, encode_request
from kafka_nextgen.wire.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from kafka_nextgen.wire.schema import Message
from kafka_nextgen.wire.schemas.consumer_group import TopicPartitions

__all__ = ["TcpGroup"]

HEARTBEAT_VERSION, FIND_COORDINATOR_VERSION = 1, 4
CLIENT_ID = "benchmark"
TIMEOUT_S = 30.0

#: Of an answer to a heartbeat: length, correlation id, no tags, throttle time, error code.
ANSWER_HEAD = struct.Struct(">iixih")

NOT_YET = (ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)

_R = TypeVar("_R", bound=Message)

Owned = dict[TopicId, list[int]]


class Connection:
    """One connection, asked one thing at a time."""

    def __init__(self, bootstrap_servers: str) -> None:
        host, _, port = bootstrap_servers.partition(",")[0].rpartition(":")
        self.socket = socket.create_connection((host, int(port)), timeout=TIMEOUT_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, message: Message, version: int, expected: type[_R]) -> _R:
        self.socket.sendall(encode_request(message, version, 1, CLIENT_ID))
        length = int.from_bytes(self._read(4), "big")
        _, answer = decode_response(APIS[message.API_KEY], version, self._read(length))
        assert isinstance(answer, expected)
        return answer

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            received = self.socket.recv(count - len(data))
            if not received:
                raise ConnectionError("the broker closed the connection")
            data += received
        return data


@define
class _Member:
    member_id: str
    epoch: int = 0
    owned: Owned | None = field(factory=dict)  # what is to be told next
    has: int = 0


class TcpGroup:
    """A group of ``members`` on a topic with as many partitions, over so many connections."""

    def __init__(self, bootstrap_servers: str, topic: str, members: int, connections: int) -> None:
        self._group, self._topic = f"heartbeats-{uuid4().hex[:8]}", topic
        self._connections = [Connection(bootstrap_servers) for _ in range(connections)]
        self._members = [_Member(uuid4().hex) for _ in range(members)]
        self._await_coordinator()
        self._form()

    def close(self) -> None:
        for member in self._members:
            member.epoch = -1
            self._beat(member)
        for connection in self._connections:
            connection.socket.close()

    def rate(self, seconds: float) -> float:
        """Heartbeats per second, over so many seconds."""
        with selectors.DefaultSelector() as selector:
            for index, connection in enumerate(self._connections):
                frames = cycle(self._frames(self._members[index :: len(self._connections)]))
                selector.register(connection.socket, selectors.EVENT_READ, frames)
                connection.socket.sendall(next(frames))
            return self._pump(selector, seconds)

    def _pump(self, selector: selectors.BaseSelector, seconds: float) -> float:
        answered, waiting, begin = 0, len(self._connections), time.perf_counter()
        end, now = begin + seconds, begin
        while waiting:
            for key, _ in selector.select(TIMEOUT_S):
                assert isinstance(key.fileobj, socket.socket)
                _check(key.fileobj.recv(4096))
                now = time.perf_counter()
                answered += 1
                if now < end:
                    key.fileobj.sendall(next(key.data))
                else:
                    waiting -= 1
        return answered / (now - begin)

    def _frames(self, members: Sequence[_Member]) -> Iterator[bytes]:
        return (encode_request(self._request(member), HEARTBEAT_VERSION, 1, CLIENT_ID) for member in members)

    def _request(self, member: _Member) -> ConsumerGroupHeartbeatRequest:
        joins, owned = member.epoch == 0, member.owned
        entry = TopicPartitions
        return ConsumerGroupHeartbeatRequest(
            group_id=self._group,
            member_id=member.member_id,
            member_epoch=member.epoch,
            rebalance_timeout_ms=60_000 if joins else -1,
            subscribed_topic_names=[self._topic] if joins else None,
            topic_partitions=None
            if owned is None
            else [entry(topic_id=topic, partitions=numbers) for topic, numbers in owned.items()],
        )

    def _beat(self, member: _Member) -> None:
        answer = self._connections[0].ask(self._request(member), HEARTBEAT_VERSION, ConsumerGroupHeartbeatResponse)
        if answer.error_code in NOT_YET:
            return
        assert answer.error_code == ErrorCode.NONE, answer
        member.epoch, member.owned = answer.member_epoch, None
        if answer.assignment is not None:
            topics = answer.assignment.topic_partitions
            member.owned = {topic.topic_id: list(topic.partitions) for topic in topics if topic.topic_id is not None}
            member.has = sum(map(len, member.owned.values()))

    def _form(self) -> None:
        """Heartbeat until everybody is at the same epoch and has its partition, and everybody told so."""
        deadline = time.monotonic() + TIMEOUT_S
        while not self._is_settled():
            if time.monotonic() > deadline:
                raise RuntimeError(f"group {self._group} did not settle in {TIMEOUT_S:g} s")
            for member in self._members:
                self._beat(member)

    def _is_settled(self) -> bool:
        epochs = {member.epoch for member in self._members}
        return len(epochs) == 1 and all(member.has == 1 and member.owned is None for member in self._members)

    def _await_coordinator(self) -> None:
        request = FindCoordinatorRequest(coordinator_keys=[self._group])
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            answer = self._connections[0].ask(request, FIND_COORDINATOR_VERSION, FindCoordinatorResponse)
            if answer.coordinators[0].error_code == ErrorCode.NONE:
                return
            if time.monotonic() > deadline:
                raise RuntimeError(f"there is no coordinator: {answer}")
            time.sleep(0.1)


def _check(answer: bytes) -> None:
    """The answers are small enough to come in one piece."""
    length, _, _, code = ANSWER_HEAD.unpack_from(answer)
    assert length + 4 == len(answer), "half an answer"
    assert code == ErrorCode.NONE, ErrorCode(code)

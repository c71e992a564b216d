"""Requests and answers as bytes, from both ends: what ``bridge`` and ``wire`` make of them.

A node reads a frame as the broker's handlers do, and answers by its own view of the topics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kafka_nextgen.bridge import (
    heartbeat,
    join_group,
    leave_group,
    offset_commit,
    offset_fetch,
    sync_group,
)
from kafka_nextgen.bridge.extensions import (
    consumer_group_heartbeat,
    consumer_group_install_assignment,
    consumer_group_prepare_assignment,
)
from kafka_nextgen.bridge.topics import TopicDirectory
from kafka_nextgen.broker.coordination.refusals import refuse
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.requests import Request
from kafka_nextgen.coordinator.responses import Response
from kafka_nextgen.wire.apis import (
    CONSUMER_GROUP_HEARTBEAT,
    CONSUMER_GROUP_INSTALL_ASSIGNMENT,
    CONSUMER_GROUP_PREPARE_ASSIGNMENT,
    HEARTBEAT,
    JOIN_GROUP,
    LEAVE_GROUP,
    OFFSET_COMMIT,
    OFFSET_FETCH,
    SYNC_GROUP,
    Api,
)
from kafka_nextgen.wire.frames import RequestFrame, decode_request, decode_response, encode_request, encode_response
from tests.simulation.cluster import VERSIONS
from tests.simulation.nodes import Node

__all__ = ["VERSIONS", "read", "serve", "write"]

_LENGTH = 4


def write(api: Api, message: Any, client: str, version: int | None = None) -> bytes:
    """A client's request."""
    return encode_request(message, VERSIONS[api] if version is None else version, 1, client)


def read(api: Api, frame: bytes, version: int | None = None) -> Any:
    """The answer to it."""
    return decode_response(api, VERSIONS[api] if version is None else version, memoryview(frame)[_LENGTH:])[1]


def serve(node: Node, frame: bytes, answer: Callable[[bytes | None], None]) -> None:
    """Let a node answer a request."""
    recording = node.controller.recording
    if recording is not None:
        answer = recording.served(node.node_id, frame, answer)
    request = decode_request(frame[_LENGTH:])
    _HANDLERS[request.api](node, request, answer)


def _ask(
    node: Node,
    frame: RequestFrame,
    request: Request,
    answer: Callable[[bytes | None], None],
    to_message: Callable[[Any], Any],
) -> None:
    """Put a request to the node's coordinator, if the client has the rights."""
    reply = partial(_answered, frame, answer, to_message)
    code = node.controller.lacks(frame.client_id or "", request)
    if code is ErrorCode.NONE:
        node.ask(request, reply)
    else:
        reply(refuse(request, code))


def _answered(
    request: RequestFrame,
    answer: Callable[[bytes | None], None],
    to_message: Callable[[Any], Any],
    response: Response | None,
) -> None:
    if response is None:
        answer(None)
    else:
        answer(encode_response(request.api, to_message(response), request.version, request.correlation_id))


def _heartbeat(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    client = frame.client_id or ""
    extends = node.settings.extensions
    request = consumer_group_heartbeat.from_request(frame.message, client, "host", with_extensions=extends)  # type: ignore[arg-type]
    _ask(node, frame, request, answer, partial(consumer_group_heartbeat.to_response, with_extensions=extends))


def _prepare(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    request = consumer_group_prepare_assignment.from_request(frame.message)  # type: ignore[arg-type]
    _ask(node, frame, request, answer, consumer_group_prepare_assignment.to_response)


def _install(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    request = consumer_group_install_assignment.from_request(frame.message)  # type: ignore[arg-type]
    _ask(node, frame, request, answer, consumer_group_install_assignment.to_response)


def _session(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    request = heartbeat.from_request(frame.message)  # type: ignore[arg-type]
    _ask(node, frame, request, answer, heartbeat.to_response)


def _join(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    node.numbers += 1
    client = frame.client_id or ""
    name = f"{client}-{node.node_id}-{node.numbers}"
    request = join_group.from_request(frame.message, node.numbers, client, "host", name)  # type: ignore[arg-type]
    to_message = partial(_with_version, join_group.to_response, frame.version)
    _ask(node, frame, request, answer, to_message)


def _sync(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    node.numbers += 1
    request = sync_group.from_request(frame.message, node.numbers)  # type: ignore[arg-type]
    _ask(node, frame, request, answer, sync_group.to_response)


def _leave(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    request = leave_group.from_request(frame.message)  # type: ignore[arg-type]
    _ask(node, frame, request, answer, partial(_with_version, leave_group.to_response, frame.version))


def _with_version(to_response: Callable[[Any, int], Any], version: int, response: Response) -> Any:
    return to_response(response, version)


def _commit(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    directory = TopicDirectory.of(node.topics.values())
    message: Any = frame.message
    request = offset_commit.from_request(message, directory)

    def to_message(response: Any) -> Any:
        return offset_commit.to_response(message, directory, response)

    if request.offsets:
        _ask(node, frame, request, answer, to_message)
    else:
        answer(encode_response(frame.api, to_message(None), frame.version, frame.correlation_id))


def _fetch(node: Node, frame: RequestFrame, answer: Callable[[bytes | None], None]) -> None:
    directory = TopicDirectory.of(node.topics.values())
    message: Any = frame.message
    (request,) = offset_fetch.from_request(message, directory)

    def to_message(response: Any) -> Any:
        return offset_fetch.to_response(message, directory, [response])

    _ask(node, frame, request, answer, to_message)


_HANDLERS: Mapping[Api, Callable[[Node, RequestFrame, Callable[[bytes | None], None]], None]] = {
    CONSUMER_GROUP_HEARTBEAT: _heartbeat,
    CONSUMER_GROUP_PREPARE_ASSIGNMENT: _prepare,
    CONSUMER_GROUP_INSTALL_ASSIGNMENT: _install,
    HEARTBEAT: _session,
    JOIN_GROUP: _join,
    SYNC_GROUP: _sync,
    LEAVE_GROUP: _leave,
    OFFSET_COMMIT: _commit,
    OFFSET_FETCH: _fetch,
}

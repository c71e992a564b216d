"""Requests and answers as bytes, from both ends: what ``requests``, ``messages`` and ``wire`` make of them.

A node reads a frame as the broker's handlers do, and answers by its own view of the topics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.broker.coordination.refusals import refuse
from kafka_nextgen.testing.coordinator.requests import OffsetCommit, Request
from kafka_nextgen.testing.coordinator.responses import Response
from kafka_nextgen.testing.messages import (
    describe_groups,
    heartbeat,
    join_group,
    leave_group,
    offset_commit,
    offset_fetch,
    sync_group,
)
from kafka_nextgen.testing.messages.extensions import consumer_group_heartbeat
from kafka_nextgen.testing.messages.extensions import consumer_group_install_assignment as install
from kafka_nextgen.testing.messages.extensions import consumer_group_prepare_assignment as prepare
from kafka_nextgen.testing.messages.extensions import join_group as extended_join_group
from kafka_nextgen.testing.messages.topics import TopicDirectory
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.frames import RequestFrame, decode_request, decode_response, encode_request, encode_response
from tests.verification.simulation.cluster import VERSIONS
from tests.verification.simulation.nodes import Node

_LENGTH = 4

#: A request, and how the answer to it becomes a message.
_Asked = tuple[Request, Callable[[Any], Any]]


def write(api: Api, message: Any, client: str, version: int | None = None) -> bytes:
    return encode_request(message, VERSIONS[api] if version is None else version, 1, client)


def read(api: Api, frame: bytes, version: int | None = None) -> Any:
    return decode_response(api, VERSIONS[api] if version is None else version, memoryview(frame)[_LENGTH:])[1]


def serve(node: Node, frame: bytes, answer: Callable[[bytes | None], None]) -> None:
    """Put a request to the node's coordinator, if the client has the rights; ``answer`` gets None to hang up."""
    recording = node.controller.recording
    if recording is not None:
        answer = recording.served(node.node_id, frame, answer)
    asked = decode_request(frame[_LENGTH:])
    request, to_message = _HANDLERS[asked.api](node, asked, asked.message)

    def encoded(response: Response | None) -> bytes:
        return encode_response(asked.api, to_message(response), asked.version, asked.correlation_id)

    def reply(response: Response | None) -> None:
        answer(None if response is None else encoded(response))

    code = node.controller.lacks(asked.client_id or "", request)
    if isinstance(request, OffsetCommit) and not request.offsets:
        answer(encoded(None))
    elif code is ErrorCode.NONE:
        node.ask(request, reply)
    else:
        reply(refuse(request, code))


def _heartbeat(node: Node, frame: RequestFrame, message: Any) -> _Asked:
    client, extends = frame.client_id or "", node.settings.extensions
    request = consumer_group_heartbeat.from_request(message, client, "host", with_extensions=extends)
    return request, partial(consumer_group_heartbeat.to_response, with_extensions=extends)


def _join(node: Node, frame: RequestFrame, message: Any) -> _Asked:
    node.numbers += 1
    client = frame.client_id or ""
    name = f"{client}-{node.node_id}-{node.numbers}"
    extends = node.settings.extensions
    request = extended_join_group.from_request(message, node.numbers, client, "host", name, with_extensions=extends)
    return request, lambda response: join_group.to_response(response, frame.version)


def _sync(node: Node, frame: RequestFrame, message: Any) -> _Asked:
    node.numbers += 1
    return sync_group.from_request(message, node.numbers), sync_group.to_response


def _leave(node: Node, frame: RequestFrame, message: Any) -> _Asked:
    return leave_group.from_request(message), lambda response: leave_group.to_response(response, frame.version)


def _describe(node: Node, frame: RequestFrame, message: Any) -> _Asked:
    request = describe_groups.from_request(message)
    return request, lambda response: describe_groups.to_response(response, frame.version)


def _commit(node: Node, frame: RequestFrame, message: Any) -> _Asked:
    directory = TopicDirectory.of(node.topics.values())
    request = offset_commit.from_request(message, directory)
    return request, lambda response: offset_commit.to_response(message, directory, response)


def _fetch(node: Node, frame: RequestFrame, message: Any) -> _Asked:
    directory = TopicDirectory.of(node.topics.values())
    (request,) = offset_fetch.from_request(message, directory)
    return request, lambda response: offset_fetch.to_response(message, directory, [response])


_HANDLERS: Mapping[Api, Callable[[Node, RequestFrame, Any], _Asked]] = {
    apis.CONSUMER_GROUP_HEARTBEAT: _heartbeat,
    apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT: lambda node, frame, message: (
        prepare.from_request(message),
        prepare.to_response,
    ),
    apis.CONSUMER_GROUP_INSTALL_ASSIGNMENT: lambda node, frame, message: (
        install.from_request(message),
        install.to_response,
    ),
    apis.HEARTBEAT: lambda node, frame, message: (heartbeat.from_request(message), heartbeat.to_response),
    apis.JOIN_GROUP: _join,
    apis.SYNC_GROUP: _sync,
    apis.LEAVE_GROUP: _leave,
    apis.DESCRIBE_GROUPS: _describe,
    apis.OFFSET_COMMIT: _commit,
    apis.OFFSET_FETCH: _fetch,
}

"""Frames: a message with its header, in bytes.

A frame is a length of four bytes, a header and a message. The header of a flexible version (KIP-482) ends with
tags; the client id before them is never in the compact form, and an ApiVersions answer has the old header in every
version, because it comes before anything is agreed (KIP-511). For the same reason an ApiVersions answer with
UNSUPPORTED_VERSION has version 0, and a request of an ApiVersions version we lack is no error here: it is answered that
way. Any other error has the version that was asked in.

A fault in a frame is a ``DecodeError`` that names the API and the version; nothing else is raised.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.apis import API_VERSIONS, APIS, Api, Question, response_of
from kafka_nextgen.wire.codec import read_message, write_message
from kafka_nextgen.wire.fetch_request import RawFetchRequest
from kafka_nextgen.wire.primitives import find_tags, int16_length, leading_int16, need, not_utf8
from kafka_nextgen.wire.schema import Message
from kafka_nextgen.wire.schemas.metadata import ApiVersionsResponse

__all__ = [
    "RequestFrame",
    "client_head",
    "decode_request",
    "decode_response",
    "encode_request",
    "encode_response",
    "encode_token",
    "peek_api_key",
    "peek_correlation_id",
]

_REQUEST_HEAD = Struct(">hhi")  # API key, version, correlation id
_INT16 = Struct(">h")
_INT32 = Struct(">i")
_NO_TAGS = b"\x00"


@frozen
class RequestFrame:
    """A request as a broker got it; ``message`` is None for an ApiVersions version we do not speak."""

    api: Api
    version: int
    correlation_id: int
    client_id: str | None
    message: Message | None


def encode_request(message: Question, version: int, correlation_id: int, client_id: str | None) -> bytes:
    """Write a request with its header and the length in front."""
    head = [
        _REQUEST_HEAD.pack(message.API_KEY, version, correlation_id),
        _named(client_id),
        _NO_TAGS if message.is_flexible(version) else b"",
    ]
    body = message.encode(version) if isinstance(message, RawFetchRequest) else write_message(message, version)
    return _framed(head, body)


def client_head(client_id: str | None) -> bytes:
    """The bytes between the correlation id of a request and its message, in flexible versions."""
    return _named(client_id) + _NO_TAGS


@lru_cache(maxsize=64)
def _named(client_id: str | None) -> bytes:
    """The client id as requests have it."""
    name = None if client_id is None else client_id.encode()
    return _INT16.pack(-1 if name is None else len(name)) + (name or b"")


def encode_response(api: Api, message: Message, version: int, correlation_id: int) -> bytes:
    """Write an answer with its header and the length in front."""
    if isinstance(message, ApiVersionsResponse) and message.error_code == ErrorCode.UNSUPPORTED_VERSION:
        version = 0
    tags = _NO_TAGS if _has_tagged_header(api.name, version) else b""
    return _framed([_INT32.pack(correlation_id), tags], write_message(message, version))


def encode_token(token: bytes) -> bytes:
    """Write a token of SASL without any header, as it follows SaslHandshake v0, with the length in front."""
    return _framed([], token)


def peek_api_key(frame: bytes | memoryview) -> int:
    """Read which API a request is of; ``frame`` is without its length. Raises ``DecodeError``."""
    return leading_int16(frame, "request header, API key")


def peek_correlation_id(frame: bytes | memoryview) -> int:
    """Read which request an answer belongs to; ``frame`` is without its length. Raises ``DecodeError``."""
    need(_INT32.size, 0, len(frame), "response header, correlation id")
    return int(_INT32.unpack_from(frame)[0])


def decode_response(api: Api, version: int, frame: bytes | memoryview) -> tuple[int, Message]:
    """Read an answer to a request of ``version``; ``frame`` is without its length.

    Returns the correlation id and the message. A Fetch answer looks into ``frame``, which has to stay as it is.
    Raises ``DecodeError``.
    """
    correlation_id = peek_correlation_id(frame)
    pos = _INT32.size
    if _has_tagged_header(api.name, version):
        is_plain = pos < len(frame) and frame[pos] == 0  # no tags, as nearly always
        pos = pos + 1 if is_plain else _pass_tags(frame, pos, f"{api.name} v{version} response header")
    body = memoryview(frame)[pos:]
    if api is API_VERSIONS and bytes(body[: _INT16.size]) == _INT16.pack(ErrorCode.UNSUPPORTED_VERSION):
        version = 0
    return correlation_id, read_message(api.response, version, body)


def decode_request(frame: bytes | memoryview) -> RequestFrame:
    """Read a request; ``frame`` is without its length.

    Raises ``DecodeError``, also for an API or a version that is not in ``APIS``.
    """
    pos = need(_REQUEST_HEAD.size, 0, len(frame), "request header")
    key, version, correlation_id = _REQUEST_HEAD.unpack_from(frame)
    api = _api_of(key, version)
    where = f"{api.name} v{version} request header"
    client_id, pos = _client_id(frame, pos, where)
    if not api.speaks(version):
        return RequestFrame(api, version, correlation_id, client_id, None)
    if api.request.is_flexible(version):
        pos = _pass_tags(frame, pos, where)
    message = read_message(api.request, version, memoryview(frame)[pos:])
    return RequestFrame(api, version, correlation_id, client_id, message)


def _api_of(key: int, version: int) -> Api:
    api = APIS.get(key)
    if api is None:
        raise DecodeError(f"a request of API key {key}, version {version}: there is no such API here")
    if not api.speaks(version) and (api is not API_VERSIONS or version < 0):
        spoken = f"{api.min_version} to {api.max_version}"
        raise DecodeError(f"a request of {api.name} v{version}: versions {spoken} are spoken here")
    return api


def _client_id(frame: bytes | memoryview, pos: int, where: str) -> tuple[str | None, int]:
    length, pos = int16_length(frame, pos, len(frame), where)
    if length < 0:
        return None, pos
    after = need(length, pos, len(frame), where)
    try:
        return str(frame[pos:after], "utf-8"), after
    except UnicodeDecodeError as error:
        not_utf8(error, f"{where}, client id")


def _pass_tags(frame: bytes | memoryview, pos: int, where: str) -> int:
    return find_tags(frame, pos, len(frame), (), where)[1]


@lru_cache(maxsize=1024)
def _has_tagged_header(name: str, version: int) -> bool:
    """Whether the header of an answer of the API with this name ends with tags; ApiVersions' never does (KIP-511).

    Cached: a look-up by name takes 0.9 us, a cached one 0.2 us, and reading a header with a small message 4 us in all.
    """
    return name != API_VERSIONS.name and bool(response_of(name).is_flexible(version))


def _framed(head: list[bytes], body: bytes) -> bytes:
    size = sum(map(len, head)) + len(body)
    return b"".join([_INT32.pack(size), *head, body])

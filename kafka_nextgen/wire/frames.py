"""Encodes and decodes messages and their frames.

The functions that read and write a message are generated from its schema when they are first needed, and cached.

A frame is a length of four bytes, a header and a message. The header of a flexible version (KIP-482) ends with tagged
fields; the client id before them is never in the compact form. An ApiVersions answer has the old header in every
version, because it is sent before a version is negotiated (KIP-511). For the same reason an ApiVersions answer with
UNSUPPORTED_VERSION has version 0, and an ApiVersions request in a version that we don't support is not an error here:
it gets that answer. Any other error is answered in the version of its request.

Malformed bytes raise ``DecodeError``, which names the API and the version; nothing else is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from struct import Struct
from typing import TypeVar, cast

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire.apis import API_VERSIONS, APIS, Api, Question
from kafka_nextgen.wire.fetch_request import RawFetchRequest
from kafka_nextgen.wire.primitives import (
    LIGHT_BYTES,
    Data,
    find_tags,
    int16_length,
    leading_int16,
    need,
    not_utf8,
    refuse,
    weighing,
)
from kafka_nextgen.wire.reading import Reader, make_reader
from kafka_nextgen.wire.schema import Message
from kafka_nextgen.wire.schemas.metadata import ApiVersionsResponse
from kafka_nextgen.wire.writing import Writer, make_writer

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
    "read_message",
    "write_message",
]

M = TypeVar("M", bound=Message)

_reader_of = cast("Callable[[type[Message], int], Reader]", cache(make_reader))
_writer_of = cast("Callable[[type[Message], int], Writer]", cache(make_writer))

#: librdkafka (as of 2.16) writes the null that requests all topics in Metadata with four bytes instead of one. Strictly
#: read, the first four bytes are a complete request, and three are left over. It also writes the tags at the end of
#: AlterUserScramCredentials twice. Kafka's brokers ignore bytes that are left over.
_LEFT_OVER = {"MetadataRequest": 3, "AlterUserScramCredentialsRequest": 1}

_REQUEST_HEAD = Struct(">hhi")  # API key, version, correlation id
_INT16 = Struct(">h")
_INT32 = Struct(">i")
_NO_TAGS = b"\x00"


def read_message(message: type[M], version: int, body: Data) -> M:
    """Read ``body``, which is exactly one ``message`` of ``version``. Raises ``DecodeError``.

    A message that is ``IN_PLACE`` contains views of ``body``, which must then stay unchanged as long as the message
    exists.
    """
    data, end = body if message.IN_PLACE else bytes(body), len(body)
    weigh = weighing() if end > LIGHT_BYTES else None
    read, pos = _reader_of(message, version)(data, 0, end, weigh)
    if pos != end and end - pos != _LEFT_OVER.get(message.__name__):
        refuse(f"{message.__name__} v{version}", f"{end - pos} bytes follow the message")
    return cast(M, read)


def write_message(message: Message, version: int) -> bytes:
    """Encode ``message`` in ``version``. Fields that the version lacks are left out."""
    parts: list[bytes] = []
    _writer_of(type(message), version)(message, parts.append)
    return b"".join(parts)


@frozen
class RequestFrame:
    """A request as a broker received it; ``message`` is None for an ApiVersions version that we do not support."""

    api: Api
    version: int
    correlation_id: int
    client_id: str | None
    message: Message | None


def encode_request(message: Question, version: int, correlation_id: int, client_id: str | None) -> bytes:
    """Encode a request with its length and header."""
    head = _REQUEST_HEAD.pack(message.API_KEY, version, correlation_id)
    name = _after_correlation_id(client_id, _is_flexible(message.API_KEY, version))
    body = message.encode(version) if isinstance(message, RawFetchRequest) else write_message(message, version)
    return b"".join([_INT32.pack(len(head) + len(name) + len(body)), head, name, body])


def client_head(client_id: str | None) -> bytes:
    """The bytes between the correlation id of a request and its message, in flexible versions."""
    return _after_correlation_id(client_id, True)


@lru_cache(maxsize=64)
def _after_correlation_id(client_id: str | None, has_tags: bool) -> bytes:
    name = None if client_id is None else client_id.encode()
    return _INT16.pack(-1 if name is None else len(name)) + (name or b"") + (_NO_TAGS if has_tags else b"")


def encode_response(api: Api, message: Message, version: int, correlation_id: int) -> bytes:
    """Encode a response with its length and header."""
    if isinstance(message, ApiVersionsResponse) and message.error_code == ErrorCode.UNSUPPORTED_VERSION:
        version = 0
    tags = _NO_TAGS if _answer_of(api.key, version)[1] else b""
    body = write_message(message, version)
    return b"".join([_INT32.pack(_INT32.size + len(tags) + len(body)), _INT32.pack(correlation_id), tags, body])


def encode_token(token: bytes) -> bytes:
    """Encode a SASL token with its length but without a header, as it follows SaslHandshake version 0."""
    return _INT32.pack(len(token)) + token


def peek_api_key(frame: bytes | memoryview) -> int:
    """Read the API key of a request; ``frame`` excludes the length. Raises ``DecodeError``."""
    return leading_int16(frame, "request header, API key")


def peek_correlation_id(frame: bytes | memoryview) -> int:
    """Read the correlation id of a response; ``frame`` excludes the length. Raises ``DecodeError``."""
    if len(frame) < _INT32.size:
        need(_INT32.size, 0, len(frame), "response header, correlation id")
    return int(_INT32.unpack_from(frame)[0])


def decode_response(api: Api, version: int, frame: bytes | memoryview) -> tuple[int, Message]:
    """Read the response to a request in ``version``; ``frame`` excludes the length.

    Returns the correlation id and the message. A Fetch response contains views of ``frame``, which must stay unchanged.
    Raises ``DecodeError``.
    """
    correlation_id = peek_correlation_id(frame)
    pos = _INT32.size
    message, has_tags = _answer_of(api.key, version)
    if has_tags:
        is_plain = pos < len(frame) and frame[pos] == 0  # no tags, the usual case
        pos = pos + 1 if is_plain else _pass_tags(frame, pos, f"{api.name} v{version} response header")
    body = memoryview(frame)[pos:]
    if api is API_VERSIONS and bytes(body[: _INT16.size]) == _INT16.pack(ErrorCode.UNSUPPORTED_VERSION):
        version = 0
    return correlation_id, read_message(message, version, body)


def decode_request(frame: bytes | memoryview) -> RequestFrame:
    """Read a request; ``frame`` excludes the length.

    Raises ``DecodeError``, including for an API or a version that is not in ``APIS``.
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
        raise DecodeError(f"a request of API key {key}, version {version}: unknown API")
    if not api.speaks(version) and (api is not API_VERSIONS or version < 0):
        spoken = f"{api.min_version} to {api.max_version}"
        raise DecodeError(f"a request of {api.name} v{version}: versions {spoken} are supported here")
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
def _answer_of(key: int, version: int) -> tuple[type[Message], bool]:
    """The response class of an API, and whether its header ends with tags; that of ApiVersions never does (KIP-511)."""
    message = APIS[key].response
    return message, key != API_VERSIONS.key and message.is_flexible(version)


@lru_cache(maxsize=1024)
def _is_flexible(key: int, version: int) -> bool:
    """Whether a request of this API is in the flexible form (KIP-482)."""
    return APIS[key].request.is_flexible(version)

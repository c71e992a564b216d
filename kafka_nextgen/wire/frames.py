"""Messages, and frames of them, to bytes and back.

A message is read and written by a function that is made of its schema when it is first needed, and kept.

A frame is a length of four bytes, a header and a message. The header of a flexible version (KIP-482) ends with
tags; the client id before them is never in the compact form, and an ApiVersions answer has the old header in every
version, because it comes before anything is agreed (KIP-511). For the same reason an ApiVersions answer with
UNSUPPORTED_VERSION has version 0, and a request of an ApiVersions version we lack is no error here: it is answered that
way. Any other error has the version that was asked in.

A fault is a ``DecodeError`` that names the API and the version; nothing else is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from struct import Struct
from typing import TypeVar, cast

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
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

#: librdkafka (2.16 still) writes the null that asks Metadata for all topics with four bytes instead of one. Read
#: right, the first four bytes are a whole request and three are left over. It also ends AlterUserScramCredentials with
#: its tags twice. Kafka's brokers never look at what is left over.
_LEFT_OVER = {"MetadataRequest": 3, "AlterUserScramCredentialsRequest": 1}

_REQUEST_HEAD = Struct(">hhi")  # API key, version, correlation id
_INT16 = Struct(">h")
_INT32 = Struct(">i")
_NO_TAGS = b"\x00"


def read_message(message: type[M], version: int, body: Data) -> M:
    """Read ``body``, which is exactly one ``message`` of ``version``. Raises ``DecodeError``.

    What is read may look into ``body`` if it is a message ``IN_PLACE``, which ``body`` has to outlive unchanged.
    """
    data, end = body if message.IN_PLACE else bytes(body), len(body)
    weigh = weighing() if end > LIGHT_BYTES else None
    read, pos = _reader_of(message, version)(data, 0, end, weigh)
    if pos != end and end - pos != _LEFT_OVER.get(message.__name__):
        refuse(f"{message.__name__} v{version}", f"{end - pos} bytes follow the message")
    return cast(M, read)


def write_message(message: Message, version: int) -> bytes:
    """Write ``message`` as ``version`` has it. Fields that the version lacks are left out."""
    parts: list[bytes] = []
    _writer_of(type(message), version)(message, parts.append)
    return b"".join(parts)


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
    """Write an answer with its header and the length in front."""
    if isinstance(message, ApiVersionsResponse) and message.error_code == ErrorCode.UNSUPPORTED_VERSION:
        version = 0
    tags = _NO_TAGS if _answer_of(api.key, version)[1] else b""
    body = write_message(message, version)
    return b"".join([_INT32.pack(_INT32.size + len(tags) + len(body)), _INT32.pack(correlation_id), tags, body])


def encode_token(token: bytes) -> bytes:
    """Write a token of SASL without any header, as it follows SaslHandshake v0, with the length in front."""
    return _INT32.pack(len(token)) + token


def peek_api_key(frame: bytes | memoryview) -> int:
    """Read which API a request is of; ``frame`` is without its length. Raises ``DecodeError``."""
    return leading_int16(frame, "request header, API key")


def peek_correlation_id(frame: bytes | memoryview) -> int:
    """Read which request an answer belongs to; ``frame`` is without its length. Raises ``DecodeError``."""
    if len(frame) < _INT32.size:
        need(_INT32.size, 0, len(frame), "response header, correlation id")
    return int(_INT32.unpack_from(frame)[0])


def decode_response(api: Api, version: int, frame: bytes | memoryview) -> tuple[int, Message]:
    """Read an answer to a request of ``version``; ``frame`` is without its length.

    Returns the correlation id and the message. A Fetch answer looks into ``frame``, which has to stay as it is.
    Raises ``DecodeError``.
    """
    correlation_id = peek_correlation_id(frame)
    pos = _INT32.size
    message, has_tags = _answer_of(api.key, version)
    if has_tags:
        is_plain = pos < len(frame) and frame[pos] == 0  # no tags, as nearly always
        pos = pos + 1 if is_plain else _pass_tags(frame, pos, f"{api.name} v{version} response header")
    body = memoryview(frame)[pos:]
    if api is API_VERSIONS and bytes(body[: _INT16.size]) == _INT16.pack(ErrorCode.UNSUPPORTED_VERSION):
        version = 0
    return correlation_id, read_message(message, version, body)


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
def _answer_of(key: int, version: int) -> tuple[type[Message], bool]:
    """What an API answers, and whether the answer's header ends with tags; ApiVersions' never does (KIP-511)."""
    message = APIS[key].response
    return message, key != API_VERSIONS.key and message.is_flexible(version)


@lru_cache(maxsize=1024)
def _is_flexible(key: int, version: int) -> bool:
    """Whether a request of this API is in the flexible form (KIP-482)."""
    return APIS[key].request.is_flexible(version)

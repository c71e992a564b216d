"""Frames: a message with its header, in bytes.

A frame is a length of four bytes, a header and a message. The header of a flexible version (KIP-482) ends with
tags; the client id before them is never in the compact form, and an ApiVersions answer has the old header in every
version, because it comes before anything is agreed (KIP-511). For the same reason an ApiVersions answer with an
error has version 0, and a request of an ApiVersions version we lack is no error here: it is answered that way.

Whatever is wrong with a frame is a ``DecodeError`` that names the API and the version; nothing else is raised.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct

from attrs import frozen

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.apis import API_VERSIONS, APIS, FETCH, Answer, Api, Question, response_of
from kafka_nextgen.wire.fetch_request import RawFetchRequest
from kafka_nextgen.wire.lengths import INT16_LENGTH, Frame, need, refuse
from kafka_nextgen.wire.messages import ApiMessage
from kafka_nextgen.wire.shape import check
from kafka_nextgen.wire.walks import tags

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
    "read_response",
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
    message: ApiMessage | None


def encode_request(message: Question, version: int, correlation_id: int, client_id: str | None) -> bytes:
    """Write a request with its header and the length in front."""
    head = [
        _REQUEST_HEAD.pack(message.API_KEY, version, correlation_id),
        _named(client_id),
        _NO_TAGS if message.flexible_version_q(version) else b"",
    ]
    return _framed(head, message.encode(version=version))


def client_head(client_id: str | None) -> bytes:
    """What stands between the number of a request and its message, of a flexible version."""
    return _named(client_id) + _NO_TAGS


@lru_cache(maxsize=64)
def _named(client_id: str | None) -> bytes:
    """The client id as a request has it; the same one goes with each."""
    name = None if client_id is None else client_id.encode()
    return _INT16.pack(-1 if name is None else len(name)) + (name or b"")


def encode_response(api: Api, message: ApiMessage, version: int, correlation_id: int) -> bytes:
    """Write an answer with its header and the length in front."""
    if api is API_VERSIONS and message.error_code != ErrorCode.NONE:
        version = 0
    tags = _NO_TAGS if _has_tagged_header(api.name, version) else b""
    return _framed([_INT32.pack(correlation_id), tags], message.encode(version=version))


def encode_token(token: bytes) -> bytes:
    """Write a token of SASL without any header, as it follows SaslHandshake v0, with the length in front."""
    return _framed([], token)


def peek_api_key(frame: bytes | memoryview) -> int:
    """Read which API a request is of; ``frame`` is without its length. Raises ``DecodeError``."""
    need(_INT16.size, 0, len(frame), "request header, API key")
    return int(_INT16.unpack_from(frame)[0])


def peek_correlation_id(frame: bytes | memoryview) -> int:
    """Read which request an answer belongs to; ``frame`` is without its length. Raises ``DecodeError``."""
    need(_INT32.size, 0, len(frame), "response header, correlation id")
    return int(_INT32.unpack_from(frame)[0])


def decode_response(api: Api, version: int, frame: bytes | memoryview) -> tuple[int, ApiMessage]:
    """Decode an answer to a request of ``version`` by its schema; ``frame`` is without its length.

    Returns the correlation id and the message. Raises ``DecodeError``.
    """
    correlation_id, body = _response_body(api, version, frame)
    if api is API_VERSIONS and bytes(body[:2]).strip(b"\x00"):
        version = 0
    return correlation_id, _decode(api.response, version, body)


def read_response(api: Api, version: int, frame: bytes | memoryview) -> tuple[int, Answer]:
    """Read an answer as a client does, which for some APIs is faster than ``decode_response``.

    What is returned may look into ``frame``, which has to stay as it is. Raises ``DecodeError``.
    """
    if api.read is None:
        return decode_response(api, version, frame)
    correlation_id, body = _response_body(api, version, frame)
    return correlation_id, api.read(version, body)


def _response_body(api: Api, version: int, frame: bytes | memoryview) -> tuple[int, memoryview]:
    correlation_id = peek_correlation_id(frame)
    pos = _INT32.size
    if _has_tagged_header(api.name, version):
        is_plain = pos < len(frame) and frame[pos] == 0  # no tags, as nearly always
        pos = pos + 1 if is_plain else _pass_tags(Frame(frame), pos, f"{api.name} v{version} response header")
    return correlation_id, memoryview(frame)[pos:]


def decode_request(frame: bytes | memoryview) -> RequestFrame:
    """Read a request; ``frame`` is without its length.

    Raises ``DecodeError``, also for an API or a version that is not in ``APIS``.
    """
    view = Frame(frame)
    pos = need(_REQUEST_HEAD.size, 0, len(frame), "request header")
    key, version, correlation_id = _REQUEST_HEAD.unpack_from(frame)
    api = _api_of(key, version)
    where = f"{api.name} v{version} request header"
    client_id, pos = _client_id(view, pos, where)
    if not api.speaks(version):
        return RequestFrame(api, version, correlation_id, client_id, None)
    if api.request.flexible_version_q(version):
        pos = _pass_tags(view, pos, where)
    message = _decode(api.request, version, memoryview(frame)[pos:])
    return RequestFrame(api, version, correlation_id, client_id, message)


def _api_of(key: int, version: int) -> Api:
    api = APIS.get(key)
    if api is None:
        raise DecodeError(f"a request of API key {key}, version {version}: there is no such API here")
    if not api.speaks(version) and (api is not API_VERSIONS or version < 0):
        spoken = f"{api.min_version} to {api.max_version}"
        raise DecodeError(f"a request of {api.name} v{version}: versions {spoken} are spoken here")
    return api


def _client_id(frame: Frame, pos: int, where: str) -> tuple[str | None, int]:
    length, pos = INT16_LENGTH.read(frame, pos, len(frame.data), where)
    if length < 0:
        return None, pos
    after = need(length, pos, len(frame.data), where)
    try:
        return str(frame.data[pos:after], "utf-8"), after
    except UnicodeDecodeError as error:
        refuse(where, f"a client id that is not UTF-8 ({error.reason})")


def _pass_tags(frame: Frame, pos: int, where: str) -> int:
    return tags({}, where).over(frame, pos, len(frame.data))


def _decode(message: type[ApiMessage], version: int, body: memoryview) -> ApiMessage:
    check(message, version, body)
    try:
        decoded: ApiMessage = message.decode(body, version=version)
    except Exception as error:  # a field's type refuses what its shape allows
        raise DecodeError(f"{message.name} v{version}: {type(error).__name__}: {error}") from error
    return decoded


@lru_cache(maxsize=1024)
def _has_tagged_header(name: str, version: int) -> bool:
    """Whether the header of an answer of the API with this name ends with tags; ApiVersions' never does (KIP-511).

    Looking that up takes longer than reading a header. Fetch, which is read and written without its schema, does not
    load it for that.
    """
    if name == FETCH.name:
        return RawFetchRequest.flexible_version_q(version)
    return name != API_VERSIONS.name and bool(response_of(name).flexible_version_q(version))


def _framed(head: list[bytes], body: bytes) -> bytes:
    size = sum(map(len, head)) + len(body)
    return b"".join([_INT32.pack(size), *head, body])

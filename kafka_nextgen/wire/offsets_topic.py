"""The records of ``__consumer_offsets`` as messages, made from ``kafka_nextgen.wire.schemas.offsets_topic``.

A record's key is two bytes with the number of its type, then the key message in version 0. Its value is two bytes with
the value's version, then the value message in that version; a tombstone has none.

The value of a member has a tagged structure that may be null, in a form that the decoder does not know: a byte, 1 or 0
for null, and then the structure. So all its tags are written and read apart: ``ConsumerGroupClassicMemberMetadata`` and
``ConsumerGroupClientAssignors``. Kafka never shipped the latter: tags from 10000 up are ours, and Kafka passes them
over.
"""

from __future__ import annotations

from collections.abc import Mapping
from struct import Struct
from typing import TypeVar

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.wire.lengths import need, refuse
from kafka_nextgen.wire.messages import ApiData, UnsignedVarInt32
from kafka_nextgen.wire.shape import check

__all__ = [
    "ConsumerGroupClassicMemberMetadata",
    "ConsumerGroupClientAssignors",
    "ConsumerGroupCurrentMemberAssignmentKey",
    "ConsumerGroupCurrentMemberAssignmentValue",
    "ConsumerGroupMemberMetadataKey",
    "ConsumerGroupMemberMetadataValue",
    "ConsumerGroupMetadataKey",
    "ConsumerGroupMetadataValue",
    "ConsumerGroupRegularExpressionKey",
    "ConsumerGroupRegularExpressionValue",
    "ConsumerGroupTargetAssignmentMemberKey",
    "ConsumerGroupTargetAssignmentMemberValue",
    "ConsumerGroupTargetAssignmentMetadataKey",
    "ConsumerGroupTargetAssignmentMetadataValue",
    "ExpectedMembersKey",
    "ExpectedMembersValue",
    "GroupMetadataKey",
    "GroupMetadataValue",
    "GroupRebalanceKey",
    "GroupRebalanceValue",
    "OffsetCommitKey",
    "OffsetCommitValue",
    "add_tags",
    "decode_message",
    "decode_nullable",
    "decode_tagged",
    "encode_message",
    "encode_nullable",
    "encode_tagged",
    "read_number",
]

_SCHEMAS = "kafka_nextgen.wire.schemas.offsets_topic"
_INT16 = Struct(">h")
_NO_TAGS, _NULL, _THERE = b"\x00", b"\x00", b"\x01"

M = TypeVar("M", bound=ApiData)


class OffsetCommitKey(ApiData, load_json=_SCHEMAS):
    """Type 1, and 0 in its older form: a partition of a group."""


class OffsetCommitValue(ApiData, load_json=_SCHEMAS):
    """Type 1: the offset committed."""


class GroupMetadataKey(ApiData, load_json=_SCHEMAS):
    """Type 2: a classic group."""


class GroupMetadataValue(ApiData, load_json=_SCHEMAS):
    """Type 2: what a generation of a classic group came to."""


class ConsumerGroupMetadataKey(ApiData, load_json=_SCHEMAS):
    """Type 3: a consumer group."""


class ConsumerGroupMetadataValue(ApiData, load_json=_SCHEMAS):
    """Type 3: its epoch."""


class ConsumerGroupMemberMetadataKey(ApiData, load_json=_SCHEMAS):
    """Type 5: a member of a consumer group."""


class ConsumerGroupMemberMetadataValue(ApiData, load_json=_SCHEMAS):
    """Type 5: what it said of itself."""


class ConsumerGroupClassicMemberMetadata(ApiData, load_json=_SCHEMAS):
    """Type 5: what else there is of a member that speaks the classic protocol; tag 0 of the value."""


class ConsumerGroupClientAssignors(ApiData, load_json=_SCHEMAS):
    """Type 5: the assignors that the member can run itself; tag 10000 of the value."""


class ConsumerGroupTargetAssignmentMetadataKey(ApiData, load_json=_SCHEMAS):
    """Type 6: a consumer group."""


class ConsumerGroupTargetAssignmentMetadataValue(ApiData, load_json=_SCHEMAS):
    """Type 6: the epoch of its target assignment."""


class ConsumerGroupTargetAssignmentMemberKey(ApiData, load_json=_SCHEMAS):
    """Type 7: a member of a consumer group."""


class ConsumerGroupTargetAssignmentMemberValue(ApiData, load_json=_SCHEMAS):
    """Type 7: its share of the target assignment."""


class ConsumerGroupCurrentMemberAssignmentKey(ApiData, load_json=_SCHEMAS):
    """Type 8: a member of a consumer group."""


class ConsumerGroupCurrentMemberAssignmentValue(ApiData, load_json=_SCHEMAS):
    """Type 8: what it owns."""


class ConsumerGroupRegularExpressionKey(ApiData, load_json=_SCHEMAS):
    """Type 16: a pattern that a consumer group subscribes to."""


class ConsumerGroupRegularExpressionValue(ApiData, load_json=_SCHEMAS):
    """Type 16: the topics it matched."""


class GroupRebalanceKey(ApiData, load_json=_SCHEMAS):
    """Type 10000, an extension: a place in the history of a group of either protocol."""


class GroupRebalanceValue(ApiData, load_json=_SCHEMAS):
    """Type 10000: the rebalance that is remembered there."""


class ExpectedMembersKey(ApiData, load_json=_SCHEMAS):
    """Type 10001, an extension: a group."""


class ExpectedMembersValue(ApiData, load_json=_SCHEMAS):
    """Type 10001: the places it keeps."""


def encode_message(number: int, message: ApiData, version: int) -> bytes:
    """Write a key behind the number of its type, or a value behind its version."""
    return _INT16.pack(number) + _encode(message, version)


def add_tags(value: bytes, contents: Mapping[int, bytes]) -> bytes:
    """Put tagged fields at the end of a value that has none."""
    assert value.endswith(_NO_TAGS)
    fields = [UnsignedVarInt32.encode(len(contents))]
    for tag, content in sorted(contents.items()):
        fields += [UnsignedVarInt32.encode(tag), UnsignedVarInt32.encode(len(content)), content]
    return value[: -len(_NO_TAGS)] + b"".join(fields)


def encode_tagged(structure: ApiData) -> bytes:
    """Write a structure that is a tagged field."""
    return _encode(structure, 0)


def encode_nullable(structure: ApiData | None) -> bytes:
    """Write a structure, or null, that is a tagged field."""
    return _NULL if structure is None else _THERE + _encode(structure, 0)


def decode_tagged(structure: type[M], value: ApiData, tag: int) -> M | None:
    """Take a tagged structure out of a decoded value; None if it is missing. Raises ``DecodeError``."""
    content = _tagged(value, tag)
    return None if content is None else _decode(structure, content, 0)


def decode_nullable(structure: type[M], value: ApiData, tag: int) -> M | None:
    """The same of a structure that may be null, which is None, too. Raises ``DecodeError``."""
    content = _tagged(value, tag)
    if content is None or content == _NULL:
        return None
    if content[:1] != _THERE:
        refuse(structure.name, "neither null nor a structure")
    return _decode(structure, content[1:], 0)


def read_number(data: bytes, where: str) -> int:
    """Read the number that a key or a value begins with. Raises ``DecodeError``."""
    need(_INT16.size, 0, len(data), where)
    return int(_INT16.unpack_from(data)[0])


def decode_message(message: type[M], data: bytes, version: int) -> M:
    """Read the key or value behind its number. Raises ``DecodeError``."""
    return _decode(message, data[_INT16.size :], version)


def _tagged(value: ApiData, tag: int) -> bytes | None:
    content: bytes | None = (value.unknown_tags or {}).get(f"_{tag}")
    return content


def _encode(message: ApiData, version: int) -> bytes:
    fields: bytes = message.encode(version=version, header=False)
    return fields


def _decode(message: type[M], body: bytes, version: int) -> M:
    check(message, version, body)
    try:
        decoded: M = message.decode(body, version=version, header=False)
    except Exception as error:  # a field's type refuses what its shape allows
        raise DecodeError(f"{message.name} v{version}: {type(error).__name__}: {error}") from error
    return decoded

"""The embedded consumer protocol of classic groups: subscriptions and assignments as bytes.

JoinGroup and SyncGroup carry these bytes without reading them. Members read them, like a coordinator that converts a
group between the two protocols (KIP-848, "Compatibility, Deprecation, and Migration Plan").

Both begin with an int16 version. The fields follow in the non-flexible encoding: strings have an int16 length, arrays
and bytes an int32 length, -1 for null. Later versions only append fields, so a version above ``HIGHEST_VERSION`` is
read as ``HIGHEST_VERSION``. Version 1 of the subscription adds the owned partitions (KIP-429), 2 the generation
(KIP-792), 3 the rack (KIP-881).

The bytes come from other members, so every length is checked before it is used. Malformed bytes raise ``DecodeError``.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import TypeVar

from kafka_nextgen.errors import DecodeError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.types import TopicPartition

__all__ = [
    "HIGHEST_VERSION",
    "NO_GENERATION",
    "PROTOCOL_TYPE",
    "MemberSubscription",
    "decode_assignment",
    "decode_subscription",
    "encode_assignment",
    "encode_subscription",
    "user_data_of",
    "version_of",
]

HIGHEST_VERSION = 3

#: The protocol type of every consumer group.
PROTOCOL_TYPE = "consumer"

#: The generation of a member that is not in a group.
NO_GENERATION = -1

_INT16 = Struct(">h")
_INT32 = Struct(">i")
_NULL = -1

T = TypeVar("T")


@frozen
class MemberSubscription:
    """A member's subscription.

    ``owned`` are the partitions that it has owned since ``generation`` (KIP-429). ``user_data`` is for the assignor
    only.
    """

    topics: frozenset[str] = frozenset()
    owned: frozenset[TopicPartition] = frozenset()
    generation: int = NO_GENERATION
    rack_id: str | None = None
    user_data: bytes | None = None


def encode_subscription(subscription: MemberSubscription, version: int = HIGHEST_VERSION) -> bytes:
    """Encode a subscription. Topics and partitions are sorted, so equal subscriptions have equal bytes."""
    parts = [_INT16.pack(version), _INT32.pack(len(subscription.topics))]
    parts += [_string(topic) for topic in sorted(subscription.topics)]
    parts.append(_bytes(subscription.user_data))
    if version >= 1:
        parts.append(_partitions(subscription.owned))
    if version >= 2:
        parts.append(_INT32.pack(subscription.generation))
    if version >= 3:
        parts.append(_string(subscription.rack_id))
    return b"".join(parts)


def decode_subscription(data: bytes) -> MemberSubscription:
    """Decode a subscription of any version. Raises ``DecodeError``."""
    reader = _Reader(data, "subscription")
    version = reader.version()
    topics = frozenset(reader.array(reader.name))
    user_data = reader.nullable_bytes()
    owned = reader.partitions() if version >= 1 else frozenset()
    generation = max(reader.int32(), NO_GENERATION) if version >= 2 else NO_GENERATION
    rack_id = reader.string() if version >= 3 else None
    return MemberSubscription(topics, owned, generation, rack_id, user_data)


def encode_assignment(
    partitions: frozenset[TopicPartition], version: int = HIGHEST_VERSION, user_data: bytes | None = None
) -> bytes:
    """Encode a member's assignment. Its fields are the same in every version."""
    return _INT16.pack(version) + _partitions(partitions) + _bytes(user_data)


def decode_assignment(data: bytes) -> frozenset[TopicPartition]:
    """Decode a member's assignment; empty bytes are an empty assignment. Raises ``DecodeError``."""
    return _read_assignment(data)[0]


def user_data_of(assignment: bytes) -> bytes | None:
    """The user data of an encoded assignment. Raises ``DecodeError``."""
    return _read_assignment(assignment)[1]


def version_of(data: bytes) -> int:
    """The version of an encoded subscription or assignment, at most ``HIGHEST_VERSION``. Raises ``DecodeError``."""
    return min(_Reader(data, "subscription").version(), HIGHEST_VERSION)


def _read_assignment(data: bytes) -> tuple[frozenset[TopicPartition], bytes | None]:
    if not data:
        return frozenset(), None
    reader = _Reader(data, "assignment")
    reader.version()
    return reader.partitions(), reader.nullable_bytes()


def _string(text: str | None) -> bytes:
    if text is None:
        return _INT16.pack(_NULL)
    data = text.encode()
    return _INT16.pack(len(data)) + data


def _bytes(data: bytes | None) -> bytes:
    return _INT32.pack(_NULL) if data is None else _INT32.pack(len(data)) + data


def _partitions(partitions: frozenset[TopicPartition]) -> bytes:
    grouped: dict[str, list[int]] = {}
    for partition in sorted(partitions):
        grouped.setdefault(partition.topic, []).append(partition.partition)
    parts = [_INT32.pack(len(grouped))]
    for topic, numbers in grouped.items():
        parts += [_string(topic), _INT32.pack(len(numbers)), *map(_INT32.pack, numbers)]
    return b"".join(parts)


class _Reader:
    def __init__(self, data: bytes, what: str) -> None:
        self._data = data
        self._at = 0
        self._what = what

    def _take(self, size: int) -> bytes:
        if size < 0 or size > len(self._data) - self._at:
            raise DecodeError(f"a member's {self._what} of {len(self._data)} bytes ends early or has a wrong length")
        self._at += size
        return self._data[self._at - size : self._at]

    def version(self) -> int:
        version = self.int16()
        if version < 0:
            raise DecodeError(f"a member's {self._what} has version {version}")
        return version

    def int16(self) -> int:
        return int(_INT16.unpack(self._take(_INT16.size))[0])

    def int32(self) -> int:
        return int(_INT32.unpack(self._take(_INT32.size))[0])

    def string(self) -> str | None:
        length = self.int16()
        if length == _NULL:
            return None
        try:
            return self._take(length).decode()
        except UnicodeDecodeError as error:
            raise DecodeError(f"a member's {self._what} has a string that is not UTF-8: {error}") from None

    def name(self) -> str:
        text = self.string()
        if text is None:
            raise DecodeError(f"a member's {self._what} has a topic without a name")
        return text

    def nullable_bytes(self) -> bytes | None:
        length = self.int32()
        return None if length == _NULL else self._take(length)

    def array(self, read: Callable[[], T]) -> list[T]:
        """Read an array. Each element takes at least two bytes, so a length beyond the data is refused immediately."""
        length = self.int32()
        if length < 0 or length * _INT16.size > len(self._data) - self._at:
            raise DecodeError(f"a member's {self._what} is too short for its array of {length}")
        return [read() for _ in range(length)]

    def partitions(self) -> frozenset[TopicPartition]:
        return frozenset(tp for topic in self.array(self._topic) for tp in topic)

    def _topic(self) -> list[TopicPartition]:
        name = self.name()
        numbers = self.array(self.int32)
        if any(number < 0 for number in numbers):
            raise DecodeError(f"a member's {self._what} has the invalid partition {name}[{min(numbers)}]")
        return [TopicPartition(name, number) for number in numbers]

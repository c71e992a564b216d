"""Encodes records as keys and values, and decodes them by the type number at the start of the key."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct

from kafka_nextgen.groups.records import PendingOffsetCommitted, Record
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.offsets_topic.kinds import KINDS, OFFSET, PENDING_OFFSET, RecordKind
from kafka_nextgen.wire.frames import read_message, write_message
from kafka_nextgen.wire.primitives import leading_int16

__all__ = ["KAFKAS", "Codec", "KeyAndValue", "Skipped"]

_KEY_VERSION = 0
_INT16 = Struct(">h")


@frozen
class KeyAndValue:
    """A record in its stored form; a tombstone has no value."""

    key: bytes
    value: bytes | None


@frozen
class Skipped:
    """A record of an unknown type or version; ``what`` describes it."""

    what: str


class Codec:
    """Encodes and decodes records of these kinds. If two kinds have the same number, the later one is used."""

    def __init__(self, kinds: Iterable[RecordKind]) -> None:
        kinds = tuple(kinds)
        self.by_number: dict[int, RecordKind] = {0: OFFSET, **{kind.number: kind for kind in kinds}}
        self.by_record: dict[type[Record], RecordKind] = {
            **{kind.record: kind for kind in kinds},
            **{kind.removed: kind for kind in kinds},
            PendingOffsetCommitted: PENDING_OFFSET,
        }

    def encode(self, record: Record) -> KeyAndValue:
        """Encode a record in the format of Kafka's coordinator."""
        kind = self.by_record[type(record)]
        key = _INT16.pack(kind.number) + write_message(kind.to_key(record), _KEY_VERSION)
        if isinstance(record, kind.removed):
            return KeyAndValue(key, None)
        version = kind.version if kind.version_of is None else kind.version_of(record)
        return KeyAndValue(key, _INT16.pack(version) + write_message(kind.to_value(record), version))

    def decode(self, key: bytes | None, value: bytes | None) -> Record | Skipped:
        """Decode a record. Raises ``DecodeError`` if its bytes do not match their type and version."""
        if key is None:
            return Skipped("a record without a key")
        number = leading_int16(key, "a key of the offsets topic")
        kind = self.by_number.get(number)
        if kind is None:
            return Skipped(f"record type {number}")
        key_message = read_message(kind.key, _KEY_VERSION, key[_INT16.size :])
        if value is None:
            return kind.removed_from(key_message)
        version = leading_int16(value, kind.value.__name__)
        if not kind.value.VERSIONS.has(version):
            return Skipped(f"version {version} of record type {number}")
        return kind.from_messages(key_message, read_message(kind.value, version, value[_INT16.size :]))


#: The record types of Kafka's own coordinators.
KAFKAS = Codec(KINDS)

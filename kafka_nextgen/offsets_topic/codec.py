"""Records to keys and values and back, by the numbers that keys begin with."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct

from attrs import frozen

from kafka_nextgen.groups.records import PendingOffsetCommitted, Record
from kafka_nextgen.offsets_topic.kinds import KINDS, OFFSET, PENDING_OFFSET, RecordKind
from kafka_nextgen.wire.codec import read_message, write_message
from kafka_nextgen.wire.primitives import leading_int16

__all__ = ["KAFKAS", "Codec", "KeyAndValue", "Skipped"]

_KEY_VERSION = 0
_INT16 = Struct(">h")


@frozen
class KeyAndValue:
    """A record as the log has it; a tombstone has no value."""

    key: bytes
    value: bytes | None


@frozen
class Skipped:
    """A record of an unknown type or version, which is ``what``."""

    what: str


class Codec:
    """Reads and writes records of these kinds; of two kinds with the same number the later counts."""

    def __init__(self, kinds: Iterable[RecordKind]) -> None:
        kinds = tuple(kinds)
        self.by_number: dict[int, RecordKind] = {0: OFFSET, **{kind.number: kind for kind in kinds}}
        self.by_record: dict[type[Record], RecordKind] = {
            **{kind.record: kind for kind in kinds},
            **{kind.removed: kind for kind in kinds},
            PendingOffsetCommitted: PENDING_OFFSET,
        }

    def encode(self, record: Record) -> KeyAndValue:
        """Write a record as Kafka's coordinator does."""
        kind = self.by_record[type(record)]
        key = _INT16.pack(kind.number) + write_message(kind.to_key(record), _KEY_VERSION)
        if isinstance(record, kind.removed):
            return KeyAndValue(key, None)
        version = kind.version if kind.version_of is None else kind.version_of(record)
        return KeyAndValue(key, _INT16.pack(version) + write_message(kind.to_value(record), version))

    def decode(self, key: bytes | None, value: bytes | None) -> Record | Skipped:
        """Read a record of the log. Raises ``DecodeError`` for one that is not what its type and version say."""
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


#: What Kafka's own coordinators read and write.
KAFKAS = Codec(KINDS)

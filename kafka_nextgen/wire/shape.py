"""Whether bytes have the shape that a message's schema demands: looked at before they are decoded.

The decoder trusts every length it reads: it takes a cut message for a whole one with less in it, and a varint of a
megabyte for a number. So the schema is walked over the bytes first, and a message passes only if

* every field lies within the bytes, and the last one ends with them;
* every length fits in the bytes left, and every count does at the fewest bytes an element takes, so that nothing
  is allocated for what isn't there; and all elements together are not more than memory can be made of;
* nothing is null that the schema doesn't allow to be;
* strings are UTF-8;
* tags (KIP-482) ascend, each field ends where its size says, and unknown ones are passed over.

How deep structures nest is the schema's matter, never the peer's. The walk for a message and version is put
together once. Fields of fixed size that follow each other are one step in it, and so is an array of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from attrs import frozen

from kafka_nextgen.wire.lengths import (
    COMPACT_LENGTH,
    INT16_LENGTH,
    INT32_LENGTH,
    NUMBER_WEIGHT,
    OBJECT_WEIGHT,
    Frame,
    Length,
    refuse,
)
from kafka_nextgen.wire.messages import ApiData, ApiMessage, ArrayField, BaseField
from kafka_nextgen.wire.walks import Walk, array, blob, fixed, no_tags, nullable_structure, sequence, tags, text

__all__ = ["check"]

_FIXED_SIZES = {
    "bool": 1,
    "int8": 1,
    "int16": 2,
    "uint16": 2,
    "int32": 4,
    "bitfield": 4,
    "int64": 8,
    "float64": 8,
    "uuid": 16,
}


#: librdkafka (2.16 still) writes the null that asks Metadata for all topics with four bytes instead of one. Read
#: right, the first four bytes are a whole request and three are left over. It also ends AlterUserScramCredentials with
#: its tags twice. Kafka's brokers never look at what is left over.
_LEFT_OVER = {"MetadataRequest": 3, "AlterUserScramCredentialsRequest": 1}


def check(message: type[ApiMessage] | type[ApiData], version: int, body: bytes | memoryview) -> None:
    """Refuse ``body`` unless it is exactly one ``message`` of ``version``; raises ``DecodeError``."""
    pos = _walk_of(message, version).over(Frame(body), 0, len(body))
    left = len(body) - pos
    if left and left != _LEFT_OVER.get(message.name):
        refuse(f"{message.name} v{version}", f"{left} bytes follow the message")


@cache
def _walk_of(message: type[ApiMessage] | type[ApiData], version: int) -> Walk:
    flexible = bool(message.flexible_version_q(version))  # type: ignore[no-untyped-call]  # of ApiData
    return _Compiler(version, flexible).structure(message.fields.values(), f"{message.name} v{version}")


@frozen
class _Compiler:
    """Puts a walk together. ``in_tag`` is set inside a tagged field, where the decoder knows no further tags."""

    version: int
    flexible: bool
    in_tag: bool = False

    def structure(self, fields: Iterable[BaseField], where: str) -> Walk:
        """All fields in order, then the tags if the version has them."""
        mine = [field for field in fields if field.for_version_q(self.version)]
        tagged = [field for field in mine if field.tagged_field_q(self.version)]
        walks = [self.field(field, where) for field in mine if not field.tagged_field_q(self.version)]
        if self.flexible:
            inside = _Compiler(self.version, flexible=True, in_tag=True)
            known = {field.tag: inside.field(field, where) for field in tagged}
            walks.append(no_tags(where) if self.in_tag else tags(known, where))
        return sequence(walks, where)

    def field(self, field: BaseField, where: str) -> Walk:
        """One field, whatever its type."""
        where = f"{where}, {field.name}"
        nullable = field.nullable_for_version_q(self.version)
        if field.is_array():
            return array(self._element(field, where), self._long, nullable, _weight_of(field), where)
        if field.is_struct():
            inner = self.structure(field.fields.values(), where)
            return nullable_structure(inner, where) if nullable else inner
        return self._simple(field.type_str, nullable, where)

    def _element(self, field: BaseField, where: str) -> Walk:
        if field.is_struct_array():
            return self.structure(field.fields.values(), where)
        assert isinstance(field, ArrayField)
        return self._simple(field.array_of.type_str, False, where)

    def _simple(self, type_name: str, nullable: bool, where: str) -> Walk:
        if type_name in _FIXED_SIZES:
            return fixed(_FIXED_SIZES[type_name], where)
        if type_name == "string":
            return text(COMPACT_LENGTH if self.flexible else INT16_LENGTH, nullable, where)
        return blob(self._long, nullable, where)

    @property
    def _long(self) -> Length:
        return COMPACT_LENGTH if self.flexible else INT32_LENGTH


def _weight_of(field: BaseField) -> int:
    is_number = isinstance(field, ArrayField) and field.array_of.type_str in _FIXED_SIZES
    return NUMBER_WEIGHT if is_number else OBJECT_WEIGHT

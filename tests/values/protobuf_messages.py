"""Messages that are made at run time, values in columns, and the same values as protobuf's classes have them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from attrs import frozen
from google.protobuf import (
    any_pb2,
    descriptor_pb2,
    descriptor_pool,
    duration_pb2,
    empty_pb2,
    field_mask_pb2,
    json_format,
    message_factory,
    struct_pb2,
    timestamp_pb2,
    wrappers_pb2,
)

from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.values import Protobuf
from kafka_nextgen.values.formats import BadValue
from tests.values.decoding import buffers_of

WELL_KNOWN = (any_pb2, duration_pb2, empty_pb2, field_mask_pb2, struct_pb2, timestamp_pb2, wrappers_pb2)
_PROTO = descriptor_pb2.FieldDescriptorProto
_NAMES = itertools.count()


@frozen
class F:
    """A field: its kind is a scalar's name, or a message, enum or group by ``.package.Name``."""

    name: str
    number: int
    kind: str
    label: str = ""  # "optional", "required", "repeated", or the kind of a map's keys
    oneof: str | None = None
    what: str = "message"  # of a named kind: or "enum", "group"
    features: Mapping[str, Any] = {}
    packed: bool | None = None
    default: str | None = None


def _put_kind(proto: Any, kind: str, what: str) -> None:
    if kind.startswith("."):
        proto.type = getattr(_PROTO, f"TYPE_{what.upper()}")
        proto.type_name = kind
    else:
        proto.type = getattr(_PROTO, f"TYPE_{kind.upper()}")


def _put_field(message: Any, field: F, syntax: str, package: str) -> None:
    proto = message.field.add(name=field.name, number=field.number, label=_PROTO.LABEL_OPTIONAL)
    if field.label in ("repeated", "required"):
        proto.label = getattr(_PROTO, f"LABEL_{field.label.upper()}")
    elif field.label not in ("", "optional"):
        entry = message.nested_type.add(name=f"{field.name.replace('_', ' ').title().replace(' ', '')}Entry")
        entry.options.map_entry = True
        for name, number, kind in (("key", 1, field.label), ("value", 2, field.kind)):
            _put_kind(entry.field.add(name=name, number=number, label=_PROTO.LABEL_OPTIONAL), kind, field.what)
        proto.label = _PROTO.LABEL_REPEATED
        _put_kind(proto, f".{package}.{message.name}.{entry.name}", "message")
        return
    _put_kind(proto, field.kind, field.what)
    if field.oneof is not None:
        names = [each.name for each in message.oneof_decl]
        if field.oneof not in names:
            message.oneof_decl.add(name=field.oneof)
            names.append(field.oneof)
        proto.oneof_index = names.index(field.oneof)
    elif field.label == "optional" and syntax == "proto3":
        proto.proto3_optional = True
    if field.packed is not None:
        proto.options.packed = field.packed
    if field.default is not None:
        proto.default_value = field.default
    for name, value in field.features.items():
        setattr(proto.options.features, name, value)


def file_of(
    syntax: str, messages: Mapping[str, Sequence[F]], enums: Mapping[str, Mapping[str, int]] | None = None
) -> Any:
    """A file of these messages and enums in a package of its own, ``t``."""
    file = descriptor_pb2.FileDescriptorProto(name=f"made_{next(_NAMES)}.proto", package="t", syntax=syntax)
    if syntax == "editions":
        file.edition = descriptor_pb2.EDITION_2023
    file.dependency.extend(module.DESCRIPTOR.name for module in WELL_KNOWN)
    for name, numbers in (enums or {}).items():
        enum = file.enum_type.add(name=name)
        enum.options.allow_alias = len(set(numbers.values())) < len(numbers)
        for symbol, number in numbers.items():
            enum.value.add(name=symbol, number=number)
    for name, fields in messages.items():
        message = file.message_type.add(name=name)
        for field in sorted(fields, key=lambda each: each.oneof is None):  # real oneofs stand in front of proto3's own
            _put_field(message, field, syntax, "t")
        for proto in message.field:
            if proto.proto3_optional:
                proto.oneof_index = len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{proto.name}")
    return file


def class_of(file: Any, name: str) -> Any:
    pool = descriptor_pool.DescriptorPool()
    for module in WELL_KNOWN:
        pool.AddSerializedFile(module.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"t.{name}"))


def made(fields: Sequence[F], syntax: str = "proto3", enums: Any = None, **messages: Sequence[F]) -> Any:
    """The class of a message ``t.M`` of these fields."""
    return class_of(file_of(syntax, {"M": fields, **messages}, enums), "M")


# ---- columns as plain values


def plain(array: Any) -> list[Any]:
    """Maps as dicts, times as numbers, floats as texts (by which a NaN is a NaN), all else as pyarrow has it."""
    kind = array.type
    valid = array.is_valid().to_pylist()
    rows: list[Any]
    if pa.types.is_struct(kind):
        children = [plain(child) for child in array.flatten()]
        names = [field.name for field in kind]
        rows = [dict(zip(names, values, strict=True)) for values in zip(*children, strict=True)] or [{} for _ in valid]
    elif pa.types.is_map(kind) or pa.types.is_list(kind):
        bounds = array.offsets.to_pylist()
        if pa.types.is_map(kind):
            keys, items = plain(array.keys), plain(array.items)
            pairs = list(zip(keys, items, strict=True))
            rows = [dict(pairs[begin:end]) for begin, end in itertools.pairwise(bounds)]
        else:
            values = plain(array.values)
            rows = [values[begin:end] for begin, end in itertools.pairwise(bounds)]
    elif pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        rows = array.view(pa.int64()).to_pylist()
    elif pa.types.is_floating(kind):
        rows = [repr(value) for value in array.to_pylist()]
    else:
        rows = array.to_pylist()
    return [row if is_valid else None for row, is_valid in zip(rows, valid, strict=True)]


def rows_of(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    columns = [plain(column) for column in batch.columns]
    names = batch.schema.names
    return [dict(zip(names, (column[row] for column in columns), strict=True)) for row in range(batch.num_rows)]


def alike(one: Any, other: Any) -> bool:
    """Whether they are equal, texts also as the same JSON, whose numbers and order may be written otherwise."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, str) and isinstance(other, str) and one != other:
        try:
            return bool(json.loads(one) == json.loads(other))
        except ValueError:
            return False
    return bool(one == other)


def decoded(
    protobuf: Protobuf, values: Sequence[bytes | None], flat: bool = True, start: int = 0
) -> tuple[pa.RecordBatch, list[BadValue]]:
    """The columns of these values, and the bad rows: the same in C as by protobuf's classes."""
    decoder: Any = protobuf.decoder("value", flat)
    results = []
    for in_c in (False, True)[: 1 + ACCELERATED]:
        columns, bad = decoder.decode(buffers_of(values), start, len(values), in_c=in_c)
        batch = pa.record_batch(columns)
        batch.validate(full=True)
        assert batch.num_rows == len(values) - start
        results.append((batch, bad))
    first, last = results[0], results[-1]
    assert [each.row for each in first[1]] == [each.row for each in last[1]], (first[1], last[1])
    assert first[0].schema.equals(last[0].schema, check_metadata=True)
    assert alike(rows_of(first[0]), rows_of(last[0])), (rows_of(first[0]), rows_of(last[0]))
    return last


# ---- the judge


def judged(message: Any) -> dict[str, Any]:
    """What a message's attributes are, as ``plain`` has it."""
    return {field.name: _judged_field(message, field) for field in message.DESCRIPTOR.fields}


def _judged_field(message: Any, field: Any) -> Any:
    value = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        parts = field.message_type.fields_by_name
        return {_judged(parts["key"], key): _judged(parts["value"], value[key]) for key in value}
    if field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED:
        return [_judged(field, item) for item in value]
    if field.has_presence and not message.HasField(field.name):
        return None
    return _judged(field, value)


class NoColumnError(Exception):
    """Protobuf takes it, and Arrow or JSON has no place for it."""


def _judged(field: Any, value: Any) -> Any:
    if field.enum_type is not None:
        if value not in field.enum_type.values_by_number:
            raise NoColumnError
        return field.enum_type.values_by_number[value].name
    if field.message_type is not None:
        return judged_message(value)
    if isinstance(value, float):
        return repr(value)
    if field.type == _PROTO.TYPE_STRING and isinstance(value, bytes):
        raise NoColumnError
    return value


def judged_message(value: Any) -> Any:
    name = value.DESCRIPTOR.full_name
    if name in ("google.protobuf.Timestamp", "google.protobuf.Duration"):
        return _nanoseconds(value, name.endswith("Timestamp"))
    if name in ("google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.ListValue"):
        try:
            return json.dumps(json_format.MessageToDict(value))
        except (json_format.SerializeToJsonError, ValueError):
            raise NoColumnError from None
    if name.startswith("google.protobuf.") and name.endswith("Value"):
        return _judged(value.DESCRIPTOR.fields[0], value.value)
    return judged(value) if value.DESCRIPTOR.fields else True


def _nanoseconds(value: Any, is_timestamp: bool) -> int:
    try:
        value.ToJsonString()
    except ValueError:
        raise NoColumnError from None
    total: int = value.seconds * 10**9 + value.nanos
    if not -(2**63) <= total < 2**63 or (not is_timestamp and value.seconds * value.nanos < 0):
        raise NoColumnError
    return total


def check(kind: Any, values: Sequence[bytes], **options: Any) -> pa.RecordBatch:
    """These values are what protobuf's classes make of them, or bad if that refuses them."""
    batch, bad = decoded(Protobuf(kind, **options), values)
    rows, refused = rows_of(batch), {each.row for each in bad}
    for row, value in enumerate(values):
        expected = expectation(kind, value)
        assert (expected is None) == (row in refused), (value.hex(), expected, bad)
        if expected is not None:
            assert alike(rows[row], expected), (value.hex(), rows[row], expected)
    return batch


def expectation(kind: Any, value: bytes) -> dict[str, Any] | None:
    """What a value is by protobuf; None if it is refused, or has no place in columns."""
    from google.protobuf.message import DecodeError

    try:
        return judged(kind.FromString(value))
    except (DecodeError, NoColumnError):
        return None


# ---- bytes


def varint(number: int) -> bytes:
    number &= 2**64 - 1
    data = bytearray()
    while number > 0x7F:
        data.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*data, number))


def tag(number: int, wire: int) -> bytes:
    return varint(number << 3 | wire)


def delimited(number: int, data: bytes) -> bytes:
    return tag(number, 2) + varint(len(data)) + data

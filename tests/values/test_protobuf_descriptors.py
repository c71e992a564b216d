"""What a message may be given as, frames, and messages that can't be columns."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, timestamp_pb2

from kafka_nextgen.errors import ConfigError, ProtobufSchemaError
from kafka_nextgen.values import Protobuf
from tests.values.decoding import framed
from tests.values.protobuf_messages import F, class_of, decoded, file_of, made, rows_of

NAMED = [F("a", 1, "int32"), F("t", 2, ".google.protobuf.Timestamp")]


def set_of(*files: Any) -> bytes:
    data: bytes = descriptor_pb2.FileDescriptorSet(file=files).SerializeToString()
    return data


def test_a_class_a_descriptor_and_a_set_of_files_make_the_same_columns() -> None:
    file = file_of("proto3", {"M": NAMED})
    kind = class_of(file, "M")
    files = descriptor_pb2.FileDescriptorSet(file=[file])
    for message in (Protobuf(kind), Protobuf(kind.DESCRIPTOR), Protobuf(set_of(file), "t.M"), Protobuf(files, "t.M")):
        batch, bad = decoded(message, [b"\x08\x05"])
        assert (rows_of(batch), bad) == ([{"a": 5, "t": None}], [])


def test_files_of_a_set_may_come_in_any_order_and_lack_what_comes_with_protobuf() -> None:
    other = descriptor_pb2.FileDescriptorProto(name="other.proto", package="o", syntax="proto3")
    other.message_type.add(name="N").field.add(name="x", number=1, type=5, label=1)
    file = file_of("proto3", {"M": [*NAMED, F("n", 3, ".o.N")]})
    file.dependency.append("other.proto")
    batch, _ = decoded(Protobuf(set_of(file, other), "t.M"), [b"\x1a\x02\x08\x01"])
    assert rows_of(batch)[0]["n"] == {"x": 1}
    with pytest.raises(ProtobufSchemaError, match=r"imports other.proto, .*: protoc --include_imports adds it"):
        Protobuf(set_of(file), "t.M")


@pytest.mark.parametrize(
    ("message", "name", "kind", "why"),
    [
        (b"\xff", "t.M", ProtobufSchemaError, "not a FileDescriptorSet"),
        (set_of(file_of("proto3", {"M": NAMED})), "t.X", ProtobufSchemaError, r"has no message t\.X"),
        (set_of(file_of("proto3", {"M": NAMED})), None, TypeError, "needs the full name"),
        (timestamp_pb2.Timestamp, "t.M", ProtobufSchemaError, "is google.protobuf.Timestamp, not t.M"),
        ("t.M", None, TypeError, "not 't.M'"),
        (None, None, ConfigError, "needs a message, or a registry"),
        (set_of(file_of("proto3", {"M": [F("n", 1, ".t.N")]})), "t.M", ProtobufSchemaError, "can't be used"),
    ],
)
def test_what_is_no_message_is_refused(message: Any, name: Any, kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        Protobuf(message, name)


def test_files_that_import_each_other_are_refused() -> None:
    files = [descriptor_pb2.FileDescriptorProto(name=name) for name in ("a.proto", "b.proto")]
    files[0].dependency.append("b.proto")
    files[1].dependency.append("a.proto")
    with pytest.raises(ProtobufSchemaError, match=r"imports itself: a\.proto"):
        Protobuf(set_of(*files), "t.M")


@pytest.mark.parametrize(
    ("options", "why"), [({"enums": "names"}, "'name' or 'number'"), ({"unit": "ms"}, "'ns' or 'us'")]
)
def test_options_that_are_none_are_refused(options: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Protobuf(timestamp_pb2.Timestamp, **options)


def test_a_message_that_holds_itself_is_refused_with_the_way_back_to_it() -> None:
    kind = made([F("n", 1, ".t.N")], N=[F("m", 1, ".t.O", "repeated")], O=[F("back", 1, ".t.N", "string")])
    with pytest.raises(ProtobufSchemaError, match=r"t\.N contains itself \(t\.N\.m -> t\.O\.back -> .* -> t\.N\)"):
        Protobuf(kind)


def test_a_message_that_makes_too_many_columns_is_refused() -> None:
    messages = {f"L{level}": [F("a", 1, f".t.L{level + 1}"), F("b", 2, f".t.L{level + 1}")] for level in range(15)}
    with pytest.raises(ProtobufSchemaError, match="more than 16384 columns"):
        Protobuf(made([F("a", 1, ".t.L0")], L15=[F("x", 1, "int32")], **messages))


def test_a_message_that_is_too_deep_is_refused() -> None:
    messages = {f"L{level}": [F("a", 1, f".t.L{level + 1}")] for level in range(70)}
    with pytest.raises(ProtobufSchemaError, match="deeper than 64"):
        Protobuf(made([F("a", 1, ".t.L0")], L70=[F("x", 1, "int32")], **messages)).decoder("value", True)


# ---- frames


def nested() -> Any:
    file = file_of("proto3", {"First": NAMED, "Second": [F("m", 1, "int32", "string")]})
    file.message_type[1].nested_type.add(name="Inner").field.add(name="x", number=1, type=5, label=1)
    return file


@pytest.mark.parametrize(
    ("name", "indexes", "is_good"),
    [
        ("First", b"\0", True),
        ("First", b"\x02\0", True),
        ("First", b"\x02\x02", False),
        ("Second", b"\x02\x02", True),
        ("Second", b"\0", False),
        ("Second.Inner", b"\x04\x02\x02", True),
        ("Second.Inner", b"\x04\x02\0", False),
        ("Second.Inner", b"\x02\x02", False),
        ("Second.Inner", b"\x84\0\x82\0\x02", True),
        ("First", b"\x01", False),
        ("First", b"\x80", False),
        ("First", b"\x08\0", False),
        ("First", b"\x80\x80\x80\x80\x80\x01", False),
        ("First", b"\xfe\xff\xff\xff\x0f", False),
    ],
)
def test_the_indexes_of_a_frame_are_those_of_the_message(name: str, indexes: bytes, is_good: bool) -> None:
    protobuf = Protobuf(class_of(nested(), name), framed=True)
    batch, bad = decoded(protobuf, [framed(7, indexes + b""), None])
    assert bool(bad) != is_good
    assert batch.num_rows == 2


@pytest.mark.parametrize("value", [b"", b"\0\0\0\0", b"\0\0\0\0\1", b"\1\0\0\0\1\0", b"\x08\x05"])
def test_what_has_no_frame_is_bad(value: bytes) -> None:
    _, bad = decoded(Protobuf(made(NAMED), framed=True), [value])
    assert "does not begin with a zero byte" in bad[0].reason


def test_a_framed_value_that_has_to_be_merged() -> None:
    kind = made([F("n", 1, ".t.N")], N=[F("x", 1, "int32"), F("y", 2, "int32")])
    batch, bad = decoded(Protobuf(kind, framed=True), [framed(1, b"\0\x0a\x02\x08\x01\x0a\x02\x10\x02")])
    assert (rows_of(batch), bad) == ([{"n": {"x": 1, "y": 2}}], [])


def test_formats_can_be_imported_without_protobuf_which_is_named_where_it_is_needed() -> None:
    use = """
from kafka_nextgen.values import Protobuf
try:
    Protobuf(b"", "t.M")
except ImportError as error:
    assert "kafka-nextgen[protobuf]" in str(error)
else:
    raise AssertionError
"""
    program = f"import sys; sys.modules['google.protobuf'] = None; sys.modules['pyarrow'] = None{use}"
    subprocess.run([sys.executable, "-c", program], check=True)

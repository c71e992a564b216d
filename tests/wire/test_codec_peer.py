"""Our codec beside kafka-python's: for each message and version of both, the same values are the same bytes."""

from __future__ import annotations

import importlib
import pkgutil
import warnings
from typing import Any

import kafka.protocol
from hypothesis import given, settings
from hypothesis import strategies as st
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.schemas.fields.codecs.types import Int32

from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.frames import read_message, write_message
from kafka_nextgen.wire.schema import Field, Message, Structure
from tests.support.examples import examples
from tests.wire.schema_messages import ALL, fields_of, full, message_class, messages, name_of


def _peers() -> dict[str, Any]:
    """kafka-python's messages by name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # how it loads its schemas
        for module in pkgutil.walk_packages(kafka.protocol.__path__, "kafka.protocol."):
            if ".old" not in module.name and "stubs" not in module.name:
                importlib.import_module(module.name)
    return {cls.__name__: cls for cls in ApiMessage.__subclasses__()}


PEERS = _peers()

#: None in a bitfield, of which kafka-python reads some as integers.
NO_BITS = -(1 << 31)

#: Fields that kafka-python has by an older name, from before Kafka 4.4.
RENAMED = {(m.TxnOffsetCommitRequest, "generation_id_or_member_epoch"): "generation_id"}

BOTH = [
    case
    for case in ALL
    if (peer := PEERS.get(message_class(case).__name__)) is not None and case[1] <= peer.max_version
]


def test_most_messages_have_a_peer() -> None:
    assert len(BOTH) > 400


def test_both_write_and_read_the_same() -> None:
    for case in BOTH:
        try:
            _compare(full(message_class(case), case[1]), case[1])
        except BaseException as error:
            raise AssertionError(f"{name_of(case)}: {error}") from error


@settings(max_examples=examples(2_000))
@given(st.sampled_from(BOTH), st.data())
def test_both_write_and_read_any_message_the_same(case: tuple[Api, int, bool], data: st.DataObject) -> None:
    _compare(data.draw(messages(message_class(case), case[1])), case[1])


def _compare(message: Message, version: int) -> None:
    peer = PEERS[type(message).__name__]
    written = write_message(message, version)
    assert _plain(peer.decode(written, version=version), type(message), version) == _own(message, version)
    theirs = bytes(_as_peer(message, peer, version).encode(version=version))
    assert _own(read_message(type(message), version, theirs), version) == _own(message, version)
    assert read_message(type(message), version, written) == message


def _as_peer(value: Structure, peer: Any, version: int) -> Any:
    """The same values as kafka-python's class; a tag is set only if it says something, as ours are."""
    said = {
        _name_by_peer(type(value), field): _peer_value(getattr(value, field.name), field, peer, version)
        for field in fields_of(type(value), version)
        if not _is_our_own(field) and (field.tag is None or getattr(value, field.name) != field.default)
    }
    return peer(**said)


def _peer_value(value: Any, field: Field, peer: Any, version: int) -> Any:
    inner = field.kind[0] if isinstance(field.kind, list) else field.kind
    if inner == "bitfield" and peer.fields[field.name]._type is Int32:
        return NO_BITS if value is None else sum(1 << bit for bit in value)
    if value is None or isinstance(inner, str):
        return list(value) if isinstance(value, tuple) else value
    theirs = getattr(peer, peer.fields[field.name].type_str.removeprefix("[]"))  # ours may be shared by several
    if isinstance(value, tuple):
        return [_as_peer(each, theirs, version) for each in value]
    return _as_peer(value, theirs, version)


def _name_by_peer(cls: type[Structure], field: Field) -> str:
    return next((name for (of, ours), name in RENAMED.items() if cls is of and field.name == ours), field.name)


def _own(value: Any, version: int) -> Any:
    return _plain(value, type(value), version)


def _plain(value: Any, cls: type[Structure], version: int) -> dict[str, Any]:
    """The fields of either kind of message as dictionaries and lists."""
    name_of_field = (lambda _, field: field.name) if isinstance(value, Structure) else _name_by_peer
    return {
        field.name: _plain_value(getattr(value, name_of_field(cls, field)), field, version)
        for field in fields_of(cls, version)
        if not _is_our_own(field)
    }


def _plain_value(value: Any, field: Field, version: int) -> Any:
    inner = field.kind[0] if isinstance(field.kind, list) else field.kind
    if inner == "bitfield" and isinstance(value, int):
        value = None if value == NO_BITS else {bit for bit in range(31) if value >> bit & 1}
    if value is None:
        return field.default if field.tag is not None and isinstance(field.kind, list) else None
    if isinstance(inner, str):
        return list(value) if isinstance(field.kind, list) else bytes(value) if inner in ("bytes", "records") else value
    if isinstance(field.kind, list):
        return [_plain(each, inner, version) for each in value]
    return _plain(value, inner, version)


def _is_our_own(field: Field) -> bool:
    return field.tag is not None and field.tag >= 10000

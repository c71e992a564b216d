"""Encode events as lines of JSON, and decode them.

A line is an object with the names of ``Event``'s fields; None is omitted. Lines of later versions are read if their
kind is known, and unknown fields are ignored. A line that is not an event decodes to an ``InvalidLine``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from attrs import fields

from kafka_nextgen.history.events import Event, EventKind, SourceKind
from kafka_nextgen.lazy_attrs import frozen

__all__ = ["InvalidLine", "LineProblem", "decode_event", "encode_event"]

_LONG = 1 << 63
_SHOWN = 200
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
_KINDS: Mapping[str, EventKind] = {kind.value: kind for kind in EventKind}
_SOURCE_KINDS = frozenset(kind.value for kind in SourceKind)


class LineProblem(Enum):
    """Why a line is not an event."""

    TORN = "torn"  # the line is truncated
    FOREIGN = "foreign"  # something other than an event
    UNKNOWN_KIND = "unknown kind"  # from a later version
    BAD_FIELD = "bad field"  # a field has an invalid value


@frozen
class InvalidLine:
    """A line that is not an event, and why."""

    problem: LineProblem
    text: str


def encode_event(event: Event) -> str:
    """Encode an event as a line, without the newline."""
    line: dict[str, object] = {}
    for name in _NAMES:
        value = getattr(event, name)
        if value is not None:
            line[name] = value
    line["kind"] = event.kind.value
    return _ENCODE(line)


def decode_event(line: str | bytes) -> Event | InvalidLine:
    """Decode a line of this version or of a later one whose kind is known."""
    try:
        found = _DECODE(line if isinstance(line, str) else line.decode("utf-8-sig", "surrogatepass"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        is_begun = line.lstrip()[:1] in ("{", b"{")
        return InvalidLine(LineProblem.TORN if is_begun else LineProblem.FOREIGN, "not JSON")
    except RecursionError:
        return InvalidLine(LineProblem.FOREIGN, "JSON that is nested too deeply")
    except ValueError as error:  # a duplicate name, or a number with thousands of digits
        return InvalidLine(LineProblem.BAD_FIELD, str(error)[:_SHOWN])
    if not isinstance(found, dict) or not _is_version(found.get("v")):
        return InvalidLine(LineProblem.FOREIGN, "not an object with a version v")
    return _event(found)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Reject duplicate names: JSON readers disagree about which of two values counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return found


def _is_version(value: object) -> bool:
    return type(value) is int and 1 <= value < 1 << 31


def _event(found: dict[str, Any]) -> Event | InvalidLine:
    values: dict[str, Any] = {}
    for name, value in found.items():
        check = _CHECKS.get(name)
        if check is None or (value is None and name not in _REQUIRED):
            continue
        if not check(value):
            return InvalidLine(LineProblem.BAD_FIELD, f"{name} is {value!r}"[:_SHOWN])
        values[name] = value
    if not values.keys() >= _REQUIRED:
        return InvalidLine(LineProblem.BAD_FIELD, f"missing {', '.join(sorted(_REQUIRED - values.keys()))}")
    kind = _KINDS.get(values["kind"])
    if kind is None:
        return InvalidLine(LineProblem.UNKNOWN_KIND, f"kind {values['kind']!r}"[:_SHOWN])
    values["kind"] = kind
    if "partitions" in values:
        values["partitions"] = tuple(values["partitions"])
    return Event(**values)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_named(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_long(value: object) -> bool:
    return type(value) is int and -_LONG <= value < _LONG


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _LONG


def _is_source(value: object) -> bool:
    return isinstance(value, str) and value.partition(":")[0] in _SOURCE_KINDS


def _are_partitions(value: object) -> bool:
    return isinstance(value, list) and all(type(each) is int and 0 <= each < 1 << 31 for each in value)


_DECODE = json.JSONDecoder(object_pairs_hook=_object).decode
_NAMES = ("v", *(each.name for each in fields(Event) if each.name != "v"))
_REQUIRED = frozenset({"v", "at", "seq", "source", "cluster", "group", "kind"})
_CHECKS: Mapping[str, Callable[[object], bool]] = {
    **dict.fromkeys(_NAMES, _is_text),
    "v": _is_version,
    "at": _is_count,
    "seq": _is_count,
    "source": _is_source,
    "group": _is_named,
    "epoch": _is_long,
    "partitions": _are_partitions,
    "offset": _is_long,
    "end": _is_long,
    "start": _is_long,
    "ms": _is_count,
}

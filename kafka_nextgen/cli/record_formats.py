"""The formats of records on stdout.

``text`` is the raw value. ``json`` is one object per line; data that is not UTF-8 is in base64 under another name
(``value_base64``).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping

from kafka_nextgen.types import Record

__all__ = ["FORMATS"]


def _text(record: Record) -> bytes:
    return record.value if isinstance(record.value, bytes) else b""


def _json(record: Record) -> bytes:
    fields: dict[str, object] = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "timestamp": record.timestamp,
        **_readable("key", record.key),
        **_readable("value", record.value),
        "headers": [{"name": name, **_readable("value", value)} for name, value in record.headers],
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()


def _readable(name: str, data: object) -> dict[str, str | None]:
    if not isinstance(data, bytes):
        return {name: None}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode()}


#: Functions from a record to a line without its newline, by format.
FORMATS: Mapping[str, Callable[[Record], bytes]] = {"json": _json, "text": _text}

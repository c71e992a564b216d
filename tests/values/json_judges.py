"""What judges our JSON: orjson if it is installed, else the standard library's ``json``, and Python's own for texts."""

from __future__ import annotations

import base64
import datetime as dt
import json
import re
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from decimal import Decimal
from importlib import import_module
from typing import Any

import pyarrow as pa

from kafka_nextgen.values import Json
from kafka_nextgen.values.formats import BadValue
from tests.values.decoding import decoded

ORJSON: Any = None
with suppress(ImportError):
    ORJSON = import_module("orjson")

UTC = dt.timezone.utc


def loads(data: bytes) -> Any:
    """As the judge reads it. Raises ValueError for text that is not JSON."""
    return ORJSON.loads(data) if ORJSON is not None else json.loads(data.decode())


def dumps(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def column(kind: Any, values: Sequence[bytes | None], **options: Any) -> tuple[pa.Array, list[BadValue]]:
    """The column that values of an Arrow type or a JSON Schema become, in C and in Python the same."""
    batch, bad = decoded(Json(kind, **options), values, False)
    return batch.column(0), bad


def good(kind: Any, *values: bytes, **options: Any) -> list[Any]:
    """The values of good ones."""
    found, bad = column(kind, values, **options)
    assert bad == []
    rows: list[Any] = found.to_pylist()
    return rows


def why(kind: Any, value: bytes, **options: Any) -> str:
    """What is wrong with a bad value."""
    found, bad = column(kind, [value], **options)
    assert found.null_count == 1
    return bad[0].reason


def _as_decimal(data: bytes) -> Decimal:
    return Decimal(data.decode().strip('"'))


def _as_duration(data: bytes) -> dt.timedelta:
    assert data == b'"P1DT2H30M0.5S"'
    return dt.timedelta(days=1, hours=2, minutes=30, seconds=0.5)


def _iso(text: str) -> str:
    """As Python 3.10 reads it: with a zone's minutes, and six digits of a second, or none."""
    text = text.upper().replace("Z", "+00:00")
    return re.sub(r"\.([0-9]+)", lambda found: f".{found[1].ljust(6, '0')[:6]}", text)


def _moment(make: Callable[[str], Any]) -> Callable[[bytes], Any]:
    return lambda data: make(loads(data))


AS_BYTES: Callable[[bytes], Any] = _moment(lambda text: base64.b64decode(text, validate=True))
AS_UUID: Callable[[bytes], Any] = _moment(uuid.UUID)
AS_DATE: Callable[[bytes], Any] = _moment(dt.date.fromisoformat)
AS_TIME: Callable[[bytes], Any] = _moment(lambda text: dt.time.fromisoformat(_iso(text)))
AS_TIMESTAMP: Callable[[bytes], Any] = _moment(lambda text: dt.datetime.fromisoformat(_iso(text)))
AS_DECIMAL, AS_DURATION = _as_decimal, _as_duration


# ---- whole values


def judged(value: Any, kind: pa.DataType) -> Any:
    """What the judge has read of a value of this type, as Arrow has it in Python."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        return {field.name: judged(value.get(field.name), field.type) for field in kind}
    if pa.types.is_map(kind):
        return [(name, judged(each, kind.item_type)) for name, each in value.items()]
    if pa.types.is_list(kind):
        return [judged(each, kind.value_type) for each in value]
    read = next((read for is_kind, read in _LEAVES if is_kind(kind)), None)
    return pa.scalar(value if read is None else read(value), kind).as_py()


_LEAVES: list[tuple[Callable[[pa.DataType], bool], Callable[[Any], Any]]] = [
    (pa.types.is_integer, int),
    (pa.types.is_decimal, lambda value: Decimal(str(value))),
    (pa.types.is_binary, base64.b64decode),
    (pa.types.is_fixed_size_binary, base64.b64decode),
    (lambda kind: bool(kind == pa.uuid()), lambda text: uuid.UUID(text).bytes),
    (pa.types.is_date, dt.date.fromisoformat),
    (pa.types.is_time, lambda text: dt.time.fromisoformat(_iso(text))),
    (pa.types.is_timestamp, lambda text: dt.datetime.fromisoformat(_iso(text))),
]

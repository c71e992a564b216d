"""Framings: where the id of a value's schema is. Other framings are converted to Confluent's prefix.

| framing | where the schema's id is |
|---|---|
| Confluent's prefix | in front of the value: 0 and the id in four bytes |
| Confluent's header | ``__value_schema_id`` or ``__key_schema_id``: 1 and a GUID in 16 bytes, or 0 and an id in four |
| Apicurio's prefix | in front of the value: 0 and the id in eight bytes |
| Apicurio's header | such as ``apicurio.value.globalId``: the id in eight bytes |

All integers are big-endian. Decoders support only Confluent's prefix; ``with_prefixes`` converts the others to it, in a
copy of the values. A negative number, which is valid only in this process, replaces a GUID or an id with more than 31
bits; ``long_id`` returns the GUID or id. The first number is random, so that a bad value, whose prefix can have any
number, is unlikely to match one. No number is used twice; the least recently used GUID or id loses its number.
"""

from __future__ import annotations

import os
import random
import re
import struct
import threading
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from enum import Enum
from itertools import accumulate, repeat
from typing import Final
from uuid import UUID

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.values.formats import Buffers

__all__ = ["Framing", "is_prefixed", "long_id", "name_of", "number_of", "with_prefixes"]

_ID: Final = struct.Struct(">bi")
_LONG_ID: Final = struct.Struct(">bq")
_GUID_BYTES: Final = 17
_MAX_ID: Final = 2**31 - 1
#: How many GUIDs and long ids can have a number. Values without the framing can appear to have arbitrary ids.
_MOST_NUMBERS: Final = 1 << 16
#: The first number is between this one and -1. All are above ``_NO_NUMBER``, which means that no number is left.
_LAST_FIRST: Final = -(2**30)
_NO_NUMBER: Final = -(2**31)

LongId = UUID | int


class _Numbers:
    """The numbers that this process has assigned."""

    def __init__(self, first: int) -> None:
        self._first = self._next = first
        self._numbers: OrderedDict[LongId, int] = OrderedDict()
        self._long_ids: dict[int, LongId] = {}
        self.unlock()

    def unlock(self) -> None:
        """Create a new lock: in a forked process, a thread that does not exist there may hold the old one."""
        self._lock = threading.Lock()

    def number_of(self, long: LongId) -> int:
        """Return the number of a long id, assigning one if necessary."""
        with self._lock:
            number = self._numbers.pop(long, None) or self._new(long)
            self._numbers[long] = number
            if len(self._numbers) > _MOST_NUMBERS:
                _, dropped = self._numbers.popitem(last=False)
                self._long_ids.pop(dropped, None)
            return number

    def _new(self, long: LongId) -> int:
        if self._next == _NO_NUMBER:
            return _NO_NUMBER
        number, self._next = self._next, self._next - 1
        self._long_ids[number] = long
        return number

    def long_id(self, number: int) -> LongId:
        """Return the id with this number. Raises KeyError if there is none."""
        found = self._long_ids.get(number)
        if found is None:
            was_given = number == _NO_NUMBER or self._next < number <= self._first
            raise KeyError(
                f"for an id that is no longer remembered (more than {_MOST_NUMBERS} different GUIDs or long ids)"
                if was_given
                else number
            )
        return found


_numbers = _Numbers(random.randrange(_LAST_FIRST, 0))
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_numbers.unlock)


class Framing(Enum):
    """The serializers that wrote the values."""

    CONFLUENT = "confluent"
    APICURIO = "apicurio"

    @classmethod
    def of(cls, given: Framing | str) -> Framing:
        """Return the framing with this name. Raises ConfigError for an unknown one."""
        try:
            return cls(given)
        except ValueError:
            raise ConfigError(f"framing must be 'confluent' or 'apicurio', not {given!r}") from None


def number_of(long: LongId) -> int:
    """Return the number that represents a GUID or a long id in this process."""
    if isinstance(long, int) and 0 <= long <= _MAX_ID:
        return long
    return _numbers.number_of(long)


def long_id(number: int) -> LongId:
    """Return the id that a number represents. Raises KeyError if there is none."""
    return number if number >= 0 else _numbers.long_id(number)


def name_of(number: int) -> str:
    """Return the id that a number represents, as text for errors."""
    try:
        return str(long_id(number))
    except KeyError as error:
        return str(error.args[0])


Headers = Sequence[tuple[str, "bytes | None"]]


def is_prefixed(framing: Framing, field: str, header_keys: bytes | memoryview | None) -> bool:
    """Whether all values of a batch have Confluent's prefix or no framing; ``header_keys`` are its headers' keys."""
    if framing is Framing.APICURIO:
        return False
    return header_keys is None or re.search(_header_of(field).encode(), header_keys) is None


def with_prefixes(
    framing: Framing, field: str, values: Buffers, headers: Iterable[Headers], start: int, stop: int
) -> Buffers:
    """Return the values from ``start`` to ``stop``, which have these headers, with Confluent's prefix.

    Values before ``start`` are empty. A value without a frame stays unchanged, and its decoder reports it as bad.
    """
    frame = _apicurio if framing is Framing.APICURIO else _confluent
    data, bounds, validity = values
    view = memoryview(data)
    rows = zip(range(start, stop), headers, strict=True)
    pieces = [frame(field, of_row, view[bounds[row] : bounds[row + 1]]) for row, of_row in rows]
    ends = accumulate(map(len, pieces), initial=0)
    return b"".join(pieces), memoryview(array("i", (*repeat(0, start), *ends))), validity


def _header_of(field: str) -> str:
    return f"__{field}_schema_id"


def _confluent(field: str, headers: Headers, value: memoryview) -> bytes | memoryview:
    name = _header_of(field)
    for key, given in headers:
        if key == name and given is not None:
            if given[:1] == b"\1" and len(given) >= _GUID_BYTES:  # message indexes of Protobuf may follow
                guid = UUID(bytes=given[1:_GUID_BYTES])
                return _ID.pack(0, number_of(guid)) + given[_GUID_BYTES:] + value
            return given + value if given[:1] == b"\0" and len(given) >= _ID.size else value
    return value


def _apicurio(field: str, headers: Headers, value: memoryview) -> bytes | memoryview:
    names = (f"apicurio.{field}.globalId", f"apicurio.{field}.contentId")
    for key, given in headers:
        if key in names and given is not None and len(given) == _LONG_ID.size - 1:
            return _ID.pack(0, number_of(int.from_bytes(given, "big", signed=True))) + value
    if len(value) >= _LONG_ID.size and value[0] == 0:
        return _ID.pack(0, number_of(_LONG_ID.unpack_from(value)[1])) + value[_LONG_ID.size :]
    return value

"""The finding for one key of another client's configuration, from the tables that migration uses.

If the value is known, it is read as a consumer reads it; a program may also compute it. Findings show only converted
values, and never a value that may be secret.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from kafka_nextgen.config import FORBIDDEN, KEYS
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.migrating.finding import Finding
from kafka_nextgen.other_clients.advice import meant_key
from kafka_nextgen.other_clients.fates import Dropped, Fate, Mapped, Refused, same_value
from kafka_nextgen.other_clients.tables import fate_of
from kafka_nextgen.other_clients.values import CONVERSIONS

__all__ = ["UNKNOWN", "Unknown", "finding_for_key", "key_here"]


class Unknown(Enum):
    """The value of a key that is not written as a constant."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


def finding_for_key(line: int, written: str, value: object, protocol: str = "consumer") -> Finding | None:
    """Return the finding for a key; None if it needs no change.

    Arguments:
        written: the key, with dots or underscores.
        value: its value; None and blank text count as absent, as in a consumer.
        protocol: the group protocol of the same configuration.
    """
    key = written.replace("_", ".")
    if value is None:
        return None if key in KEYS else Finding(line, written, note="remove it: None is the default")
    if key in FORBIDDEN and protocol == "consumer":
        return Finding(line, written, note=f"remove it: {FORBIDDEN[key]}")
    if key in KEYS:
        return _of_own(line, written, key, value)
    fate = fate_of(key)
    if fate is not None:
        return _of_fate(line, written, fate, value)
    meant = meant_key(written, KEYS)
    hint = f"; did you mean {_like(written, meant)}?" if meant else ": remove it"
    return Finding(line, written, note=f"no client has such a key{hint}")


def key_here(written: str) -> str:
    """Return the key of this library that replaces a key, or the key itself, with dots."""
    key = written.replace("_", ".")
    fate = fate_of(key)
    return fate.key if isinstance(fate, Mapped) else key


def _of_own(line: int, written: str, key: str, value: object) -> Finding | None:
    """Return the finding for a key of this library, whose value may need another form."""
    if value is UNKNOWN:
        return None
    try:
        converted = CONVERSIONS.get(key, same_value)(value)
        KEYS[key].value_type.read(converted)
    except ConfigError as error:
        return Finding(line, written, note=str(error))
    except ValueError as error:
        return Finding(line, written, note=str(error))
    if _can_be_read(key, value):
        return None
    return Finding(line, f"{written}={_shown(value)}", f"{written}={_shown(converted)}")


def _can_be_read(key: str, value: object) -> bool:
    try:
        KEYS[key].value_type.read(value)
    except ValueError:
        return False
    return True


def _of_fate(line: int, written: str, fate: Fate, value: object) -> Finding:
    if isinstance(fate, Mapped):
        return _of_mapped(line, written, fate, value)
    if isinstance(fate, Refused):
        return Finding(line, written, note=f"not supported: {fate.why}")
    if value is UNKNOWN and fate.only is not None:
        return Finding(line, written, note=f"remove it if it is {' or '.join(sorted(fate.only))}: {fate}")
    if fate.accepts(value):
        return Finding(line, written, note=f"remove it: {fate.why}")
    return Finding(line, f"{written}={_shown(value)}", note=f"not supported: {_otherwise(fate)}")


def _otherwise(fate: Dropped) -> str:
    return fate.otherwise.removeprefix("refused, because ").removeprefix("refused: ")


def _of_mapped(line: int, written: str, fate: Mapped, value: object) -> Finding:
    here = _like(written, fate.key)
    if value is UNKNOWN or fate.convert is same_value:
        return Finding(line, written, here, fate.note)
    try:
        return Finding(line, f"{written}={_shown(value)}", f"{here}={_shown(fate.convert(value))}")
    except ValueError as error:
        return Finding(line, written, here, str(error))


def _like(written: str, key: str) -> str:
    """Return a key of this library, with dots or underscores like the written key."""
    return key if "." in written else key.replace(".", "_")


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    return str(value)

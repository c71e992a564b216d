"""Faults as lines of text, for ``kafka-nextgen broker --faults FILE``.

# API and arguments, as in Cluster.fault; * means any request
OffsetCommit error=COORDINATOR_LOAD_IN_PROGRESS times=2
Fetch delay_s=5 client_id=billing topic=orders partition=0
* silent node=2
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from kafka_nextgen.errors import ConfigError, MisuseError
from kafka_nextgen.testing.faults.apis import Api
from kafka_nextgen.testing.faults.fault import Definition
from kafka_nextgen.testing.faults.making import make

__all__ = ["parse_faults"]

_ANY = "*"
_APIS: Mapping[str, Api] = {str(api): api for api in Api}

#: How the value of each argument is read; flags have none.
_ARGUMENTS: Mapping[str, Callable[[str], Any] | None] = {
    "error": str,
    "delay_s": float,
    "throttle_s": float,
    "drop": str,
    "cut_connection": None,
    "silent": None,
    "move_leader": None,
    "recreate_topic": None,
    "lose_tail": int,
    "corrupt_offset": int,
    "expire_login": None,
    "client_id": str,
    "group_id": str,
    "node": int,
    "topic": str,
    "partition": int,
    "times": int,
    "after": int,
}


def parse_faults(lines: Iterable[str]) -> tuple[Definition, ...]:
    """Read faults, one per line. Raises ``ConfigError`` with the number of the line."""
    faults: list[Definition] = []
    for number, line in enumerate(lines, 1):
        try:
            words = shlex.split(line, comments=True)
            if words:
                faults.append(_parse(words))
        except (ValueError, MisuseError) as error:
            raise ConfigError(f"line {number} of the faults file: {error}") from None
    return tuple(faults)


def _parse(words: list[str]) -> Definition:
    name, *arguments = words
    if name != _ANY and name not in _APIS:
        raise ValueError(f"there is no API {name}{_near(name, _APIS)}")
    how: dict[str, Any] = {}
    for argument in arguments:
        key, equals, text = argument.partition("=")
        if key not in _ARGUMENTS:
            raise ValueError(f"there is no argument {key}{_near(key, _ARGUMENTS)}")
        if key in how:
            raise ValueError(f"{key} is given twice")
        read = _ARGUMENTS[key]
        if bool(equals) is (read is None):
            raise ValueError(f"{key} {'takes no value' if read is None else 'needs a value'}")
        how[key] = True if read is None else _value(key, read, text)
    return make(_APIS.get(name), how)


def _value(key: str, read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except ValueError:
        raise ValueError(f"{key}={text} is not a number") from None


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f": did you mean {near[0]}?" if near else ""

"""Parses a JSON document with the standard library's ``json``, made as strict as RFC 8259 and orjson.

This module defines which bytes are JSON, and describes what is wrong with others. Numbers stay text; objects keep all
pairs in order, since a map can have the same name twice.
"""

from __future__ import annotations

import json
import re
from typing import Any

from kafka_nextgen.lazy_patterns import lazy_pattern
from kafka_nextgen.values.json.program import MOST_JSON_DEPTH

__all__ = ["NotJsonError", "Number", "Pairs", "document_of"]

_STRING = lazy_pattern(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)


class NotJsonError(ValueError):
    """The bytes are not a single JSON document."""


class Number(str):
    """A number, as its text."""

    __slots__ = ()


class Pairs(list[Any]):
    """The names and values of an object."""

    __slots__ = ()


def _refuse(name: str) -> None:
    raise NotJsonError(f"not JSON: {name} is not a JSON number")


_DECODER = json.JSONDecoder(
    parse_int=Number, parse_float=Number, parse_constant=_refuse, object_pairs_hook=Pairs, strict=True
)


def document_of(data: bytes) -> Any:
    """Return the document. Raises NotJsonError if the bytes are not JSON."""
    try:
        text = data.decode()
        _check_depth(data, text)
        found = _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise NotJsonError(f"not JSON: not UTF-8 (at byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise NotJsonError(f"not JSON: {error.msg} (at byte {len(text[: error.pos].encode())})") from None
    except RecursionError:
        raise NotJsonError("not JSON, or nested too deeply for the remaining stack") from None
    if "\\u" in text:
        _check_surrogates(found)
    return found


def _check_depth(data: bytes, text: str) -> None:
    if data.count(b"[") + data.count(b"{") <= MOST_JSON_DEPTH:
        return
    depth = 0
    for letter in re.findall(r"[\[\]{}]", _STRING.sub("", text)):
        depth += 1 if letter in "[{" else -1
        if depth > MOST_JSON_DEPTH:
            raise NotJsonError(f"not JSON, or nested deeper than {MOST_JSON_DEPTH} levels")


def _check_surrogates(value: Any) -> None:
    """Refuse strings with a surrogate that is not part of a pair: UTF-8 can't encode it."""
    left = [value]
    while left:
        each = left.pop()
        if isinstance(each, Pairs):
            left.extend(part for pair in each for part in pair)
        elif isinstance(each, list):
            left.extend(each)
        elif isinstance(each, str):
            try:
                each.encode()
            except UnicodeEncodeError:
                raise NotJsonError("not JSON: a string contains an unpaired surrogate") from None

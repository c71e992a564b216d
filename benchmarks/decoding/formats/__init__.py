"""The formats: for each, the values that are written, our decoder of them, and the usual ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

import pyarrow as pa

from kafka_nextgen.values import ValueFormat

__all__ = ["FORMATS", "SHAPES", "FormatModule", "ToTable", "format_module"]

FORMATS = ("avro", "json", "protobuf")

#: The shapes of values, and by how much fewer records each is read than ``flat``.
SHAPES: Mapping[str, int] = {"flat": 1, "wide": 10, "nested": 2}

#: Makes a table of the values of some records.
ToTable = Callable[[Sequence[bytes]], pa.Table]


class FormatModule(Protocol):
    """What each module here has."""

    USUAL: Mapping[str, Callable[[str], ToTable]]
    """The usual decoders, made for a shape."""

    def values(self, shape: str) -> Iterator[bytes]:
        """Different values without end, the same each time."""
        ...

    def ours(self, shape: str) -> ValueFormat:
        """What ``to_arrow(value=...)`` takes."""
        ...


def format_module(name: str) -> FormatModule:
    """The module of a format; each process imports only its own."""
    return cast("FormatModule", import_module(f"benchmarks.decoding.formats.{name}"))

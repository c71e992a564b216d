"""How a configuration key is declared: an attribute that says how its value is read and what it does."""

from __future__ import annotations

from typing import TypeVar, cast

import attrs

from kafka_nextgen.properties import Kind

__all__ = ["config_key"]

T = TypeVar("T")
D = TypeVar("D")


def config_key(kind: Kind[T], default: D, doc: str) -> T | D:
    """An attribute that is a key: Kafka's name of it is the attribute's, with dots."""
    return cast("T | D", attrs.field(default=default, metadata={"kind": kind, "doc": doc}))

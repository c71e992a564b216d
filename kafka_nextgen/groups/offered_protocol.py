"""A protocol that a classic member offers."""

from __future__ import annotations

from kafka_nextgen.lazy_attrs import frozen

__all__ = ["OfferedProtocol"]


@frozen
class OfferedProtocol:
    """A protocol that a member supports, and its metadata for the leader."""

    name: str
    metadata: bytes = b""

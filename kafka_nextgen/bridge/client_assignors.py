"""What members and assignors tell each other, wherever messages and records carry it: the assignors that a member can
run, and metadata, of which only assignors know what it means.

Metadata that is missing is null; empty metadata is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata

__all__ = ["assignors_from", "assignors_to", "metadata_from", "metadata_to"]

S = TypeVar("S")


class _Assignor(Protocol):
    """An assignor's structure, the same in all messages."""

    @property
    def name(self) -> str: ...
    @property
    def minimum_version(self) -> int: ...
    @property
    def maximum_version(self) -> int: ...
    @property
    def reason(self) -> int: ...
    @property
    def metadata_version(self) -> int: ...
    @property
    def metadata_bytes(self) -> bytes: ...


def assignors_from(structures: Iterable[_Assignor]) -> tuple[ClientAssignor, ...]:
    """Read the assignors of a member, preferred first."""
    return tuple(
        ClientAssignor(
            name=each.name,
            minimum_version=each.minimum_version,
            maximum_version=each.maximum_version,
            reason=each.reason,
            metadata=Metadata(each.metadata_version, bytes(each.metadata_bytes)),
        )
        for each in structures
    )


def assignors_to(assignors: Iterable[ClientAssignor], structure: Callable[..., S]) -> list[S]:
    """Write the assignors of a member as structures of a message."""
    return [
        structure(
            name=each.name,
            minimum_version=each.minimum_version,
            maximum_version=each.maximum_version,
            reason=each.reason,
            metadata_version=each.metadata.version,
            metadata_bytes=each.metadata.payload,
        )
        for each in assignors
    ]


def metadata_from(version: int, payload: bytes | None) -> Metadata | None:
    """Read metadata that may be missing."""
    return None if payload is None else Metadata(version, bytes(payload))


def metadata_to(metadata: Metadata | None) -> tuple[int, bytes | None]:
    """Write metadata that may be missing, as its version and its bytes."""
    return (0, None) if metadata is None else (metadata.version, metadata.payload)

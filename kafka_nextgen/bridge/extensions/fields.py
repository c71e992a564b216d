"""What extensions add to messages and records, wherever it is carried.

* The assignors that a member can run, and metadata, of which only assignors know what it means. Metadata that is
  missing is null; empty metadata is there.
* Who is expected in a group.
* The reasons of joins and rebalances by their numbers. One of a later release is none that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol, TypeVar

from kafka_nextgen.assignors.spec import ClientAssignor, Metadata
from kafka_nextgen.types import JoinReason, RebalanceReason

if TYPE_CHECKING:  # the broker's half is imported where it is used: a consumer has no use for it
    from kafka_nextgen.coordinator.hooks import ExpectedInstance

__all__ = [
    "assignors_from",
    "assignors_to",
    "expected_from",
    "expected_to",
    "join_reason",
    "metadata_from",
    "metadata_to",
    "rebalance_reason",
]

S = TypeVar("S")

_JOIN = {reason.value: reason for reason in JoinReason}
_REBALANCE = {reason.value: reason for reason in RebalanceReason}


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


class _Expected(Protocol):
    @property
    def instance_id(self) -> str: ...
    @property
    def has_joined(self) -> bool: ...
    @property
    def expected_until(self) -> int: ...


def expected_from(structures: Iterable[_Expected]) -> tuple[ExpectedInstance, ...]:
    """Read who is expected."""
    from kafka_nextgen.coordinator.hooks import ExpectedInstance

    return tuple(ExpectedInstance(each.instance_id, each.expected_until, each.has_joined) for each in structures)


def expected_to(expected: Iterable[ExpectedInstance], structure: Callable[..., S]) -> list[S]:
    """Write who is expected as structures of a message."""
    return [
        structure(instance_id=each.instance_id, has_joined=each.has_joined, expected_until=each.until_ms)
        for each in expected
    ]


def join_reason(number: int) -> JoinReason:
    """What a member states by this number."""
    return _JOIN.get(number, JoinReason.UNKNOWN)


def rebalance_reason(number: int) -> RebalanceReason:
    """What a rebalance is recorded to have begun with by this number."""
    return _REBALANCE.get(number, RebalanceReason.UNKNOWN)

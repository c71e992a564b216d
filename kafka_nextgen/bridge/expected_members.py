"""Who is expected in a group, an extension, as the answers of both kinds of describing have it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from kafka_nextgen.coordinator.hooks import ExpectedInstance

__all__ = ["expected_from", "expected_to"]

S = TypeVar("S")


class _Expected(Protocol):
    @property
    def instance_id(self) -> str: ...
    @property
    def has_joined(self) -> bool: ...
    @property
    def expected_until(self) -> int: ...


def expected_from(structures: Iterable[_Expected]) -> tuple[ExpectedInstance, ...]:
    """Read who is expected."""
    return tuple(ExpectedInstance(each.instance_id, each.expected_until, each.has_joined) for each in structures)


def expected_to(expected: Iterable[ExpectedInstance], structure: Callable[..., S]) -> list[S]:
    """Write who is expected as structures of a message."""
    return [
        structure(instance_id=each.instance_id, has_joined=each.has_joined, expected_until=each.until_ms)
        for each in expected
    ]

"""What became of each of several things that were asked for at once.

One group whose coordinator is away must not hide what is known of the others, so a call about several of them returns
one of these instead of raising the first error.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Generic, TypeVar

from attrs import frozen

from kafka_nextgen.errors import KafkaNextgenError

__all__ = ["Results"]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@frozen
class Results(Generic[K, V]):
    """``done`` has what succeeded, ``failed`` the errors of the rest; ``results[key]`` gives or raises its own."""

    done: Mapping[K, V]
    failed: Mapping[K, KafkaNextgenError]

    def __getitem__(self, key: K) -> V:
        """What there is for ``key``. Raises its error, or KeyError if nobody asked for it."""
        if key in self.failed:
            raise self.failed[key]
        return self.done[key]

    def __iter__(self) -> Iterator[K]:
        yield from self.done
        yield from self.failed

    def __len__(self) -> int:
        return len(self.done) + len(self.failed)

    def all(self) -> Mapping[K, V]:
        """What there is for every key. Raises the first error if there is any."""
        for error in self.failed.values():
            raise error
        return self.done

"""The offsets of a consumer's group, as an interface for the rest of the engine.

``client``, which commits and looks up offsets, and its machine are imported only for a consumer with a group.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.membership.offsets.events import OffsetEvent

__all__ = ["MEMBERSHIP_LOST", "Found", "GroupOffsets", "Offsets"]

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
Found = Mapping[TopicPartition, OffsetAndMetadata | None]

#: Error codes of a commit which mean that the member is out of its group and its partitions are lost.
MEMBERSHIP_LOST = frozenset(
    name_of(code) for code in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION, ErrorCode.FENCED_MEMBER_EPOCH)
)


class GroupOffsets:
    """The offsets of a consumer without a group: commits and lookups raise MisuseError.

    ``OffsetClient`` overrides every method. All run on the I/O thread; times are in seconds.
    """

    #: Called with the code and epoch of a refused commit if the code concerns the membership.
    on_refusal: Callable[[int, int], None] | None = None

    async def commit(self, offsets: Offsets, timeout_s: float, lost: frozenset[TopicPartition] = frozenset()) -> None:
        """Commit for the application; fails if it should have covered partitions that were ``lost``."""
        raise _no_group()

    async def commit_before_revoking(self, timeout_s: float) -> None:
        """Commit the processed offsets of the whole assignment before part of it is given up."""
        raise _no_group()

    async def committed(self, partitions: Collection[TopicPartition], timeout_s: float) -> Found:
        """Return the committed offsets, None for a partition without one; unknown partitions are left out."""
        raise _no_group()

    def assigned(self, partitions: Collection[TopicPartition], added: Collection[TopicPartition]) -> None:
        """Note that the member now owns exactly ``partitions``; those ``added`` are new."""

    def stopped(self, partitions: frozenset[TopicPartition]) -> None:
        """Note that no more records of these partitions are handed over."""

    def sought(self, partitions: frozenset[TopicPartition]) -> None:
        """Note that the application has called ``seek`` for these partitions."""

    def feed(self, event: OffsetEvent) -> None:
        """Feed an event to the machine."""

    def stop(self) -> None:
        """Stop the timer."""


def _no_group() -> MisuseError:
    return MisuseError("offsets are committed per group: set group.id")

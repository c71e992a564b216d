"""Offsets of a consumer's group, as the other parts of the engine use them.

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

#: Reasons for a refused commit which say that the member is out of its group and its partitions are lost.
MEMBERSHIP_LOST = frozenset(
    name_of(code) for code in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION, ErrorCode.FENCED_MEMBER_EPOCH)
)


class GroupOffsets:
    """The offsets of a consumer without a group: there is nothing to commit and nothing committed (MisuseError).

    ``OffsetClient`` overrides every method. All run on the I/O thread; times are in seconds.
    """

    #: Called for a refused commit that says something about the member: the code, and the epoch it was made in.
    on_refusal: Callable[[int, int], None] | None = None

    async def commit(self, offsets: Offsets, timeout_s: float, lost: frozenset[TopicPartition] = frozenset()) -> None:
        """Commit for the application; it is refused for partitions ``lost`` that it should have covered."""
        raise _no_group()

    async def commit_before_revoking(self, timeout_s: float) -> None:
        """Commit what was processed of the whole assignment, part of which is about to be given up."""
        raise _no_group()

    async def committed(self, partitions: Collection[TopicPartition], timeout_s: float) -> Found:
        """The committed offsets, None where there is none; without those that are unknown just now."""
        raise _no_group()

    def assigned(self, partitions: Collection[TopicPartition], added: Collection[TopicPartition]) -> None:
        """These partitions are all that is owned now; those ``added`` are new."""

    def stopped(self, partitions: frozenset[TopicPartition]) -> None:
        """No record of these partitions is handed over any more."""

    def sought(self, partitions: frozenset[TopicPartition]) -> None:
        """The application has sought in these partitions."""

    def feed(self, event: OffsetEvent) -> None:
        """Tell the machine what happened."""

    def stop(self) -> None:
        """Do nothing more by time."""


def _no_group() -> MisuseError:
    return MisuseError("offsets are committed for a group: set group.id")

"""The offsets of a consumer's group, as the other parts of the engine know them; a consumer without a group has none.

What commits and looks up offsets (``client``, and the machine it drives) is imported for a consumer with a group only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NoReturn, Protocol

from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.errors import MisuseError
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.membership.offsets.events import OffsetEvent

__all__ = ["MEMBERSHIP_LOST", "Found", "GroupOffsets", "NoGroupOffsets", "Offsets"]

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
Found = Mapping[TopicPartition, OffsetAndMetadata | None]

#: Reasons of a commit that say that the member is out of its group, and its partitions are lost.
MEMBERSHIP_LOST = frozenset(
    name_of(code) for code in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION, ErrorCode.FENCED_MEMBER_EPOCH)
)


class GroupOffsets(Protocol):
    """Commits and looks up committed offsets. Everything runs on the I/O thread; times are in seconds."""

    #: Hears of a refused commit that says something of the member: the code, and the epoch it was made in.
    on_refusal: Callable[[int, int], None] | None

    async def commit(self, offsets: Offsets, timeout_s: float, lost: frozenset[TopicPartition] = frozenset()) -> None:
        """Commit for the application; it is refused for partitions ``lost`` that it should have covered."""

    async def commit_before_revoking(self, timeout_s: float) -> None:
        """Commit what was processed of the whole assignment, part of which is about to be given up."""

    async def committed(self, partitions: Collection[TopicPartition], timeout_s: float) -> Found:
        """The committed offsets, None where there is none; without those that are unknown just now."""

    def assigned(self, partitions: Collection[TopicPartition], added: Collection[TopicPartition]) -> None:
        """These partitions are all that is owned now; those ``added`` are new."""

    def stopped(self, partitions: frozenset[TopicPartition]) -> None:
        """Nothing of these partitions is handed out any more."""

    def sought(self, partitions: frozenset[TopicPartition]) -> None:
        """The application goes on elsewhere in these partitions."""

    def feed(self, event: OffsetEvent) -> None:
        """Hear what happened to the member."""

    def stop(self) -> None:
        """Do nothing by time any more."""


class NoGroupOffsets:
    """What there is without a group.id: nothing to commit, and nothing committed. Every question is a MisuseError."""

    on_refusal: Callable[[int, int], None] | None = None

    async def commit(self, offsets: Offsets, timeout_s: float, lost: frozenset[TopicPartition] = frozenset()) -> None:
        """Refuse to."""
        _refuse()

    async def commit_before_revoking(self, timeout_s: float) -> None:
        """Refuse to."""
        _refuse()

    async def committed(self, partitions: Collection[TopicPartition], timeout_s: float) -> Found:
        """Refuse to."""
        _refuse()

    def assigned(self, partitions: Collection[TopicPartition], added: Collection[TopicPartition]) -> None:
        """Nothing depends on it."""

    def stopped(self, partitions: frozenset[TopicPartition]) -> None:
        """Nothing depends on it."""

    def sought(self, partitions: frozenset[TopicPartition]) -> None:
        """Nothing depends on it."""

    def feed(self, event: OffsetEvent) -> None:
        """There is no member."""

    def stop(self) -> None:
        """Nothing is done by time."""


def _refuse() -> NoReturn:
    raise MisuseError("offsets are kept by group: set group.id")

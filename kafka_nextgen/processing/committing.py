"""Commits finished offsets periodically during the run, one commit at a time.

Each commit covers every partition, including offsets that are already committed and the position of a partition without
any records so far. The reason is offset retention: if the group has no members, as with a manual assignment, it starts
at an offset's last commit.

If a commit ends with CommitFailedError or a transport error, the next commit covers its offsets. Any other error ends
the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeAlias

from kafka_nextgen.errors import CommitFailedError, TransportError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition, format_partitions

if TYPE_CHECKING:
    from kafka_nextgen.processing.progress import Progress

__all__ = ["Committer", "PendingCommit"]

logger = logger_of("kafka_nextgen.processing")


#: A commit of ``Consumer`` or of ``AsyncConsumer``.
PendingCommit: TypeAlias = Future[None] | asyncio.Future[None]


class Committer:
    """Starts a commit with ``begin`` every ``interval_s`` seconds.

    ``positions`` returns the position of each partition that is not being revoked.
    """

    def __init__(
        self,
        begin: Callable[[dict[TopicPartition, OffsetAndMetadata]], PendingCommit],
        positions: Callable[[], Mapping[TopicPartition, OffsetAndMetadata]],
        interval_s: float,
    ) -> None:
        self._begin = begin
        self._positions = positions
        self._interval_s = interval_s
        self._due: float | None = None
        self._offsets: dict[TopicPartition, OffsetAndMetadata] = {}
        self.pending: PendingCommit | None = None

    def commit_if_due(self, progress: Progress, now: float) -> None:
        """Start a commit if it is due at ``now`` (seconds, monotonic). Raises the final error of the last one."""
        self.settle()
        if self._due is None:
            self._due = now + self._interval_s
        if self.pending is not None or now < self._due:
            return
        self._due = now + self._interval_s
        untouched = {tp: at for tp, at in self._positions().items() if tp not in progress.partitions}
        self._offsets = {**untouched, **progress.committable(progress.partitions)}
        if self._offsets:
            self.pending = self._begin(self._offsets)

    def settle(self) -> None:
        """Process the result of the last commit, if it has completed."""
        if self.pending is None or not self.pending.done():
            return
        ended, self.pending = self.pending, None
        if ended.cancelled():
            return
        error = ended.exception()
        if isinstance(error, CommitFailedError | TransportError):
            logger.warning("%s not committed yet: %s", format_partitions(self._offsets), error)
        elif error is not None:
            raise error

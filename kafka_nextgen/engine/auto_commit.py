"""Auto-commit: what the application has processed is committed on an interval, and before it is given up.

Only what was handed over before the last poll counts as processed. One such commit is under way at a time: the one
before giving partitions up takes the place of one on the interval, which must not be repeated when their offsets
are somebody else's business. Nothing is committed for partitions that were lost.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from kafka_nextgen.engine.identity import Identity
from kafka_nextgen.engine.locked_fetches import LockedFetches
from kafka_nextgen.engine.offsets import OffsetClient
from kafka_nextgen.errors import KafkaNextgenError
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

__all__ = ["AutoCommit"]

logger = logging.getLogger("kafka_nextgen.engine")


class AutoCommit:
    """Commits for an application that does not."""

    def __init__(self, offsets: OffsetClient, fetches: LockedFetches, identity: Identity) -> None:
        self._offsets = offsets
        self._fetches = fetches
        self._identity = identity
        self._committed: Mapping[TopicPartition, OffsetAndMetadata] = {}
        self._under_way: asyncio.Task[None] | None = None

    async def run(self, interval_s: float) -> None:
        """Commit every ``interval_s`` seconds, for ever."""
        while True:
            await asyncio.sleep(interval_s)
            offsets = self._fetches.consumed_offsets()
            if offsets and offsets != self._committed and self._identity.may_commit:
                self._under_way = asyncio.ensure_future(self._commit(offsets, interval_s))
                await asyncio.wait([self._under_way])

    async def _commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], timeout_s: float) -> None:
        try:
            await self._offsets.commit(offsets, timeout_s)
            self._committed = offsets
        except KafkaNextgenError as error:
            logger.warning("group %s: auto-commit: %s; tried again later", self._identity.group_id, error)

    async def before_giving_up(self, timeout_s: float) -> None:
        """Commit what was processed of the whole assignment; raises what kept it from that."""
        if self._under_way is not None:
            self._under_way.cancel()
        await self._offsets.commit_before_revoking(self._fetches.consumed_offsets(), timeout_s)

"""Commit the end of the last finished batch of a streaming query to the group of ``groupId``, for lag tools.

The checkpoint decides where a query continues. The group follows it and is never ahead:

- Spark passes the end of the last finished batch to ``latestOffset`` just after that batch, also in idle and in
  AvailableNow runs. It is committed there. ``commit(end)`` is called a batch later, and not for the last batch.
- The driver is not a member of the group. A coordinator accepts its commits only if the group has no members. If the
  first commit of a run is refused for that reason, another application uses the group, and the query ends with
  ``GroupNotEmptyError``.
- Offsets are committed again every hour: brokers delete those of a group without members after
  ``offsets.retention.minutes``, and an idle query would otherwise disappear from the tools.
- Queries may share a group if they read different partitions. If two runs commit the same partition, only the run that
  began later continues: the metadata of each commit has the time at which its run began, and the earlier run reads that
  before its next commit. It logs an error and stops committing. The offsets of two queries are therefore never mixed,
  and a run does not interfere with its replacement after a restart.
- Other failures are logged and retried later. They don't end the query or delay it by more than a few seconds.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from kafka_nextgen import clocks
from kafka_nextgen.errors import GroupNotEmptyError, GroupNotFoundError, KafkaNextgenError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.spark.options import SourceOptions
from kafka_nextgen.spark.values import PartitionOffsets
from kafka_nextgen.transport.retrying import Backoff
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.admin import GroupAdmin

__all__ = ["Progress"]

logger = logger_of(__name__)

_TIMEOUT_S = 5.0
_PAUSES = Backoff(first_s=2.0, longest_s=60.0)
_NO_JITTER = 0.5  # there is only one committer for each group
_COMMITTED_AGAIN_S = 3600.0
#: The prefix of the metadata of a run's commits. The start time of the run follows, with a fixed number of digits.
_MARK = "kafka_nextgen on Spark, run "


class Progress:
    """Commits the progress of one run of a query to its group, if it has one."""

    def __init__(
        self, options: SourceOptions, clock: Callable[[], float] = clocks.monotonic, run: str | None = None
    ) -> None:
        self._options = options
        self._clock = clock
        self._metadata = _MARK + (run or f"{clocks.time_ns() // 1_000_000:013d} {uuid.uuid4().hex[:8]}")
        self._gave_way = False
        self._committed: PartitionOffsets | None = None
        self._failures = 0
        self._retry_at_s = 0.0
        self._fresh_until = 0.0

    @cached_property
    def _admin(self) -> GroupAdmin:
        from kafka_nextgen.admin import GroupAdmin  # slow to import, and most queries have no group

        return GroupAdmin(self._options.kafka.consumer_config())

    def show(self, offsets: PartitionOffsets) -> None:
        """Commit the end of the last finished batch, if there is a group and the offsets are new.

        Raises ``GroupNotEmptyError`` if the group has members and this run has committed nothing yet.
        """
        now_s = self._clock()
        is_shown = offsets == self._committed and now_s < self._fresh_until
        is_later = now_s < self._retry_at_s or self._gave_way
        if self._options.group_id is None or not offsets or is_shown or is_later:
            return
        try:
            taken = self._taken_by_a_younger_run(self._options.group_id, offsets)
            self._give_way(taken) if taken else self.commit(offsets)
        except KafkaNextgenError as error:
            if isinstance(error, GroupNotEmptyError) and self._committed is None:
                raise
            self._note_failure(error)

    def commit(self, offsets: PartitionOffsets) -> None:
        """Commit these offsets. Raises the error of ``GroupAdmin.alter_offsets`` for one of them."""
        assert self._options.group_id is not None, "there is a group"
        places = {tp: OffsetAndMetadata(offset, metadata=self._metadata) for tp, offset in offsets.items()}
        results = self._admin.alter_offsets(self._options.group_id, places, _TIMEOUT_S)
        for error in results.failed.values():
            if not isinstance(error, GroupNotEmptyError):
                raise error
            raise GroupNotEmptyError(
                f'group "{self._options.group_id}" is in use: it has members, so the progress of this query can\'t be '
                "committed to it. Stop them, or choose another groupId",
                code=error.code,
                group=self._options.group_id,
            )
        self._committed, self._failures, self._retry_at_s = dict(offsets), 0, 0.0
        self._fresh_until = self._clock() + _COMMITTED_AGAIN_S

    def close(self) -> None:
        """Close the connections. The next commit opens new ones."""
        admin: GroupAdmin | None = self.__dict__.pop("_admin", None)
        if admin is not None:
            admin.close()

    def _taken_by_a_younger_run(self, group_id: str, offsets: PartitionOffsets) -> TopicPartition | None:
        """Return a partition that a later run has committed; a run that has not committed yet counts as the latest."""
        if self._committed is None:
            return None
        try:
            there = self._admin.offsets(group_id, _TIMEOUT_S)
        except GroupNotFoundError:
            return None
        committed = {tp: there[tp].committed for tp in sorted(offsets) if tp in there}
        marks = {tp: at.metadata for tp, at in committed.items() if at is not None}
        return next((tp for tp, mark in marks.items() if mark.startswith(_MARK) and mark > self._metadata), None)

    def _give_way(self, taken: TopicPartition) -> None:
        self._gave_way = True
        logger.error(
            'group "%s" no longer shows the progress of this query, since another query commits offsets of %s to it. '
            "This query continues; give each query its own groupId",
            self._options.group_id,
            taken,
        )

    def _note_failure(self, error: KafkaNextgenError) -> None:
        self._failures += 1
        pause_s = _PAUSES.delay_s(self._failures, _NO_JITTER)
        self._retry_at_s = self._clock() + pause_s
        logger.warning(
            'the progress of the query was not committed to group "%s", %d times in a row; next attempt in %.0f s: %s',
            self._options.group_id,
            self._failures,
            pause_s,
            error,
        )

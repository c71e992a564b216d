"""The driver's side of a streaming query: where each micro-batch ends, and what its tasks read.

The start of a query must not change when Spark requests it again: twice at the start, and once more if the driver is
restarted before the first batch is finished. The built-in source keeps the start in a file near the checkpoint, whose
path a Python source does not know. If the start may change, an empty first batch therefore puts it into the checkpoint:

===============================================  ===================================================================
``startingOffsets``                              why it does not change
===============================================  ===================================================================
``earliest``, offsets from 0 up                  retention may delete records, but they are lost in any case
``group``                                        it is committed to the group at once, with ``groupFallback`` applied
``latest``, offsets with -1, timestamps          the first batch is empty and ends there
===============================================  ===================================================================

A topic that is deleted and created again during a run has a new id. The checkpoint has no ids, so an empty batch puts
the beginning of the new topic into it, and later runs also read the new topic from there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import TypeAlias

from attrs import evolve, field

from kafka_nextgen import clocks
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.logs import logger_of
from kafka_nextgen.spark.admission import TriggerLimits, admit, check_available_now, rate_limited
from kafka_nextgen.spark.cluster import Cluster
from kafka_nextgen.spark.limits import Edge, GroupOffsets, OffsetLimit, SpecificOffsets
from kafka_nextgen.spark.losses import report_losses
from kafka_nextgen.spark.offsets import EARLIEST, LATEST, offsets_document, read_checkpoint
from kafka_nextgen.spark.options import SourceOptions
from kafka_nextgen.spark.planning import Task, join, plan_stream
from kafka_nextgen.spark.progress import Progress
from kafka_nextgen.spark.resolving import resolve_starting_offsets
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, TopicIds
from kafka_nextgen.types import TopicId, TopicPartition, format_partitions

__all__ = ["Document", "StreamPlanner"]

logger = logger_of(__name__)

#: Offsets as Spark writes them to the checkpoint, by topic and partition.
Document: TypeAlias = dict[str, dict[str, int]]


class StreamPlanner:
    """Plans the micro-batches of one run of a query."""

    def __init__(
        self,
        options: SourceOptions,
        cluster: Cluster,
        progress: Progress,
        clock: Callable[[], float] = clocks.monotonic,
    ) -> None:
        self._options = options
        self._cluster = cluster
        self._progress = progress
        self._clock = clock
        self._initial: PartitionOffsets | None = None
        self._is_start_planned = False
        self._planned = _Planned()
        self._topic_ids: TopicIds = {}
        self._last_admitted_s = -math.inf
        self._is_available_now = False
        self._snapshot: PartitionOffsets | None = None
        self._latest: PartitionOffsets | None = None

    def initial_offset(self) -> Document:
        """Return the start of the query, which never changes."""
        if self._initial is None:
            start, self._topic_ids = self._cluster.retry_unknown_topics(self._start)
            if isinstance(self._options.start, GroupOffsets):
                self._progress.commit(start)
            self._initial = start
        return offsets_document(self._initial)

    def prepare_for_available_now(self) -> None:
        """Read only up to the offsets of the next ``latest_offset``."""
        self._is_available_now, self._snapshot = True, None

    def latest_offset(self, start: Document, limits: TriggerLimits) -> Document:
        """Return where the next micro-batch ends; ``start`` is the end of the last finished one."""
        begin = read_checkpoint(start)
        self._progress.show(begin)
        if self._is_first(begin):
            return start
        if begin == self._planned.end:
            self._topic_ids = self._planned.topic_ids
        self._planned = self._cluster.retry_unknown_topics(lambda: self._next(begin, limits))
        return offsets_document(self._planned.end or {})

    def reported_latest(self) -> Document | None:
        """Return the latest offsets, if known, for the progress that Spark reports."""
        return None if self._latest is None else offsets_document(self._latest)

    def plan(self, start: Document, end: Document) -> tuple[Task, ...]:
        """Return the tasks of a micro-batch. Raises ``DataLossError`` or ``AvailableNowError``."""
        begin: PartitionOffsets = read_checkpoint(start)
        until = read_checkpoint(end)
        is_planned = until == self._planned.end
        if begin == self._initial and not is_planned:
            begin = self._start_of_repeated(begin, until)
        planned_ids = self._planned.topic_ids if is_planned else None
        offsets = self._cluster.retry_unknown_topics(lambda: self._offsets(until, planned_ids))
        if is_planned and self._snapshot is not None:
            check_available_now(self._snapshot, until, offsets.latest)
        plan = plan_stream(begin, until, offsets, self._options.split_options)
        report_losses(plan.losses, fail_on_data_loss=self._options.fail_on_data_loss)
        return join(plan.ranges, self._options.split_options)

    def close(self) -> None:
        """Close the connections."""
        try:
            self._progress.close()
        finally:
            self._cluster.close()

    def _next(self, begin: PartitionOffsets, limits: TriggerLimits) -> _Planned:
        topic_ids = self._cluster.partitions(begin)
        recreated = self._recreated(begin, topic_ids)
        known = {tp: offset for tp, offset in begin.items() if tp not in recreated}
        self._latest = self._cluster.latest(topic_ids.keys(), known)
        return _Planned(self._admitted(begin, limits, recreated), topic_ids)

    def _offsets(self, until: PartitionOffsets, planned_ids: TopicIds | None) -> ClusterOffsets:
        """Return the offsets of the existing partitions of a batch, and the ``planned_ids`` of its topics, if known.

        A missing topic may be created again before a task reads it, so the task gets the planned id.
        """
        existing = self._cluster.partitions(until)
        offsets = self._cluster.offsets({tp: existing[tp] for tp in until if tp in existing}, until)
        return evolve(offsets, topic_ids=existing if planned_ids is None else planned_ids)

    def _recreated(self, begin: PartitionOffsets, topic_ids: TopicIds) -> frozenset[TopicPartition]:
        recreated = frozenset(tp for tp in begin if _differs(self._topic_ids.get(tp), topic_ids.get(tp)))
        if recreated:
            logger.warning("%s: the topic was created again; reading starts again", format_partitions(recreated))
        return recreated

    def _is_first(self, begin: PartitionOffsets) -> bool:
        """Return whether the batch is the empty one that puts the start into the checkpoint."""
        is_first = begin == self._initial and _may_change(self._options.start) and not self._is_start_planned
        self._is_start_planned = True
        return is_first

    def _start_of_repeated(self, begin: PartitionOffsets, until: PartitionOffsets) -> PartitionOffsets:
        """Return the start of a first batch that an earlier run planned; offsets may have changed since."""
        moved = {tp for tp in begin if _may_have_changed(self._options.start, tp)}
        return {tp: min(at, until[tp]) if tp in moved else at for tp, at in begin.items() if tp in until}

    def _admitted(
        self, begin: PartitionOffsets, limits: TriggerLimits, recreated: Collection[TopicPartition]
    ) -> PartitionOffsets:
        assert self._latest is not None, "_next has set it"
        earliest = self._cluster.earliest(self._latest.keys())
        if self._is_available_now:
            self._snapshot = self._latest if self._snapshot is None else self._snapshot
            return rate_limited(begin, self._snapshot, earliest, limits.max_offsets, recreated)
        now_s = self._clock()
        since_last_s = now_s - self._last_admitted_s
        end = admit(begin, self._latest, earliest, limits, recreated, since_last_s=since_last_s)
        if end is None:
            return begin
        self._last_admitted_s = now_s
        return end

    def _start(self) -> tuple[PartitionOffsets, TopicIds]:
        limit, topic_ids = self._options.start, self._cluster.partitions()
        found = self._cluster.find_offsets(limit, topic_ids)
        return resolve_starting_offsets(limit, self._cluster.offsets(topic_ids), found), topic_ids


@frozen
class _Planned:
    """The end of the last planned micro-batch, and the topic ids at that time."""

    end: PartitionOffsets | None = None
    topic_ids: TopicIds = field(factory=dict)


def _may_change(limit: OffsetLimit) -> bool:
    if isinstance(limit, SpecificOffsets):
        return limit.has(LATEST)
    return limit is not Edge.EARLIEST and not isinstance(limit, GroupOffsets)


def _may_have_changed(limit: OffsetLimit, tp: TopicPartition) -> bool:
    if isinstance(limit, SpecificOffsets):
        return limit.of([tp])[tp] in (EARLIEST, LATEST)
    return not isinstance(limit, GroupOffsets)


def _differs(known: TopicId | None, found: TopicId | None) -> bool:
    return known is not None and found is not None and known != found

"""What an answer does to the partition it is about.

A replica that is not the leader is not believed when something is wrong: the leader is asked first (``replicas``).
Trouble is met in order. What a fetch says about an offset that lies behind buffered records must wait for those:
if it would reset the position or be raised, it is forgotten, and asked about again once they are handed over. The
position never moves because of an error; only ``auto.offset.reset`` may move it, where the log has nothing, and not in
a range (``bounds``).
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError, KafkaNextgenError, OffsetOutOfRangeError
from kafka_nextgen.fetching.bounds import Bound
from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.error_actions import ErrorAction, action_for, error_of
from kafka_nextgen.fetching.needs import Fetch
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.types import OffsetAndMetadata
from kafka_nextgen.wire.records import Columns

__all__ = [
    "begin_reset",
    "end_of",
    "note_columns",
    "note_ends",
    "note_error",
    "note_failure",
    "note_fetched",
    "note_no_news",
    "note_trouble",
]


def note_fetched(
    state: PartitionState, result: DecodedPartition, fetch: Fetch, context: FetchContext, now: float
) -> None:
    """Take in what a fetch brought for a partition: records, an error code, or broken records."""
    buffers, settings = context.buffers, context.settings
    if not result.is_failure:
        _note_answer(state, result, fetch, context, now)
    elif state.replica.preferred == fetch.node_id:
        state.replica = state.replica.dropped()
        state.stale = action_for(result.error) is ErrorAction.REFRESH
    elif result.error != ErrorCode.NONE:
        note_error(state, result.error, buffers.has(state.partition), settings, now)
    elif result.corrupt is not None:
        note_trouble(state, result.corrupt, buffers.has(state.partition), settings, now)


def _note_answer(
    state: PartitionState, result: DecodedPartition, fetch: Fetch, context: FetchContext, now: float
) -> None:
    buffers, settings, columns = context.buffers, context.settings, result.columns
    assert columns is not None
    note_ends(state, result, settings)
    if not result.is_redirect(state.fetch_offset):
        state.silent_since = now
        if state.replica is not LEADER:
            state.replica = state.replica.read_from(fetch.node_id)
        if columns.truncated:
            _note_truncated(state, buffers.has(state.partition), settings, now)
        elif state.bound is None:
            note_columns(state, buffers, columns)
        else:
            _note_bounded(state, state.bound, buffers, columns)
    if result.preferred_replica >= 0:
        _note_preferred(state, result.preferred_replica, fetch, settings, now)


def _note_bounded(state: PartitionState, bound: Bound, buffers: Buffers, columns: Columns) -> None:
    """Take in what lies in front of the end. Nothing may have come for want of a limit that one batch fits in."""
    offset = state.fetch_offset
    note_columns(state, buffers, columns.before(bound.end))
    if state.fetch_offset == offset < state.end_offset:
        bound.widen(offset, state.max_bytes)


def note_no_news(state: PartitionState, node_id: int, now: float) -> None:
    """A node that was asked in a session left the partition out: nothing has come since it last told of it."""
    state.succeeded()
    state.drain_first = False
    state.silent_since = now
    state.replica = state.replica.read_from(node_id)


def _note_preferred(state: PartitionState, node_id: int, fetch: Fetch, settings: FetchSettings, now: float) -> None:
    """Go where the leader sends us, at once; not so fast if that leads nowhere."""
    leader_epoch = fetch.wanted[state.partition].leader_epoch
    state.replica = state.replica.named(node_id, leader_epoch, settings.replica_lease_s, now)
    if state.replica.leads_nowhere:
        note_failure(state, settings, now)


def note_error(state: PartitionState, code: int, behind_buffered: bool, settings: FetchSettings, now: float) -> None:
    """React to an error code about a partition, which concerns what comes after any buffered records."""
    action = action_for(code)
    if action is ErrorAction.RAISE:
        note_trouble(state, error_of(code, state.partition, state.fetch_offset), behind_buffered, settings, now)
    elif action is ErrorAction.RESET and not behind_buffered:
        _leave_the_log(state, settings, now)
    else:
        state.stale = action is ErrorAction.REFRESH
        state.drain_first = action is ErrorAction.RESET
        note_failure(state, settings, now)


def _leave_the_log(state: PartitionState, settings: FetchSettings, now: float) -> None:
    """The position is outside the log: records were deleted before they were read, or the log was cut back."""
    why = f"the log has no offset {state.fetch_offset}"
    if not settings.strict:
        begin_reset(state, settings, now, why)
        return
    error = OffsetOutOfRangeError(
        f"{state.partition}: {why}, and offset.reset.strict forbids to jump over what is gone. Seek to go on.",
        code=ErrorCode.OFFSET_OUT_OF_RANGE,
        partition=state.partition,
    )
    note_trouble(state, error, False, settings, now)


def note_failure(state: PartitionState, settings: FetchSettings, now: float) -> None:
    """Ask again after a pause, which grows from failure to failure."""
    state.back_off_until(now + settings.backoff_s(state.failures))


def begin_reset(state: PartitionState, settings: FetchSettings, now: float, why: str, is_new: bool = False) -> None:
    """Choose a position by ``auto.offset.reset``, or tell the application if that forbids it, or a range does.

    ``auto.offset.reset.new.partitions`` comes first if the partition ``is_new``.
    """
    reset = settings.reset_of(is_new)
    if state.bound is not None:
        consequence = f"the range that ends at {state.bound.end} can't be read. Seek to an offset that is there"
    elif reset is OffsetReset.NONE:
        consequence = "auto.offset.reset is none. Seek to an offset, or allow a reset"
    else:
        state.await_reset(reset, counts_skipped=is_new and settings.counts_skipped)
        return
    error = OffsetOutOfRangeError(
        f"{state.partition}: {why}, and {consequence}.",
        code=ErrorCode.OFFSET_OUT_OF_RANGE,
        partition=state.partition,
    )
    note_trouble(state, error, False, settings, now)


def note_trouble(
    state: PartitionState, error: KafkaNextgenError, behind_buffered: bool, settings: FetchSettings, now: float
) -> None:
    """Keep an error for the application, or come back to it once what is buffered is handed over."""
    if behind_buffered:
        state.drain_first = True
    else:
        state.error = error
    note_failure(state, settings, now)


def note_ends(state: PartitionState, result: DecodedPartition, settings: FetchSettings) -> None:
    """Take in where the log begins, and how far it can be read."""
    state.end_offset = end_of(result, settings)
    state.log_start_offset = result.log_start_offset


def end_of(result: DecodedPartition, settings: FetchSettings) -> int:
    """How far the log can be read."""
    return result.last_stable_offset if settings.read_committed else result.high_watermark


def note_columns(state: PartitionState, buffers: Buffers, columns: Columns) -> None:
    """Take in the sound records of a partition, and go on behind them."""
    state.succeeded()
    state.drain_first = False
    state.fetch_offset = columns.next_offset
    if columns.end_epoch >= 0:
        state.fetch_epoch = columns.end_epoch
    if columns.offsets:
        buffers.add(columns)
    elif not buffers.has(state.partition):  # only control batches, or offsets that compaction emptied
        state.position = OffsetAndMetadata(columns.next_offset, state.fetch_epoch)


def _note_truncated(state: PartitionState, behind_buffered: bool, settings: FetchSettings, now: float) -> None:
    """Ask for more: what came does not hold one whole batch.

    A broker that keeps to KIP-74 never lets this happen. Where the limit can't grow any more it is the broker's
    fault, and said so, rather than asked for ever.
    """
    if state.bound is not None and state.bound.widen(state.fetch_offset, state.max_bytes):
        return
    if state.max_bytes < settings.max_bytes:
        state.max_bytes = min(2 * state.max_bytes, settings.max_bytes)
        return
    error = CorruptRecordError(
        f"{state.partition} can't be read at offset {state.fetch_offset}: its leader sent no whole batch although"
        f" {state.max_bytes} bytes were allowed. Raise fetch.max.bytes, or seek past it.",
        state.partition,
        state.fetch_offset,
    )
    note_trouble(state, error, behind_buffered, settings, now)

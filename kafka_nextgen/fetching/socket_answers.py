"""Applies the answers that the application's thread received itself, while it waited for records.

In a steady state, the I/O thread may lend a node's connection to the application's thread. The compiled
``SteadySocket`` then receives the answers and sends the next requests. It keeps the results in ``taken``, in order,
until they are applied here: before anything reads or changes the fetch state, on whichever thread.

A signal handler may raise anywhere here, or call the consumer, which applies the same results. Therefore the results of
a partition are applied by assignments alone, right after a check that nothing else has applied them; and results that
were applied before an exception are left out when all are applied again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.types import TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.compiled import accelerator
    from kafka_nextgen.fetching.context import FetchContext

__all__ = ["SteadySocket", "apply_taken"]

SteadySocket: TypeAlias = "accelerator.SteadySocket[DecodedPartition]"

#: The results of an answer.
_Results: TypeAlias = "Sequence[DecodedPartition] | None"


def apply_taken(taken: list[_Results], context: FetchContext) -> None:
    """Apply all results that a socket has received so far, and take them out."""
    while taken:
        answers = tuple(taken)
        first, by_partition = answers[0], dict[TopicPartition, list[DecodedPartition]]()
        for result in chain.from_iterable(results or () for results in answers):
            by_partition.setdefault(result.partition, []).append(result)
        for results in by_partition.values():
            _apply(results, first, taken, context)
        count = len(answers)
        if taken and taken[0] is first:
            del taken[:count]


def _apply(results: list[DecodedPartition], first: _Results, taken: list[_Results], context: FetchContext) -> None:
    """Do what ``note_ends`` and ``note_records`` do for results of one partition, unless they have been applied."""
    result, partition = results[-1], results[-1].partition
    state, buffers = context.assigned.by_partition[partition], context.buffers
    begin = state.fetch_offset
    columns = [each.columns for each in results if each.columns is not None and each.columns.next_offset > begin]
    if not columns:
        return
    last = columns[-1]
    end = result.last_stable_offset if context.settings.read_committed else result.high_watermark
    runs, sizes, added, size = buffers.addition(partition, columns)
    added_bytes = sum([each.nbytes for each in columns])
    num_records, num_bytes = sum([len(each.offsets) for each in columns]), sum([each.data_bytes for each in columns])
    context.went_on[partition] = None
    # From here on nothing is called, so no signal handler runs.
    if not taken or taken[0] is not first or state.fetch_offset != begin:
        return
    state.end_offset = end
    state.log_start_offset = result.log_start_offset
    state.fetch_offset = last.next_offset
    if last.end_epoch >= 0:
        state.fetch_epoch = last.end_epoch
    runs[partition] = added
    sizes[partition] = size
    buffers.total_bytes += added_bytes
    context.received_records += num_records
    context.received_bytes += num_bytes

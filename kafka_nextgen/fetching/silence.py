"""How long partitions have been silent: those that should bring records, or at least the news that there are none.

Left out are partitions that are paused, being given up, not yet released, or fetched up to their end. Where records
wait to be taken it is the application that is silent, not the partition.
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.types import TopicPartition

__all__ = ["note_silence", "silence_s"]


def note_silence(states: Iterable[PartitionState], now: float) -> None:
    """Begin to count where records may be expected from now on, and end where they may not."""
    for state in states:
        if not state.may_hand_over or state.is_fetched:
            state.silent_since = None
        elif state.silent_since is None:
            state.silent_since = now


def silence_s(states: Iterable[PartitionState], buffers: Buffers, now: float) -> dict[TopicPartition, float]:
    """For how many seconds each of them has brought no answer to a fetch; 0 where records wait to be taken."""
    active = (state for state in states if state.may_hand_over and state.silent_since is not None)
    return {
        state.partition: 0.0 if buffers.has(state.partition) else now - (state.silent_since or now) for state in active
    }

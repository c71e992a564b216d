"""Plans the requests for positions: committed offsets, offsets by timestamp, and the validation of logs.

A query to the leader shows whether its log still matches the records that were read (KIP-320). A leader that was
elected although it lagged behind lacks some of those records, and soon has different records at the same offsets. The
leader epoch of the record before an offset distinguishes the two logs.

- A position is validated when its leader has a different epoch than at the last validation: after every election, and
  at the start, since a committed offset includes its epoch. The result depends on where that epoch ends in the leader's
  log (``resets``). The partition is not fetched in the meantime. Validation waits until decoding ends; buffered records
  may be handed over.
- The validated offset is the next fetch offset, not the application's position, which is before the buffered records.
- There is no validation if the partition was fetched up to its end (``bounds``), if the epoch before its position is
  unknown, or if its broker lacks the API.
- If the known leader has an earlier epoch than the records read, the metadata is stale and is refreshed first. This is
  done only once, because the epochs of a recreated topic start over.

Each fetch also contains the epoch of the record before its offset, so that a diverging log is noticed even if the
election is not (Fetch, version 12).
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.fetching.needs import NeedCommittedOffset, NeedEpochEnds, NeedOffsetReset
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.resets import question_of
from kafka_nextgen.requests.offset_for_leader_epoch import EpochQuestion
from kafka_nextgen.types import TopicPartition

__all__ = ["check_epoch", "plan_positions"]


def check_epoch(state: PartitionState) -> None:
    """Decide whether the leader makes a validation necessary; not while a request is in flight."""
    leader_epoch = state.leader_epoch
    phase = state.phase
    if phase is Phase.FETCHING and leader_epoch not in (state.checked_epoch, -1) and not state.is_fetched:
        phase = state.phase = Phase.VALIDATING
        state.stale = state.stale or state.next_fetch_epoch > leader_epoch
    if phase is Phase.VALIDATING and state.next_fetch_epoch < 0:
        state.phase = Phase.FETCHING
        state.checked_epoch = leader_epoch


def plan_positions(
    states: Iterable[PartitionState], now: float
) -> list[NeedCommittedOffset | NeedOffsetReset | NeedEpochEnds]:
    """The requests about partitions that can't be fetched yet; they count as in flight from now on."""
    ready = [state for state in states if state.may_ask(now)]
    committed = [state for state in ready if state.phase is Phase.AWAITING_POSITION]
    resets = _by_leader(state for state in ready if state.phase is Phase.AWAITING_RESET)
    unchecked = _by_leader(state for state in ready if state.phase is Phase.VALIDATING and state.ahead is None)
    return [
        *([NeedCommittedOffset(_ask(committed))] if committed else []),
        *[
            NeedOffsetReset(
                node_id,
                questions={state.partition: question_of(state) for state in led},
                leader_epochs={state.partition: state.leader_epoch for state in led},
                fences=_ask(led),
            )
            for node_id, led in resets.items()
        ],
        *[
            NeedEpochEnds(
                node_id,
                questions={state.partition: _epoch_question(state) for state in led},
                fences=_ask(led),
            )
            for node_id, led in unchecked.items()
        ],
    ]


def _by_leader(states: Iterable[PartitionState]) -> dict[int, list[PartitionState]]:
    """The partitions that have a leader, by its node."""
    led: dict[int, list[PartitionState]] = {}
    for state in states:
        if state.leader is not None:
            led.setdefault(state.leader, []).append(state)
    return led


def _ask(states: Iterable[PartitionState]) -> dict[TopicPartition, int]:
    """Note that a request about these partitions is in flight; returns their fences."""
    fences = {}
    for state in states:
        state.asked = True
        fences[state.partition] = state.fence
    return fences


def _epoch_question(state: PartitionState) -> EpochQuestion:
    return EpochQuestion(state.fetch_offset, state.fetch_epoch, state.leader_epoch)

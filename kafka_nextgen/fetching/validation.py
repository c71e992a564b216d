"""When to ask a leader whether its log still is the one that was read (KIP-320).

A leader that was elected although it lagged behind lacks records that were read, and soon has others at their offsets.
An offset alone does not tell them apart. With the leader epoch of what lies in front of it, it does.

- A position is validated when its leader leads at another epoch than the one it was validated at: after every
  election, and at the start, for a committed offset carries its epoch. Where that epoch ends in the leader's log
  decides (``truncation``). Nothing is fetched meanwhile; what is being decoded is waited for, and what is buffered may
  be handed over.
- What is asked about is where fetching goes on, not the application's position, which lies behind what is buffered.
- Nothing is asked about what was fetched up to its end (``bounds``).
- Without an epoch in front of the position there is nothing to ask; nor is there if the broker can't be asked.
- If the leader that is known has an earlier epoch than what was read, the metadata is old, and is refreshed first. This
  is done once only: the epochs of a topic that was deleted and created again start over.

Beside all this each fetch carries the epoch in front of it, so that a log that has gone another way is noticed even if
the election is not (Fetch, version 12).
"""

from __future__ import annotations

from collections.abc import Iterable

from kafka_nextgen.fetching.needs import NeedEpochEnds
from kafka_nextgen.fetching.planner import by_leader
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.requests.offset_for_leader_epoch import EpochQuestion

__all__ = ["check_epoch", "plan_validations"]


def check_epoch(state: PartitionState) -> None:
    """Decide whether the leader makes a validation necessary; not while a question is on its way."""
    leader_epoch = state.leader_epoch
    phase = state.phase
    if phase is Phase.FETCHING and leader_epoch not in (state.checked_epoch, -1) and not state.is_fetched:
        phase = state.phase = Phase.VALIDATING
        state.stale = state.stale or state.next_fetch_epoch > leader_epoch
    if phase is Phase.VALIDATING and state.next_fetch_epoch < 0:
        state.phase = Phase.FETCHING
        state.checked_epoch = leader_epoch


def plan_validations(states: Iterable[PartitionState], now: float) -> list[NeedEpochEnds]:
    """One question per leader for the partitions that are to be validated."""
    waiting = (state for state in states if state.phase is Phase.VALIDATING and state.ahead is None)
    wanted = [state for state in waiting if state.may_ask(now)]
    return [
        NeedEpochEnds(
            node_id,
            questions={state.partition: _question(state) for state in led},
            fences={state.partition: state.fence for state in led},
        )
        for node_id, led in by_leader(wanted).items()
    ]


def _question(state: PartitionState) -> EpochQuestion:
    return EpochQuestion(state.fetch_offset, state.fetch_epoch, state.leader_epoch)

"""What to ask next, and whom.

- Positions first: a partition without one is looked up among the group's committed offsets, or at its leader.
- One fetch at a time is on its way to a node, ahead of the application, also while its last answer is decoded
  (``underway``). It asks for every partition that is to be read from that node (its leader, or the one its leader
  prefers: ``replicas``), is not paused and has not more waiting than its share (an equal part of
  ``fetch.buffer.bytes``). Otherwise it is simply left out; nothing waits for it.
- If one was left out, the broker may wait for new records for a moment only, not for ``fetch.max.wait.ms``: the
  application may hand over what is buffered any time, and the next request must ask for that partition again.
- A node is asked for no more than there is room for, counting what other requests may still bring (``room``). A broker
  sends its first batch whole whatever the limit (KIP-74), so that a small limit delays but never blocks.
- A partition without a leader, whose leader turned out to be another, or whose topic is gone needs metadata first.

Nothing is changed here: the needs are decided, and the state notes what it asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import evolve

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.bridge.fetch import FetchPosition
from kafka_nextgen.fetching.buffers import Buffers
from kafka_nextgen.fetching.outcomes import Fetch, NeedCommittedOffset, NeedMetadata, NeedOffsetReset
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.resets import question_of
from kafka_nextgen.fetching.room import Room
from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.underway import Underway
from kafka_nextgen.types import TopicPartition

__all__ = ["by_leader", "leader_epoch_of", "plan_committed", "plan_fetches", "plan_metadata", "plan_resets"]

#: How long a broker may wait for records while a partition is left out.
SHORT_WAIT_MS = 50


def plan_committed(states: Iterable[PartitionState], now: float) -> list[NeedCommittedOffset]:
    """One look-up for all partitions that need one."""
    fences = {
        state.partition: state.fence
        for state in states
        if state.phase is Phase.AWAITING_POSITION and state.may_ask(now)
    }
    return [NeedCommittedOffset(fences)] if fences else []


def plan_resets(states: Iterable[PartitionState], image: ClusterImage, now: float) -> list[NeedOffsetReset]:
    """One question per leader for the partitions whose position is to be chosen."""
    wanted = [state for state in states if state.phase is Phase.AWAITING_RESET and state.may_ask(now)]
    return [
        NeedOffsetReset(
            node_id,
            questions={state.partition: question_of(state) for state in led},
            leader_epochs={state.partition: leader_epoch_of(image, state.partition) for state in led},
            fences={state.partition: state.fence for state in led},
        )
        for node_id, led in by_leader(wanted, image).items()
    ]


def plan_metadata(states: Iterable[PartitionState], image: ClusterImage) -> list[NeedMetadata]:
    """One refresh for all topics of which a leader is missing or wrong."""
    fences = {
        state.partition: state.fence
        for state in states
        if state.may_need_leader and (state.stale or _lacks_leader(state, image))
    }
    return [NeedMetadata(frozenset(tp.topic for tp in fences), fences)] if fences else []


def plan_fetches(
    states: Collection[PartitionState],
    buffers: Buffers,
    image: ClusterImage,
    underway: Underway,
    room: Room,
    settings: FetchSettings,
    now: float,
) -> list[Fetch]:
    """One fetch per node that has something to fetch and none on its way."""
    fetches: list[Fetch] = []
    free_bytes = room.buffer_bytes - buffers.total_bytes - underway.total_bytes
    active = [state for state in states if state.phase is Phase.FETCHING and state.may_hand_over]
    share_bytes = settings.buffer_bytes // max(len(active), 1)
    wanted = [state for state in active if state.may_ask(now)]
    nodes = len(_by_replica(active, image)) if wanted else 0
    is_empty = not buffers.total_bytes and not underway.is_decoding
    for node_id, there in _by_replica(wanted, image).items():
        asked = [state for state in there if is_empty or _has_room(state, buffers, underway, share_bytes)]
        most_bytes = room.for_fetch(free_bytes, nodes)
        if underway.is_busy(node_id) or not asked or not most_bytes:
            continue
        fetch = _fetch(node_id, asked, len(asked) < len(there), min(most_bytes, settings.max_bytes), image, settings)
        # One request tells one rack for all there is in it.
        tells_rack = all(state.replica.tells_rack(now) for state in asked)
        fetches.append(evolve(fetch, tells_rack=tells_rack, set_aside_bytes=room.taken_by(fetch.max_bytes)))
        free_bytes -= fetches[-1].set_aside_bytes
    return fetches


def _fetch(
    node_id: int,
    asked: Collection[PartitionState],
    some_left_out: bool,
    most_bytes: int,
    image: ClusterImage,
    settings: FetchSettings,
) -> Fetch:
    positions = tuple(
        FetchPosition(
            state.partition,
            state.topic_id,
            state.next_fetch_offset,
            leader_epoch_of(image, state.partition),
            state.max_bytes,
            state.next_fetch_epoch,
        )
        for state in asked
    )
    return Fetch(
        node_id,
        positions,
        max_bytes=min(most_bytes, sum(state.max_bytes for state in asked)),
        max_wait_ms=min(settings.max_wait_ms, SHORT_WAIT_MS) if some_left_out else settings.max_wait_ms,
        fences={state.partition: state.fence for state in asked},
        session=SessionRequest.alone(positions),
    )


def _has_room(state: PartitionState, buffers: Buffers, underway: Underway, share_bytes: int) -> bool:
    waiting_bytes = buffers.bytes_of(state.partition) + underway.bytes_of(state.partition)
    return not waiting_bytes or (not state.drain_first and waiting_bytes < share_bytes)


def by_leader(states: Iterable[PartitionState], image: ClusterImage) -> dict[int, list[PartitionState]]:
    """The partitions that have a leader, by its node."""
    led: dict[int, list[PartitionState]] = {}
    for state in states:
        leader = image.leader_of(state.partition)
        if leader is not None:
            led.setdefault(leader.node_id, []).append(state)
    return led


def _by_replica(states: Iterable[PartitionState], image: ClusterImage) -> dict[int, list[PartitionState]]:
    there: dict[int, list[PartitionState]] = {}
    for leader, led in by_leader(states, image).items():
        for state in led:
            there.setdefault(state.replica.node_id(leader), []).append(state)
    return there


def _lacks_leader(state: PartitionState, image: ClusterImage) -> bool:
    if state.gone:
        return True  # it may have been one broker that had not heard of it yet
    return state.phase is not Phase.AWAITING_POSITION and image.leader_of(state.partition) is None


def leader_epoch_of(image: ClusterImage, partition: TopicPartition) -> int:
    """The epoch at which a partition is led as far as is known, -1 if it is not."""
    found = image.partition(partition)
    return -1 if found is None else found.leader_epoch

"""When fetching is in a steady state, so that the next fetch of a node is known as soon as it answers.

The state is steady as long as each partition is fetched from its leader, in the session of its node, or may not be
handed over at all (paused, being given up); none has failed since its last answer or has an end; nothing is being
decoded or fetched out of session; and nothing has changed what is to be asked. Then the node is asked for the same
again, behind what it brought.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import Factory, define

from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.needs import Fetch
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import TopicPartition

__all__ = ["SteadyState", "find_steady_state"]


@define
class SteadyState:
    """What holds until something changes. ``share_bytes`` is the part of the buffers that each partition may use.

    ``asked`` has, by node, the fences of a fetch that is known to ask for all that is read from there. ``answered_at``
    has the time of each node's last answer, in seconds.
    """

    image: ClusterImage
    settings: FetchSettings
    num_nodes: int
    share_bytes: int
    asked: dict[int, Mapping[TopicPartition, int]] = Factory(dict)
    answered_at: dict[int, float] = Factory(dict)

    def covers(self, fetch: Fetch, assigned: Assigned) -> bool:
        """Whether the fetch asks for all that is read from its node, as it would be planned now."""
        current = assigned.unchanged(fetch.fences)
        if fetch.session.is_full or fetch.max_wait_ms != self.settings.max_wait_ms or len(current) != len(fetch.fences):
            return False
        positions = {tp: state.next_position() for tp, state in current.items()}
        assert positions == fetch.wanted, "what is asked for otherwise is new to its node"
        self.asked[fetch.node_id] = fetch.fences
        return True

    def note_silence(self, assigned: Assigned) -> None:
        """Copy each node's last answer time to its partitions."""
        for node_id, answered_at in self.answered_at.items():
            for state in assigned.unchanged(self.asked[node_id]).values():
                state.silent_since = answered_at


def find_steady_state(
    states: Iterable[PartitionState], image: ClusterImage, settings: FetchSettings
) -> SteadyState | None:
    """The steady state from here on, if it is steady as far as partitions go."""
    if not all(_is_steady(state, image) for state in states):
        return None
    read = [state for state in states if state.asked]
    if not read:
        return None
    num_nodes = len({state.leader for state in read})
    return SteadyState(image, settings, num_nodes, settings.buffer_bytes // len(read))


def _is_steady(state: PartitionState, image: ClusterImage) -> bool:
    is_sound = not (state.failures or state.stale or state.gone or state.drain_first or state.error or state.bound)
    is_in_place = state.image is image and state.leader is not None and state.replica is LEADER
    is_known = state.phase is Phase.FETCHING and state.ahead is None
    is_asked = state.asked and not state.is_new_there
    return is_sound and is_in_place and is_known and (is_asked if state.may_hand_over else not state.asked)

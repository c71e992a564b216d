"""Reading on: the short way from an answer that brings records, and nothing else, to the next fetch.

Where records come one by one a node answers a thousand times a second, and tells each time of a few out of perhaps
thousands of partitions. Taking that in and planning anew looks at all of them. But while all is *routine* the plan is
known: the node is to be asked for the same again, behind what it brought.

It is routine as long as every partition is being fetched from its leader in the session of its node, or may not be
handed over at all (paused, being given up); none has failed of late, or has an end; nothing is being decoded or fetched
aside; and nobody has changed anything since that was planned. Whatever may change that ends the routine, and the next
answer goes the long way (``received``, ``fetched``, ``plan``), after which it may be routine again. So does every
answer that has anything but sound records, and one after which something would be left out for want of room. The long
way says what is right: whatever is done here comes to the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from attrs import Factory, define

from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.decoding import DecodedPartition
from kafka_nextgen.fetching.outcomes import Fetch
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.room import Room
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.types import TopicPartition

__all__ = ["Routine", "find_routine", "records_bytes"]


@define
class Routine:
    """What holds for every answer as long as nobody changes anything; limits are in bytes.

    ``asked`` has, by node, the fences of a fetch that is known to be for all that is read from there, and
    ``most_bytes`` what an answer to it may bring.
    """

    image: ClusterImage
    settings: FetchSettings
    num_nodes: int
    share_bytes: int  # of each partition
    asked: dict[int, Mapping[TopicPartition, int]] = Factory(dict)
    most_bytes: dict[int, int] = Factory(dict)
    answered_at: dict[int, float] = Factory(dict)

    def covers(self, fetch: Fetch, assigned: Assigned) -> bool:
        """Whether the fetch is for what is read from its node, and what it would be planned like now.

        Meanwhile another leader may have been found, or the same one to lead at another epoch.
        """
        if self.asked.get(fetch.node_id) is fetch.fences:  # as it goes from one fetch to the next
            return True
        current = assigned.unchanged(fetch.fences)
        if fetch.max_wait_ms != self.settings.max_wait_ms or len(current) != len(fetch.fences):
            return False
        for tp, state in current.items():
            if state.node_id != fetch.node_id or state.next_position() != fetch.wanted[tp]:
                return False
        self.asked[fetch.node_id] = fetch.fences
        all_bytes = sum(state.max_bytes for state in current.values())
        self.most_bytes[fetch.node_id] = min(self.settings.max_bytes, all_bytes)
        return True

    def most_bytes_after(self, node_id: int, room: Room, free_bytes: int) -> int:
        """How much the next answer of a node may bring, with so much room left, which is enough."""
        return min(max(1, room.for_fetch_at_once(free_bytes, self.num_nodes)), self.most_bytes[node_id])

    def note_silence(self, assigned: Assigned) -> None:
        """Note of each partition what was noted of its node: that it was answered, be it that there is no news."""
        for node_id, answered_at in self.answered_at.items():
            for state in assigned.unchanged(self.asked[node_id]).values():
                state.silent_since = answered_at


def find_routine(states: Iterable[PartitionState], image: ClusterImage, settings: FetchSettings) -> Routine | None:
    """What holds from here on, if it is routine as far as partitions go."""
    if not all(_is_routine(state, image) for state in states):
        return None
    read = [state for state in states if state.asked]
    if not read:
        return None
    num_nodes = len({state.leader for state in read})
    return Routine(image, settings, num_nodes, settings.buffer_bytes // len(read))


def _is_routine(state: PartitionState, image: ClusterImage) -> bool:
    is_sound = not (state.failures or state.stale or state.gone or state.drain_first or state.error or state.bound)
    is_in_place = state.image is image and state.leader is not None and state.replica is LEADER
    is_known = state.phase is Phase.FETCHING and state.ahead is None
    is_asked = state.asked and not state.is_new_there
    return is_sound and is_in_place and is_known and (is_asked if state.may_hand_over else not state.asked)


def records_bytes(results: Sequence[DecodedPartition]) -> int | None:
    """What the records take; None if there is anything in an answer but sound records of each of its partitions."""
    total_bytes = 0
    for result in results:
        columns = result.columns
        if columns is None or result.is_failure or result.preferred_replica >= 0 or not columns.offsets:
            return None
        total_bytes += columns.nbytes
    return total_bytes

"""State shared by the parts of ``FetchState``, and the definition of a steady state.

In a *steady* state the next fetch of a node is known as soon as the node answers: the same partitions again, each after
the records in the answer. The state is steady as long as

- each partition is fetched from its leader, in the session of its node, or may not be handed over at all (it is paused
  or being revoked);
- no partition has an end, or has failed since its last answer;
- nothing is being decoded or fetched out of session;
- nothing else has changed the next requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import Factory, define

from kafka_nextgen.fetching.assigned import Assigned
from kafka_nextgen.fetching.fetch_budget import FetchBudget
from kafka_nextgen.fetching.needs import Fetch, NeedMetadata
from kafka_nextgen.fetching.positions import PartitionState, Phase
from kafka_nextgen.fetching.replicas import LEADER
from kafka_nextgen.fetching.settings import FetchSettings
from kafka_nextgen.fetching.underway import Underway
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.types import TopicPartition

__all__ = ["FetchContext", "MetadataRefresh", "SteadyState", "find_steady_state"]


@define
class SteadyState:
    """Facts that hold until something changes. ``share_bytes`` is each partition's share of the buffers.

    ``asked`` has, by node, the fences of a fetch known to request all partitions read from that node. ``answered_at``
    has the time of each node's last answer, in seconds.
    """

    image: ClusterImage
    settings: FetchSettings
    num_nodes: int
    share_bytes: int
    asked: dict[int, Mapping[TopicPartition, int]] = Factory(dict)
    answered_at: dict[int, float] = Factory(dict)

    def covers(self, fetch: Fetch, assigned: Assigned) -> bool:
        """Whether the fetch requests all partitions read from its node, exactly as a new plan would."""
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
    """A new steady state, or None if the state of some partition rules it out."""
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


class FetchContext:
    """The assigned partitions, the buffered records, and the fetches in flight."""

    def __init__(self, settings: FetchSettings) -> None:
        self.settings = settings
        self.assigned = Assigned(settings.partition_max_bytes)
        self.buffers = self.assigned.buffers
        self.underway = Underway()
        self.budget = FetchBudget(settings.buffer_bytes)
        self.metadata = MetadataRefresh(settings)
        #: The cluster image in which this assignment's topics were last looked up.
        self.searched: ClusterImage | None = None
        #: None if the state is not steady, or if that has not been checked yet.
        self.steady_state: SteadyState | None = None

    def end_steady_state(self) -> None:
        """Called before each change of what is to be asked next."""
        if self.steady_state is not None:
            self.steady_state.note_silence(self.assigned)
            self.steady_state = None

    def note_silence(self) -> None:
        """Bring the partitions' last answer times up to date."""
        if self.steady_state is not None:
            self.steady_state.note_silence(self.assigned)


class MetadataRefresh:
    """Allows one metadata request at a time, with growing pauses while something is missing.

    ``retry_at`` is the earliest time of the next request, on the driver's clock, in seconds.
    """

    def __init__(self, settings: FetchSettings) -> None:
        self.retry_at = 0.0
        self._settings = settings
        self._is_asked = False
        self._rounds = 0  # how many times in a row something was missing

    def may_ask(self, now: float) -> bool:
        """Whether a request is allowed now, if something is missing."""
        return not self._is_asked and self.retry_at <= now

    def ask(self, missing: list[NeedMetadata]) -> list[NeedMetadata]:
        """Note the request as sent if anything is missing."""
        self._is_asked = bool(missing)
        self._rounds = self._rounds + 1 if missing else 0
        return missing

    def answered(self, now: float) -> None:
        """Note that the answer has arrived, or that none will."""
        self._is_asked = False
        self.retry_at = now + self._settings.backoff_s(max(0, self._rounds - 1))

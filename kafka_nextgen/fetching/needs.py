"""Needs: the requests that the driver must send next.

Each need contains the fences of its partitions, and the driver passes the same need back with the answer. A partition
that was stopped, repositioned with ``seek`` or assigned again in the meantime has another fence, and its answer is
dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from kafka_nextgen.fetching.sessions import SessionRequest
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties.offset_reset import ByDuration
from kafka_nextgen.requests.fetch import FetchPosition
from kafka_nextgen.requests.offset_for_leader_epoch import EpochQuestion
from kafka_nextgen.types import TopicId, TopicPartition

__all__ = ["Arrival", "Fetch", "Need", "NeedCommittedOffset", "NeedEpochEnds", "NeedMetadata", "NeedOffsetReset"]


@frozen
class NeedCommittedOffset:
    """Look up the group's committed offsets of these partitions; answer with ``committed_found``."""

    fences: Mapping[TopicPartition, int]

    @property
    def partitions(self) -> tuple[TopicPartition, ...]:
        """The partitions to look up."""
        return tuple(self.fences)


@frozen
class NeedOffsetReset:
    """Ask this node for offsets by timestamp (ListOffsets: -2 the first, -1 the end); answer with ``reset_found``.

    Some timestamps are durations before the time of the request.
    """

    node_id: int
    questions: Mapping[TopicPartition, int | ByDuration]
    leader_epochs: Mapping[TopicPartition, int]
    fences: Mapping[TopicPartition, int]

    def timestamps(self, wall_ms: int) -> dict[TopicPartition, int]:
        """The timestamps to send; ``wall_ms`` is the current time, in milliseconds since the epoch."""
        return {
            tp: max(0, wall_ms - question.duration_ms) if isinstance(question, ByDuration) else question
            for tp, question in self.questions.items()
        }


@frozen
class NeedEpochEnds:
    """Ask this node for the end offsets of the epochs that were read; answer with ``epoch_ends_found`` (KIP-320)."""

    node_id: int
    questions: Mapping[TopicPartition, EpochQuestion]
    fences: Mapping[TopicPartition, int]


@frozen
class NeedMetadata:
    """The metadata of these topics is wrong or missing: refresh it and answer with ``metadata_refreshed``."""

    topics: frozenset[str]
    fences: Mapping[TopicPartition, int]


class Fetch(NamedTuple):
    """Fetch from this node at all ``positions``, with the request of ``session``; answer with ``received``, then
    ``fetched``.

    This is a tuple for speed: there may be a thousand a second. With ``sends_rack`` the node may prefer another replica
    for our rack (KIP-392). ``set_aside_bytes`` is the memory reserved for the answer and its columns. ``asked_at`` is
    on the driver's clock, in seconds. A fetch with ``is_out_of_session`` uses another connection. ``names`` contains
    the topics' names by their ids. With ``has_ends``, at least one partition has an end (``bounds``): then ``received``
    needs the arrivals, and the node must not wait for more than a byte.
    """

    node_id: int
    wanted: Mapping[TopicPartition, FetchPosition]
    max_bytes: int
    max_wait_ms: int
    fences: Mapping[TopicPartition, int]
    session: SessionRequest
    sends_rack: bool = True
    set_aside_bytes: int = 0
    asked_at: float = 0.0
    is_out_of_session: bool = False
    names: Mapping[TopicId, str] = MappingProxyType({})
    has_ends: bool = False

    @property
    def positions(self) -> tuple[FetchPosition, ...]:
        """Where to fetch each partition."""
        return tuple(self.wanted.values())


@frozen
class Arrival:
    """Received records that are not decoded yet: their bytes, where they end, and the leader epoch there.

    ``bytes_per_offset`` is the size of complete batches per offset, ``last_batch_bytes`` the size of the last one.
    """

    end_offset: int
    nbytes: int
    end_epoch: int = -1
    bytes_per_offset: float = 0.0
    last_batch_bytes: int = 0


#: If a need fails as a whole, the answer to it is ``failed``.
Need = NeedCommittedOffset | NeedOffsetReset | NeedEpochEnds | NeedMetadata | Fetch

"""The fetches under way from each node, and the memory that they may take.

A fetch is first *in flight* to its node. After the answer has arrived, its records are *being decoded*. Batch headers
show where the records end, so the next fetch is sent immediately, and node and decoder work in parallel. Answers are
applied in arrival order. If the records do not end where the headers said, later fetches of the partition are ignored.

A partition that is omitted from an answer because it has no updates is finished when the answer arrives.

Fetching takes at most ``fetch.buffer.bytes`` in total:

- Buffered records count as the size of their columns.
- A fetch under way counts as the memory reserved for it: the frame that the node may send plus its columns, since both
  stay in memory until decoding ends.
- The ratio of column bytes to frame bytes is estimated from earlier answers: compressed records expand, and so do small
  ones. An answer that expands more than expected is decoded up to the reserved size; the rest is fetched again.
- All nodes have equal shares. A fetch uses half of its node's share, so that the next fetch can be in flight while the
  answer is decoded. No node waits for another node's long poll.
- A fetch requests at most 24 MiB: larger answers are no faster, and occupy memory that the next one could use.
- Nothing is requested while less than a quarter of a fetch's part is free: many small answers cost more than few large
  ones.
- Records of paused partitions stay buffered. They are dropped, and fetched again later, only if they alone leave no
  room for other partitions.

A node sends the first batch in full regardless of the limit (KIP-74), and a partition whose decoding has started is
decoded to its end. So each fetch may exceed its reserved memory by one batch, and by the columns of all partitions
decoded in parallel. The excess is known only after decoding. Then no more requests are sent until there is room again,
but earlier requests may also exceed their share: two fetches per node (the one being decoded and the next one), and any
out-of-session fetches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from attrs import Factory

from kafka_nextgen.fetching.needs import Arrival, Fetch
from kafka_nextgen.fetching.resting import Resting
from kafka_nextgen.fetching.sessions import FetchSession, SessionAnswer
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.types import TopicPartition

__all__ = ["MOST_ANSWER_BYTES", "FetchBudget", "NodeUnderway", "Underway"]

#: The maximum number of answers from one node being decoded while the next fetch is in flight.
MOST_DECODING = 1

_NOTHING: Mapping[TopicPartition, Arrival] = MappingProxyType({})


class Rest(NamedTuple):
    """The unfinished part of a fetch: the fences of its partitions, and their records being decoded."""

    fetch: Fetch
    fences: Mapping[TopicPartition, int]
    arrivals: Mapping[TopicPartition, Arrival] = _NOTHING


@define(eq=False)
class NodeUnderway:
    """The session with one node, its fetches in flight (at most one in the session and one out of it) or in decoding.

    The node must not get another fetch in the session while one is in flight, or while too many are being decoded.
    """

    session: FetchSession = Factory(FetchSession)
    asked: Fetch | None = None
    out_of_session: Fetch | None = None
    decoding: list[Rest] = Factory(list)
    resting: Resting | None = None


class Underway:
    """The fetches in flight and those being decoded, by node."""

    def __init__(self) -> None:
        self.nodes: defaultdict[int, NodeUnderway] = defaultdict(NodeUnderway)
        #: The bytes reserved for all of these fetches.
        self.reserved_bytes = 0
        #: The bytes of all partitions being decoded.
        self.decoding_bytes = 0

    def ask(self, fetch: Fetch) -> Fetch:
        """Record that the fetch was sent; returns it."""
        node = self.nodes[fetch.node_id]
        if fetch.is_out_of_session:
            node.out_of_session = fetch
        else:
            node.asked = fetch
        self.reserved_bytes += fetch.set_aside_bytes
        return fetch

    def receive(
        self, fetch: Fetch, answer: SessionAnswer, arrivals: Mapping[TopicPartition, Arrival]
    ) -> Mapping[TopicPartition, int]:
        """Note that the answer has arrived, and which of its records are being decoded.

        Returns the fences of the partitions that are done because they have no updates, except for resting ones.
        """
        node, told, fences = self.nodes[fetch.node_id], answer.partitions, fetch.fences
        resting = None if fetch.is_out_of_session else node.resting
        assert fetch is node.asked or fetch is node.out_of_session, "each fetch is answered once"
        leaves_out = node.session.answered(fetch.session, answer) and len(told) < len(fences)
        quiet: dict[TopicPartition, int] = {}
        if leaves_out and resting is not None:
            fences, quiet = resting.answer(told)
        elif leaves_out:
            quiet, fences = dict(fences), dict(fences)
            for tp in told:
                quiet.pop(tp, None)
            for tp in quiet:
                del fences[tp]
        if fetch.is_out_of_session:
            node.out_of_session = None
        else:
            node.asked = None
        node.decoding.append(Rest(fetch, fences, arrivals))
        self.decoding_bytes += sum([arrival.nbytes for arrival in arrivals.values()])
        return quiet

    def end(self, fetch: Fetch) -> Rest:
        """End ``fetch``; returns its unfinished part. May be repeated."""
        node = self.nodes[fetch.node_id]
        for rest in node.decoding:
            if rest.fetch is fetch:
                node.decoding = [other for other in node.decoding if other is not rest]
                self.decoding_bytes -= sum([arrival.nbytes for arrival in rest.arrivals.values()])
                self.reserved_bytes -= fetch.set_aside_bytes
                return rest
        if fetch is node.asked:
            node.asked = None
            node.session.failed(fetch.session)
            self.reserved_bytes -= fetch.set_aside_bytes
        elif fetch is node.out_of_session:
            node.out_of_session = None
            self.reserved_bytes -= fetch.set_aside_bytes
        return Rest(fetch, fetch.fences)

    @property
    def is_plain(self) -> bool:
        """Whether all fetches are in their nodes' sessions, and nothing is being decoded."""
        return not any(node.decoding or node.out_of_session for node in self.nodes.values())

    def replace(self, fetch: Fetch, following: Fetch) -> None:
        """Note that ``fetch`` is answered, and ``following``, with the same number of bytes reserved, is in flight."""
        node = self.nodes[fetch.node_id]
        assert node.asked is fetch
        node.asked = following
        if node.resting is not None:
            node.resting.fetch = following

    @property
    def decoded_partitions(self) -> set[TopicPartition]:
        """The partitions being decoded."""
        return {tp for node in self.nodes.values() for rest in node.decoding for tp in rest.arrivals}

    def bytes_of(self, partition: TopicPartition) -> int:
        """The bytes of a partition being decoded."""
        rests = [rest for node in self.nodes.values() for rest in node.decoding]
        return sum([rest.arrivals[partition].nbytes for rest in rests if partition in rest.arrivals])


MOST_ANSWER_BYTES = 24 * 1024 * 1024

#: How fast the growth estimate decreases after answers that expand less.
_FORGETTING = 1 / 8


@define
class FetchBudget:
    """The total budget, and the recent ratio of column bytes to frame bytes (``growth``)."""

    buffer_bytes: int
    growth: float = 1.25  # until the first answer

    def note(self, fetched_bytes: int, columns_bytes: int) -> None:
        """Update the growth estimate from an answer."""
        if fetched_bytes > 0:
            latest = columns_bytes / fetched_bytes
            self.growth = max(latest, self.growth + (latest - self.growth) * _FORGETTING)

    def for_fetch(self, free_bytes: int, nodes: int) -> int:
        """How many bytes to request from one of ``nodes`` nodes; 0 if it is better to wait."""
        part_bytes = self.buffer_bytes // (2 * nodes)
        if 4 * free_bytes < part_bytes:  # ``least_for``
            return 0
        return min(int(min(part_bytes, free_bytes) / (1 + self.growth)), MOST_ANSWER_BYTES)

    def least_for(self, nodes: int) -> int:
        """How many bytes must be free before one of ``nodes`` nodes is sent a fetch."""
        return -(-(self.buffer_bytes // (2 * nodes)) // 4)

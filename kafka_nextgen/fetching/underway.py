"""Fetches from the request until their records are decoded.

A fetch is first *in flight* to its node. After the answer has arrived, its records are *being decoded*. Batch headers
show where the records end, so the next fetch is sent at once, and node and decoder work in parallel. Answers are
applied in arrival order. If the records do not end where the headers said, later fetches of the partition are ignored.

A partition omitted from an answer, because it has no news, is done when the answer arrives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from attrs import Factory, define

from kafka_nextgen.fetching.needs import Arrival, Fetch
from kafka_nextgen.fetching.sessions import FetchSession, SessionAnswer
from kafka_nextgen.fetching.settings import SHORT_WAIT_MS
from kafka_nextgen.types import TopicPartition

__all__ = ["Underway"]

#: How many answers of one node may be in decoding while the next fetch is in flight.
MOST_DECODING = 1

_NOTHING: Mapping[TopicPartition, Arrival] = MappingProxyType({})


class Rest(NamedTuple):
    """The unfinished part of a fetch: the fences of its partitions, and their records being decoded."""

    fetch: Fetch
    fences: Mapping[TopicPartition, int]
    arrivals: Mapping[TopicPartition, Arrival] = _NOTHING


@define
class Underway:
    """The fetches in flight and those being decoded; each node has one session."""

    _asked: list[Fetch] = Factory(list)
    _decoding: list[Rest] = Factory(list)
    sessions: defaultdict[int, FetchSession] = Factory(lambda: defaultdict(FetchSession))  # by node

    def ask(self, fetch: Fetch) -> Fetch:
        """Note the fetch as sent; returns it with its part in the node's session, unless it is out of session."""
        if not fetch.is_out_of_session:
            fetch = fetch._replace(session=self.sessions[fetch.node_id].ask(fetch.session.told))
        self._asked.append(fetch)
        return fetch

    def receive(
        self, fetch: Fetch, answer: SessionAnswer, arrivals: Mapping[TopicPartition, Arrival]
    ) -> Mapping[TopicPartition, int]:
        """Note that the answer has arrived, and which of its records are being decoded.

        Returns the fences of the partitions that are done because they have no news.
        """
        told, fences = answer.partitions, fetch.fences
        leaves_out = self.sessions[fetch.node_id].answered(fetch.session, answer) and len(told) < len(fences)
        quiet: dict[TopicPartition, int] = {}
        if leaves_out:
            quiet, fences = dict(fences), dict(fences)
            for tp in told:
                quiet.pop(tp, None)
            for tp in quiet:
                del fences[tp]
        self._asked = [other for other in self._asked if other is not fetch]
        self._decoding.append(Rest(fetch, fences, arrivals))
        return quiet

    def end(self, fetch: Fetch) -> Rest:
        """End ``fetch``; returns its unfinished part."""
        self.sessions[fetch.node_id].failed(fetch.session)  # unless it was answered
        rest = next((rest for rest in self._decoding if rest.fetch is fetch), Rest(fetch, fetch.fences))
        self._asked = [other for other in self._asked if other is not fetch]
        self._decoding = [other for other in self._decoding if other is not rest]
        return rest

    @property
    def is_plain(self) -> bool:
        """Whether all fetches are in their nodes' sessions, and nothing is being decoded."""
        return not self._decoding and not any(fetch.is_out_of_session for fetch in self._asked)

    def replace(self, fetch: Fetch, following: Fetch) -> None:
        """Note that ``fetch`` is answered, and ``following`` is in flight."""
        asked = self._asked
        asked[asked.index(fetch)] = following

    def is_busy(self, node_id: int) -> bool:
        """Whether a node must not get another fetch at the moment."""
        if not self._asked and not self._decoding:  # the usual case after an answer
            return False
        decoding = sum(rest.fetch.node_id == node_id for rest in self._decoding)
        return decoding > MOST_DECODING or any(
            fetch.node_id == node_id and not fetch.is_out_of_session for fetch in self._asked
        )

    def is_asked_out_of_session(self, node_id: int) -> bool:
        """Whether an out-of-session fetch from the node is in flight."""
        return any(fetch.node_id == node_id and fetch.is_out_of_session for fetch in self._asked)

    def long_poll_since(self, node_id: int) -> float | None:
        """Since when the node may have been in a long poll, with more than a short wait; None if it is not."""
        polls = (fetch for fetch in self._asked if fetch.node_id == node_id and not fetch.is_out_of_session)
        return next((fetch.asked_at for fetch in polls if fetch.max_wait_ms > SHORT_WAIT_MS), None)

    def bytes_of(self, partition: TopicPartition) -> int:
        """The bytes of a partition being decoded."""
        return sum([rest.arrivals[partition].nbytes for rest in self._decoding if partition in rest.arrivals])

    @property
    def decoding_bytes(self) -> int:
        """The bytes of all partitions being decoded."""
        return sum([arrival.nbytes for rest in self._decoding for arrival in rest.arrivals.values()])

    @property
    def total_bytes(self) -> int:
        """The bytes reserved for all of these fetches."""
        total_bytes = 0
        for fetch in self._asked:
            total_bytes += fetch.set_aside_bytes
        for rest in self._decoding:
            total_bytes += rest.fetch.set_aside_bytes
        return total_bytes

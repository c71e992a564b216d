"""Fetches from the request until their records are decoded.

A fetch is first *on its way* to its node. When the answer has come, its records are *being decoded*. Where they end is
known from the headers of their batches, so the next fetch is sent at once, and node and decoder work at the same time.
Answers are applied in arrival order. If records do not end where the headers said, everything asked after them is
called off.

A partition that an answer leaves out, because there is no news of it, is done when the answer comes.
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

#: How many answers of one node may be decoded while it is asked for the next.
MOST_DECODING = 1

_NOTHING: Mapping[TopicPartition, Arrival] = MappingProxyType({})


class Rest(NamedTuple):
    """The part of a fetch that is not finished: the fences of its partitions, and what of them is being decoded."""

    fetch: Fetch
    fences: Mapping[TopicPartition, int]
    arrivals: Mapping[TopicPartition, Arrival] = _NOTHING


@define
class Underway:
    """The fetches on their way, and those whose records are being decoded; each node's in one session."""

    _asked: list[Fetch] = Factory(list)
    _decoding: list[Rest] = Factory(list)
    sessions: defaultdict[int, FetchSession] = Factory(lambda: defaultdict(FetchSession))  # by node

    def ask(self, fetch: Fetch) -> Fetch:
        """Note that the node is asked; returns the fetch, in the node's session unless it is out of session."""
        if not fetch.is_out_of_session:
            fetch = fetch._replace(session=self.sessions[fetch.node_id].ask(fetch.session.told))
        self._asked.append(fetch)
        return fetch

    def receive(
        self, fetch: Fetch, answer: SessionAnswer, arrivals: Mapping[TopicPartition, Arrival]
    ) -> Mapping[TopicPartition, int]:
        """Note that the answer has come, and what of it is being decoded.

        Returns the fences of the partitions that are done, as there is no news of them.
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
        """End ``fetch``; returns what was not finished of it."""
        self.sessions[fetch.node_id].failed(fetch.session)  # unless it was answered
        rest = next((rest for rest in self._decoding if rest.fetch is fetch), Rest(fetch, fetch.fences))
        self._asked = [other for other in self._asked if other is not fetch]
        self._decoding = [other for other in self._decoding if other is not rest]
        return rest

    @property
    def is_plain(self) -> bool:
        """Whether nodes are asked in their sessions only, and nothing is being decoded."""
        return not self._decoding and not any(fetch.is_out_of_session for fetch in self._asked)

    def replace(self, fetch: Fetch, following: Fetch) -> None:
        """Note that ``fetch`` is answered, and ``following`` is on its way."""
        asked = self._asked
        asked[asked.index(fetch)] = following

    def is_busy(self, node_id: int) -> bool:
        """Whether a node must not be asked for more at the moment."""
        if not self._asked and not self._decoding:  # as it is after most answers
            return False
        decoding = sum(rest.fetch.node_id == node_id for rest in self._decoding)
        return decoding > MOST_DECODING or any(
            fetch.node_id == node_id and not fetch.is_out_of_session for fetch in self._asked
        )

    def is_asked_out_of_session(self, node_id: int) -> bool:
        """Whether a node is asked for something out of its session."""
        return any(fetch.node_id == node_id and fetch.is_out_of_session for fetch in self._asked)

    def long_poll_since(self, node_id: int) -> float | None:
        """Since when a node may have been waiting for records, for more than a short wait; None if it is not."""
        polls = (fetch for fetch in self._asked if fetch.node_id == node_id and not fetch.is_out_of_session)
        return next((fetch.asked_at for fetch in polls if fetch.max_wait_ms > SHORT_WAIT_MS), None)

    def bytes_of(self, partition: TopicPartition) -> int:
        """What is being decoded of a partition."""
        return sum([rest.arrivals[partition].nbytes for rest in self._decoding if partition in rest.arrivals])

    @property
    def decoding_bytes(self) -> int:
        """What is being decoded of all partitions."""
        return sum([arrival.nbytes for rest in self._decoding for arrival in rest.arrivals.values()])

    @property
    def total_bytes(self) -> int:
        """The bytes that are set aside for all of these fetches."""
        total_bytes = 0
        for fetch in self._asked:
            total_bytes += fetch.set_aside_bytes
        for rest in self._decoding:
            total_bytes += rest.fetch.set_aside_bytes
        return total_bytes

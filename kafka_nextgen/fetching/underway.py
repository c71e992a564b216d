"""Fetches between their question and their records.

A fetch is first *on its way*: its node has it. When the answer has come, its records are *being decoded*, and where
they end is known from the headers of their batches, so that the next fetch goes to the node at once, which is then as
busy as the decoder is. What comes of an answer is noted in the order in which answers came: should its records not
end where the headers said, everything asked after it is called off.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from attrs import Factory, define

from kafka_nextgen.fetching.outcomes import Arrival, Fetch
from kafka_nextgen.types import TopicPartition

__all__ = ["Underway"]

#: How many answers of one node may be decoded while it is asked for the next.
MOST_DECODING = 1

_NOTHING: Mapping[TopicPartition, Arrival] = MappingProxyType({})


@define
class Underway:
    """The fetches on their way, and those whose records are being decoded."""

    _asked: list[Fetch] = Factory(list)
    _decoding: list[tuple[Fetch, Mapping[TopicPartition, Arrival]]] = Factory(list)

    def ask(self, fetch: Fetch) -> None:
        """Note that the node was asked."""
        self._asked.append(fetch)

    def decode(self, fetch: Fetch, arrivals: Mapping[TopicPartition, Arrival]) -> None:
        """Note that the answer has come, and that these records of it are being decoded."""
        self._asked = [other for other in self._asked if other is not fetch]
        self._decoding.append((fetch, arrivals))

    def end(self, fetch: Fetch) -> Mapping[TopicPartition, Arrival]:
        """Note that nothing more comes of ``fetch``; returns what was being decoded of it."""
        arrivals = next((arrivals for other, arrivals in self._decoding if other is fetch), _NOTHING)
        self._asked = [other for other in self._asked if other is not fetch]
        self._decoding = [(other, its) for other, its in self._decoding if other is not fetch]
        return arrivals

    def is_busy(self, node_id: int) -> bool:
        """Whether a node is to be left alone for now."""
        decoding = sum(fetch.node_id == node_id for fetch, _ in self._decoding)
        return decoding > MOST_DECODING or any(fetch.node_id == node_id for fetch in self._asked)

    def bytes_of(self, partition: TopicPartition) -> int:
        """What is being decoded of a partition."""
        return sum(arrivals[partition].nbytes for _, arrivals in self._decoding if partition in arrivals)

    @property
    def total_bytes(self) -> int:
        """What all of this may still bring."""
        decoding = sum(arrival.nbytes for _, arrivals in self._decoding for arrival in arrivals.values())
        return decoding + sum(fetch.max_bytes for fetch in self._asked)

"""What clients commit, and what they are told of it: beside ``conduct``.

| rule | when it is looked at |
|---|---|
| nothing is committed beyond what was handed out since reading began | when a commit is sent |
| one commit of a partition is under way at a time, but for those that are being given up | the same |
| what was refused is not told to be committed, unless it was accepted since, or a later one was | when it is told |
| who was told four times by a node that it does not coordinate looks for the right one (some may be answers to \
requests that are waited for no more) | when any request is sent |
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import define, field

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.requests import OffsetCommit
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition
from tests.verification.simulation.clients import Client

_Key = tuple[str, TopicPartition]
_Offsets = Mapping[TopicPartition, OffsetAndMetadata]
_OFTEN = 4
_ELSEWHERE = frozenset({ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE})


@define
class Commits:
    reached: dict[_Key, int] = field(factory=dict)  # what was handed out since reading began
    under_way: dict[_Key, list[_Offsets]] = field(factory=lambda: defaultdict(list))
    accepted: dict[_Key, int] = field(factory=dict)  # the latest
    refused: dict[_Key, set[int]] = field(factory=lambda: defaultdict(set))  # since the latest that was accepted
    astray: Counter[tuple[str, int]] = field(factory=Counter)  # how often that was told since the latest search

    def begins(self, client: Client, partition: TopicPartition, offset: int) -> None:
        self.reached[client.name, partition] = offset

    def handed_out(self, client: Client, partition: TopicPartition, end: int) -> None:
        key = client.name, partition
        self.reached[key] = max(self.reached.get(key, 0), end)

    def asks(self, client: Client) -> Iterator[str]:
        if self.astray[client.name, client.network.searches] >= _OFTEN and client.network.coordinator is not None:
            yield f"{client.name} asks on where it was told to look elsewhere"

    def sent(self, client: Client, offsets: _Offsets) -> Iterator[str]:
        for partition, offset in offsets.items():
            key = client.name, partition
            reads = client.offsets.state.belongs and partition in client.positions.keys() & client.applied
            if reads and offset.offset > self.reached.get(key, offset.offset):
                yield f"{client.name} commits {partition} at {offset.offset}, and has read up to {self.reached[key]}"
            if self.under_way[key] and not client.stopped:
                yield f"{client.name} commits {partition} while another commit of it is under way"
            self.under_way[key].append(offsets)

    def heard(self, client: Client, request: Any, answer: Any) -> None:
        if isinstance(request, OffsetCommit):
            for partition, code in answer.items():
                key, offset = (client.name, partition), request.offsets[partition].offset
                if not code:
                    self.accepted[key] = offset
                    self.refused.pop(key, None)
                    self._overtakes(client, partition, request.offsets)
                elif offset != self.accepted.get(key):  # it may be committed again
                    self.refused[key].add(offset)
            self.is_over(client, request.offsets)
        if not _ELSEWHERE.isdisjoint(_codes(answer)):
            self.astray[client.name, client.network.searches] += 1

    def is_over(self, client: Client, offsets: _Offsets) -> None:
        for partition in offsets:
            key = client.name, partition
            self.under_way[key] = [each for each in self.under_way[key] if each is not offsets]

    def _overtakes(self, client: Client, partition: TopicPartition, offsets: _Offsets) -> None:
        """What was sent before a commit that was accepted is as good as over."""
        key = client.name, partition
        places = [place for place, each in enumerate(self.under_way[key]) if each is offsets]
        self.under_way[key] = self.under_way[key][places[0] :] if places else self.under_way[key]

    def told(self, client: Client, offsets: _Offsets) -> Iterator[str]:
        for partition, offset in offsets.items():
            if offset.offset in self.refused.get((client.name, partition), ()):
                yield f"{client.name} is told that {partition} is committed at {offset.offset}, which was refused"


def _codes(answer: Any) -> Iterable[int]:
    """Of a commit, a look-up, or what a member computes."""
    if isinstance(answer, Mapping):
        return answer.values()
    errors: Mapping[TopicPartition, int] = getattr(answer, "errors", {})
    return (*errors.values(), getattr(answer, "error", 0), getattr(answer, "code", 0))

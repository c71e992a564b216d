"""Faults that are not of one client: fail-overs, with and without a lost tail, and topics that change."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from attrs import frozen

from kafka_nextgen.testing.coordinator.requests import TopicImage
from kafka_nextgen.types import TopicId
from tests.verification.simulation.exploring.groups import Block, Groups, Taken
from tests.verification.simulation.exploring.moves import Fault, Move
from tests.verification.simulation.exploring.numbers import NO_TAIL, Numbers, back_to, mapped, number_of, waiting

TOPIC = "foo"
_COORDINATOR, _WAITING = 24, 3  # bits
_NOWHERE = -1


def first_topics(partitions: int) -> dict[str, TopicImage]:
    """The one topic, before anything happens to it."""
    return {TOPIC: TopicImage(TopicId(int=1), TOPIC, partitions)}


@frozen
class SharedFaults:
    """Takes them, in groups that have a fault left."""

    groups: Groups

    def of(self, harmed: Taken) -> Iterator[Block]:
        """Every fault of the kinds that are asked for."""
        kinds = self.groups.bounds.kinds
        if Fault.FAIL_OVER in kinds:
            yield self._elsewhere(harmed, Fault.FAIL_OVER, self._failed_over, lambda _: ("fail-over",))
        if Fault.LOST_TAIL in kinds:
            yield self._without_tail(harmed)
        if Fault.TOPICS in kinds:
            yield self._elsewhere(harmed, Fault.TOPICS, self._grown, lambda at: ("grow", TOPIC, str(self._more(at))))
            yield self._elsewhere(harmed, Fault.TOPICS, self._deleted, lambda _: ("delete", TOPIC))

    def _elsewhere(
        self, harmed: Taken, fault: Fault, leads_to: Callable[[int], int], move: Callable[[int], Move]
    ) -> Block:
        """A fault of the coordinator alone, where it leads somewhere."""
        after = mapped(harmed.coordinators, leads_to)
        places = np.flatnonzero(after != _NOWHERE)
        before = harmed.at(places)
        left = before.left - 1
        keeps_tail = (left > 0) & (fault is Fault.TOPICS)
        tails = np.where(keeps_tail, before.tails, NO_TAIL)
        packed = self.groups.packed(Taken(after[places], tails, left, before.clients))
        return Block(places, packed, _all(fault, places), lambda step: (move(int(before.coordinators[step])),))

    def _failed_over(self, at: int) -> int:
        coordinators = self.groups.pairs.coordinators
        return _NOWHERE if coordinators.standings[at].group is None else coordinators.fail_over(at, at)

    def _topic(self, at: int) -> TopicImage | None:
        return self.groups.pairs.coordinators.standings[at].topics.by_name.get(TOPIC)

    def _more(self, at: int) -> int:
        topic = self._topic(at)
        return 0 if topic is None else topic.num_partitions + 1

    def _grown(self, at: int) -> int:
        more = self._more(at)
        return self.groups.pairs.coordinators.change_topics(at, first_topics(more)) if more else _NOWHERE

    def _deleted(self, at: int) -> int:
        return self.groups.pairs.coordinators.change_topics(at, {}) if self._more(at) else _NOWHERE

    def _without_tail(self, harmed: Taken) -> Block:
        places = np.flatnonzero(harmed.tails != NO_TAIL)
        before = harmed.at(places)
        members = self.groups.bounds.members
        pairs = self.groups.pairs
        lost = mapped(before.tails, lambda tail: back_to(tail, members))

        def fail_over(both: int) -> int:
            return pairs.coordinators.fail_over(both >> _COORDINATOR, both & (1 << _COORDINATOR) - 1)

        after = mapped(lost << _COORDINATOR | before.coordinators, fail_over)
        clients = tuple(self._bereft(client, waiting(before.tails, who)) for who, client in enumerate(before.clients))
        tails = np.full(len(places), NO_TAIL, np.int64)
        packed = self.groups.packed(Taken(after, tails, before.left - 1, clients))
        return Block(
            places, packed, _all(Fault.LOST_TAIL, places), lambda at: (self._tail_move(int(before.tails[at])),)
        )

    def _bereft(self, clients: Numbers, answers: Numbers) -> Numbers:
        def bereft(both: int) -> int:
            client, count = both >> _WAITING, both & (1 << _WAITING) - 1
            return self.groups.pairs.crowd.bereft(client, count) if count else client

        return mapped(clients << _WAITING | answers, bereft)

    def _tail_move(self, tail: int) -> Move:
        counts = {name.lower(): waiting(tail, who) for who, name in enumerate(self.groups.bounds.names)}
        return ("lose-tail", *(f"{name}={count}" for name, count in counts.items() if count))


def _all(fault: Fault, places: Numbers) -> Numbers:
    return np.full(len(places), number_of(fault), np.int64)

"""Whole groups, each a number of 63 bits, and all steps of many of them at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from attrs import frozen

from tests.verification.simulation.exploring.moves import Bounds, Fault, Move
from tests.verification.simulation.exploring.numbers import (
    NO_FAULT,
    NO_TAIL,
    Interned,
    Numbers,
    Row,
    Rows,
    mapped,
    number_of,
    tails_after,
)
from tests.verification.simulation.exploring.pairs import Judge, Pairs, Step

_LEFT, _TAIL = 3, 37  # bits in what is said of a situation; those of a group are shared out among its parts
_GROUP = 63


@frozen(eq=False)
class Taken:
    """Groups, taken apart: each has its place in all columns."""

    coordinators: Numbers
    tails: Numbers
    left: Numbers  # faults that are still to come
    clients: tuple[Numbers, ...]

    def at(self, places: Numbers) -> Taken:
        clients = tuple(client[places] for client in self.clients)
        return Taken(self.coordinators[places], self.tails[places], self.left[places], clients)

    def with_client(self, who: int, client: Numbers) -> tuple[Numbers, ...]:
        return (*self.clients[:who], client, *self.clients[who + 1 :])


@frozen(eq=False)
class Block:
    """Steps of one sort: the place of the group each is from, the group after it, its fault, and its moves."""

    places: Numbers
    after: Numbers
    faults: Numbers
    moves: Callable[[int], tuple[Move, ...]]


class Groups:
    """Numbers groups, and takes the steps of a client in them; ``broken`` are pairs that are not as they must be."""

    def __init__(self, bounds: Bounds, pairs: Pairs, judge: Judge) -> None:
        self.bounds = bounds
        self.pairs = pairs
        self.broken: set[tuple[int, int]] = set()
        self.overtaken = 0
        self._judge = judge
        self._tails, self._situations = Interned(), Interned()
        self._client_bits = 60 // (bounds.members + 1)
        self._steps = Rows(self._steps_of)
        self._faults = Rows(self._faults_of)

    def packed(self, groups: Taken) -> Numbers:
        tails = self._tails.numbers(groups.tails)
        number = self._situations.numbers((groups.coordinators << _TAIL | tails) << _LEFT | groups.left)
        assert len(self._situations.values) < 1 << _GROUP - self._client_bits * self.bounds.members, "too many"
        assert len(self.pairs.crowd.lives) < 1 << self._client_bits, "too many states of clients for so many members"
        for client in groups.clients:
            number = number << self._client_bits | client
        return number

    def taken(self, numbers: Numbers) -> Taken:
        bits, clients = self._client_bits, []
        for _ in range(self.bounds.members):
            clients.append(numbers & (1 << bits) - 1)
            numbers = numbers >> bits
        situation = self._situations.values[numbers]
        tails = self._tails.values[situation >> _LEFT & (1 << _TAIL) - 1]
        return Taken(situation >> _LEFT + _TAIL, tails, situation & (1 << _LEFT) - 1, tuple(reversed(clients)))

    def steps(self, groups: Taken, who: int) -> Block:
        return self._block(groups, who, self._steps, self.pairs.steps)

    def faults(self, groups: Taken, who: int) -> Block:
        """All faults of it, and of what it and the coordinator say to each other."""
        return self._block(groups, who, self._faults, self._harms)

    def _block(self, groups: Taken, who: int, rows: Rows, steps: Callable[[int, int], Iterator[Step]]) -> Block:
        client = groups.clients[who]
        pairs = rows.pairs(groups.coordinators, client)
        places, nth = rows.of(pairs)
        coordinator, client_after, kinds, faults = rows.columns(pairs[places], nth)
        before = groups.at(places)
        left = before.left - (faults != NO_FAULT)
        tails = self._tails_after(before, who, kinds, left)
        after = self.packed(Taken(coordinator, tails, left, before.with_client(who, client_after)))

        def moves(step: int) -> tuple[Move, ...]:
            at = places[step]
            return list(steps(int(groups.coordinators[at]), int(client[at])))[int(nth[step])][0]

        return Block(places, after, faults, moves)

    def _tails_after(self, before: Taken, who: int, kinds: Numbers, left: Numbers) -> Numbers:
        tails = np.full(len(left), NO_TAIL, np.int64)
        some = np.flatnonzero(left)
        if len(some) and Fault.LOST_TAIL in self.bounds.kinds:
            clients = before.clients[who][some]
            answers = mapped(clients, lambda client: len(self.pairs.crowd.lives[client].answers))
            of = (before.tails[some], kinds[some], before.coordinators[some])
            tails[some] = tails_after(*of, who, answers, self.bounds.members)
        return tails

    def _steps_of(self, coordinator: int, client: int) -> Iterator[Row]:
        if self._judge.broken(coordinator, client):
            self.broken.add((coordinator, client))
        self.overtaken += self.pairs.crowd.lives[client].was_overtaken
        for _, after, client_after, kind in self.pairs.steps(coordinator, client):
            yield after, client_after, kind, NO_FAULT

    def _faults_of(self, coordinator: int, client: int) -> Iterator[Row]:
        for fault, (_, after, client_after, kind) in self._chosen(coordinator, client):
            yield after, client_after, kind, number_of(fault)

    def _harms(self, coordinator: int, client: int) -> Iterator[Step]:
        return (step for _, step in self._chosen(coordinator, client))

    def _chosen(self, coordinator: int, client: int) -> Iterator[tuple[Fault, Step]]:
        return (each for each in self.pairs.faults(coordinator, client) if each[0] in self.bounds.kinds)

"""The run: in each client's group one member reads all the time, and a second one joins and leaves.

The groups read the same topic at the same time, and their rebalances take turns, so that whatever else the machine
does is shared fairly. A rebalance is over when each member has its share, and some time more. The first few don't
count: until then broker and clients do many things for the first time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from attrs import define, field, frozen

from benchmarks.gap.processes import Member, Process
from benchmarks.gap.report import Callback, Gap

__all__ = ["Measured", "Rebalance", "measure"]

#: How long (seconds) to look at a rebalance after everybody has its share.
AFTERWARDS_S = 0.7

#: How many rebalances of each group don't count; even, so that the first that counts is a join.
UNCOUNTED = 4


@frozen
class Rebalance:
    """One rebalance of a group: when, and which partitions stayed with the member that stayed."""

    begin: float
    end: float
    kept: frozenset[int]


@define
class Measured:
    """What was seen of one client."""

    client: str
    rebalances: list[Rebalance] = field(factory=list)
    gaps: Sequence[Gap] = ()
    callbacks: Sequence[Callback] = ()

    def longest(self) -> list[Gap]:
        """The longest gap of a kept partition in each rebalance."""
        return [self._longest(each.begin, each.end, each.kept) for each in self.rebalances]

    def longest_otherwise(self) -> list[Gap]:
        """The same between two rebalances, while the other groups have theirs: what the machine does to anybody."""
        return [
            self._longest(before.end, after.begin, before.kept & after.kept)
            for before, after in pairwise(self.rebalances)
        ]

    def _longest(self, begin: float, end: float, partitions: frozenset[int]) -> Gap:
        seen = [gap for gap in self.gaps if gap.partition in partitions and gap.begin < end and begin < gap.end]
        return max(seen, key=lambda gap: gap.length_s, default=Gap(-1, 0, 0))

    def in_callbacks_s(self, gap: Gap) -> float:
        """How much of a gap the member's own callbacks took."""
        return sum(max(0.0, min(one.end, gap.end) - max(one.begin, gap.begin)) for one in self.callbacks)


@define
class _Group:
    measured: Measured
    steady: Member
    visitor: Member

    def rebalance(self, joins: bool, partitions: int) -> None:
        begin, before = time.monotonic(), self.steady.owned()
        if joins:
            self.visitor.join()
            self.visitor.wait_until(lambda count: count == partitions // 2)
        else:
            self.visitor.leave()
            self.visitor.wait_until(lambda count: count == 0)
        self.steady.wait_until(lambda count: count == (partitions // 2 if joins else partitions))
        time.sleep(AFTERWARDS_S)
        kept = before & self.steady.owned()
        self.measured.rebalances.append(Rebalance(begin, time.monotonic(), kept))


@contextmanager
def _fed(bootstrap_servers: str, topic: str, partitions: int, records_per_s: int) -> Iterator[None]:
    feed = Process("feed", bootstrap_servers, topic, partitions, records_per_s)
    try:
        yield
        feed.check()
    finally:
        feed.end()


def measure(
    bootstrap_servers: str,
    topic: str,
    partitions: int,
    clients: Sequence[str],
    rebalances: int,
    callback_ms: int,
    records_per_s: int,
) -> list[Measured]:
    """Let the clients' groups rebalance in turns; return what was seen of each client."""
    groups = []
    for client in clients:
        about = (client, bootstrap_servers, f"{topic}-{client}-{callback_ms}", topic)
        groups.append(_Group(Measured(client), Member(*about, callback_ms), Member(*about, callback_ms)))
    try:
        with _fed(bootstrap_servers, topic, partitions, records_per_s):
            for group in groups:
                group.steady.join()
                group.steady.wait_until(lambda count: count == partitions)
            time.sleep(1)
            for number in range(UNCOUNTED + rebalances):
                for group in groups:
                    group.rebalance(number % 2 == 0, partitions)
    finally:
        for group in groups:
            for member in (group.visitor, group.steady):
                member.leave()
                member.end()
    for group in groups:
        del group.measured.rebalances[:UNCOUNTED]
        group.measured.gaps, group.measured.callbacks = group.steady.gaps, group.steady.callbacks
    return [group.measured for group in groups]

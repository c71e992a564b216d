"""What must hold of every state: each rule that is broken is a sentence.

| rule | of what |
|---|---|
| the coordinator's invariants, and its log leads to its state | each state of a coordinator |
| the client's (``scenarios.watching``); an answer's epoch is not below the request's | each state of a client |
| a client works on nothing but what is reserved for it | each pair of them |
| the group is stable, and every partition has its reader | each state with nothing left to do |

A late request that says less than its member has is taken by any coordinator, which can't tell it from one sent now:
from then on the last two rules are not asked of that member.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafka_nextgen.membership.states import Status
from tests.simulation.exploring.clients import Life
from tests.simulation.exploring.coordinators import Coordinators, Standing
from tests.simulation.exploring.crowd import Crowd

__all__ = ["Judge"]


class Judge:
    """Asks each state and each pair once; ``overtaken`` counts the pairs with a member that was overtaken."""

    def __init__(self, coordinators: Coordinators, crowd: Crowd) -> None:
        self._coordinators = coordinators
        self._crowd = crowd
        self._fine: set[tuple[int, int]] = set()
        self.overtaken = 0

    def broken(self, coordinator: int, clients: Sequence[int]) -> tuple[str, ...]:
        """What is broken in a state, if it is a new one."""
        found = self._coordinators.standings[coordinator].broken
        for client in clients:
            if (coordinator, client) not in self._fine:
                broken = tuple(self._broken_pair(self._coordinators.standings[coordinator], self._crowd.lives[client]))
                found += broken
                if not broken:
                    self._fine.add((coordinator, client))
        return found

    def _broken_pair(self, standing: Standing, life: Life) -> Iterator[str]:
        yield from (f"{life.name}: {rule}" for rule in life.watch.broken)
        if life.was_overtaken:
            self.overtaken += 1
            return
        reserved = standing.reserved.get(life.member_id)
        if reserved is not None and life.member is not None and not life.working_on <= reserved:
            numbers = sorted(partition.partition for partition in life.working_on - reserved)
            yield f"{life.name} works on foo{numbers}, which is not its own"

    def unsettled(self, coordinator: int, clients: Sequence[int]) -> tuple[str, ...]:
        """What is broken in a state with nothing left to do."""
        standing = self._coordinators.standings[coordinator]
        lives = [self._crowd.lives[client] for client in clients]
        if any(life.was_overtaken for life in lives):
            return ()
        return (*(broken for life in lives for broken in _unsettled(life, standing)), *_unread(lives, standing))


def _unsettled(life: Life, standing: Standing) -> Iterator[str]:
    status = Status.UNSUBSCRIBED if life.member is None else life.member.status
    if life.member is None or status is not Status.STABLE:
        yield f"{life.name} stays {status.value}"
    elif life.member.owned != standing.reserved.get(life.member_id):
        yield f"{life.name} owns not what is reserved for it"


def _unread(lives: Sequence[Life], standing: Standing) -> Iterator[str]:
    read = {partition for life in lives for partition in life.working_on}
    there = sum(topic.num_partitions for topic in standing.topics.by_name.values())
    if there and len(read) != there:
        yield f"{there - len(read)} partitions have no reader"

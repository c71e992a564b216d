"""What must hold of every state: each rule that is broken is a sentence.

| rule | of what |
|---|---|
| the coordinator's invariants, and its log leads to its state | each state of a coordinator |
| the client's (``scenario_language.watching``); an answer's epoch is not below the request's | each state of a client |
| a client works on nothing but what is reserved for it | each pair of them |
| the group is stable, and every partition has its reader | each state with nothing left to do |

The last two are not asked where a late request is to blame (see the package).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kafka_nextgen.coordinator.records import MemberStatus
from kafka_nextgen.membership.states import Status
from kafka_nextgen.types import TopicIdPartition
from tests.simulation.exploring.clients import Life
from tests.simulation.exploring.coordinators import Coordinators, Standing
from tests.simulation.exploring.crowd import Crowd

__all__ = ["Judge"]


class Judge:
    """Asks states and pairs."""

    def __init__(self, coordinators: Coordinators, crowd: Crowd) -> None:
        self._coordinators = coordinators
        self._crowd = crowd
        self._working_on: dict[int, frozenset[TopicIdPartition]] = {}

    def broken(self, coordinator: int, client: int) -> tuple[str, ...]:
        """What is broken in a coordinator and a client."""
        standing, life = self._coordinators.standings[coordinator], self._crowd.lives[client]
        rules = (f"{life.name}: {rule}" for rule in life.watch.broken)
        return (*standing.broken, *rules, *self._not_its_own(standing, client))

    def _not_its_own(self, standing: Standing, client: int) -> Iterator[str]:
        life = self._crowd.lives[client]
        if client not in self._working_on:
            self._working_on[client] = life.working_on
        others = self._working_on[client] - standing.reserved.get(life.member_id, self._working_on[client])
        if others and not life.was_overtaken:
            yield f"{life.name} works on foo{sorted(partition.partition for partition in others)}, which is not its own"

    def unsettled(self, coordinator: int, clients: Sequence[int]) -> tuple[str, ...]:
        """What is broken in a state with nothing left to do."""
        standing = self._coordinators.standings[coordinator]
        lives = [self._crowd.lives[client] for client in clients]
        if any(life.was_overtaken or life.was_left_out for life in lives):
            return ()
        unsettled = (broken for life in lives for broken in _unsettled(life, standing))
        return (*unsettled, *_unstable(standing), *_unread(lives, standing))


def _unsettled(life: Life, standing: Standing) -> Iterator[str]:
    status = Status.UNSUBSCRIBED if life.member is None else life.member.status
    if life.member is None or status is not Status.STABLE:
        yield f"{life.name} stays {status.value}"
    elif life.member.owned != standing.reserved.get(life.member_id):
        yield f"{life.name} owns not what is reserved for it"


def _unstable(standing: Standing) -> Iterator[str]:
    group = standing.group
    if group is None:
        return
    for current in group.currents.values():
        if current.status is not MemberStatus.STABLE or current.member_epoch != group.epoch:
            yield f"for the coordinator {current.member_id} stays {current.status.name} at {current.member_epoch}"


def _unread(lives: Sequence[Life], standing: Standing) -> Iterator[str]:
    read = {partition for life in lives for partition in life.working_on}
    there = sum(topic.num_partitions for topic in standing.topics.by_name.values())
    if there and len(read) != there:
        yield f"{there - len(read)} partitions have no reader"

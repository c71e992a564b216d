"""Where a coordinator and one client can go together, which is worked out once a pair: others have no part in that. And
what must hold of every state; each rule that is broken is a sentence.

| rule | of what |
|---|---|
| the coordinator's invariants, and its log leads to its state | each state of a coordinator |
| the client's (``scenario_language.watching``); an answer's epoch is not below the request's | each state of a client |
| a client works on nothing but what is reserved for it | each pair of them |
| the group is stable, and every partition has its reader | each state with nothing left to do |

The last two are not asked where a late request is to blame (see the package).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.groups.records import MemberStatus
from kafka_nextgen.membership.states import Status
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.timers import TimerKey
from kafka_nextgen.types import TopicIdPartition
from tests.verification.simulation.exploring.clients import Life
from tests.verification.simulation.exploring.coordinators import Answered, Coordinators, Standing
from tests.verification.simulation.exploring.crowd import Crowd
from tests.verification.simulation.exploring.moves import Fault, Kind, Move

#: The moves, the coordinator and the client after them, and what it is to the records.
Step = tuple[tuple[Move, ...], int, int, Kind]


class Pairs:
    def __init__(self, coordinators: Coordinators, crowd: Crowd) -> None:
        self.coordinators = coordinators
        self.crowd = crowd

    def steps(self, coordinator: int, client: int) -> Iterator[Step]:
        life = self.crowd.lives[client]
        for move, after in self.crowd.own(client):
            yield (move,), coordinator, after, Kind.HEARD if move[0] == "hear" else Kind.ALONE
        if life.to_resolve is not None:
            names = self.coordinators.standings[coordinator].topics.names()
            after = self.crowd.resolved(client, names)
            yield (("answer", life.name, "topics"),), coordinator, after, Kind.ALONE
        rung = self.crowd.ring(client)
        if rung is not None and not self._is_trivial(coordinator, client, rung):
            yield (("ring", life.name, "heartbeat"),), coordinator, rung, Kind.ALONE
        yield from self._arrivals(coordinator, client, life)
        for key in self._timers(coordinator, life):
            if not _keeps(life, key):
                yield self._rung(coordinator, client, key)

    def _arrivals(self, coordinator: int, client: int, life: Life) -> Iterator[Step]:
        if life.requests:
            answered = self.coordinators.serve(coordinator, life.requests[0][1])
            assert answered.answer is not None, "a heartbeat is answered"
            after = self.crowd.served(client, answered.answer)
            yield (("deliver", life.name),), answered.after, after, Kind.WROTE if answered.wrote else Kind.SERVED
        for place, stray in self.crowd.may_arrive(client) if life.strays else ():
            answered = self.coordinators.serve(coordinator, stray)
            client_after = self._after_stray(coordinator, client, place, answered)
            move = ("deliver-stray", life.name, str(place))
            yield (move,), answered.after, client_after, Kind.WROTE_UNASKED if answered.wrote else Kind.ALONE

    def _after_stray(self, coordinator: int, client: int, place: int, answered: Answered) -> int:
        life = self.crowd.lives[client]
        before, after = self.coordinators.standings[coordinator], self.coordinators.standings[answered.after]
        is_its = _speaks_for(life, life.strays[place], answered)
        overtakes, leaves_out = is_its and _overtakes(life, before, after), is_its and _leaves_out(life, before, after)
        return self.crowd.stray_served(client, place, overtakes=overtakes, leaves_out=leaves_out)

    def _timers(self, coordinator: int, life: Life) -> Iterator[TimerKey]:
        """Those for the client, in this life and in those before."""
        for key in self.coordinators.standings[coordinator].armed:
            if key.member_id.partition("/")[0] == life.name:
                yield key

    def _rung(self, coordinator: int, client: int, key: TimerKey) -> Step:
        answered = self.coordinators.ring(coordinator, key)
        move = ("expire", key.kind.name.lower(), key.member_id)
        return (move,), answered.after, client, Kind.WROTE_UNASKED if answered.wrote else Kind.ALONE

    def faults(self, coordinator: int, client: int) -> Iterator[tuple[Fault, Step]]:
        """Every fault of the client, and of what the two say to each other."""
        life = self.crowd.lives[client]
        for fault, move, after in self.crowd.faults(client):
            yield fault, ((move,), coordinator, after, _KINDS.get(move[0], Kind.ALONE))
        rung = self.crowd.ring(client)
        if rung is not None and self._is_trivial(coordinator, client, rung):
            ring = ("ring", life.name, "heartbeat")
            for fault, move, after in self.crowd.faults(rung):
                yield fault, ((ring, move), coordinator, after, _KINDS.get(move[0], Kind.ALONE))
        for key in self._timers(coordinator, life):
            if _keeps(life, key):
                yield Fault.SILENCE, self._rung(coordinator, client, key)

    def _is_trivial(self, coordinator: int, client: int, rung: int) -> bool:
        """Whether an idle member's keepalive would come back without having changed anything."""
        if not self.crowd.lives[client].is_idle:
            return False
        ((_, request), *_) = self.crowd.lives[rung].requests
        answered = self.coordinators.serve(coordinator, request)
        assert answered.answer is not None, "a heartbeat is answered"
        back = self.crowd.heard(self.crowd.served(rung, answered.answer))
        return answered.after == coordinator and back == client


def _speaks_for(life: Life, request: ConsumerGroupHeartbeat, answered: Answered) -> bool:
    """Whether a late request was taken for one of the member as it is now."""
    assert answered.answer is not None, "a heartbeat is answered"
    return answered.answer.error is ErrorCode.NONE and life.member is not None and request.member_id == life.member_id


def _overtakes(life: Life, before: Standing, after: Standing) -> bool:
    """Whether a late request joined in place of its member, or gave up what the member has or may take. No coordinator
    can tell it from one that the member sends now.
    """
    assert life.member is not None, "the request spoke for it"
    reserved = before.reserved.get(life.member_id)
    if reserved is None:
        return life.member.member_epoch > 0 or bool(life.answers)  # it believes it is in, or is about to
    return not life.may_have.isdisjoint(reserved - after.reserved.get(life.member_id, frozenset()))


def _leaves_out(life: Life, before: Standing, after: Standing) -> bool:
    """Whether the answer to a late request, which reaches nobody, told of another assignment."""
    return before.assigned(life.member_id) != after.assigned(life.member_id)


def _keeps(life: Life, key: TimerKey) -> bool:
    """Whether the timer is that of a member which heartbeats, so that it takes a fault for it to run out."""
    return key.member_id == life.member_id and not life.is_silent


_KINDS: Mapping[str, Kind] = {"drop-answer": Kind.HEARD, "crash": Kind.CRASHED}


class Judge:
    def __init__(self, coordinators: Coordinators, crowd: Crowd) -> None:
        self._coordinators = coordinators
        self._crowd = crowd
        self._working_on: dict[int, frozenset[TopicIdPartition]] = {}

    def broken(self, coordinator: int, client: int) -> tuple[str, ...]:
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

"""Tells moves as a scenario: it is played while it is written, with what happens at each command. The world is the pair
world, with the few verbs that only a search needs:

ring A heartbeat        this timer of A's rings, whatever it was set to: heartbeat, poll, leave or resolve
expire session A        this timer of the coordinator runs out: session or rebalance
give-up A               A waits no longer for its heartbeat, which is still under way
lose-tail a=1           a new coordinator reads the log, but for what was written last; with that an answer to A is lost
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from attrs import evolve, frozen

from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.timers import Timer
from kafka_nextgen.testing.coordinator.coordinator import Outcome
from kafka_nextgen.testing.coordinator.timers import Arm, TimerKey, TimerKind
from tests.verification.scenario_language import InvariantError, Player, parse
from tests.verification.scenario_language.client import Client
from tests.verification.scenario_language.grammar import SEPARATOR, Command
from tests.verification.scenario_language.host import CoordinatorHost
from tests.verification.scenario_language.network import Kind, Link, Message
from tests.verification.scenario_language.pair import PairWorld
from tests.verification.scenario_language.playing import Verbs
from tests.verification.scenario_language.verbs.applications import member_of
from tests.verification.scenario_language.world import GROUP
from tests.verification.scenario_language.worlds import PAIR
from tests.verification.simulation.exploring.moves import Move


@frozen
class Told:
    """A scenario, its commands alone, what the pair world's own invariants say at its end, and that world."""

    text: str
    commands: tuple[str, ...]
    broken: str | None
    world: SearchedWorld


def tell(members: Sequence[str], partitions: int, moves: Iterable[Move], *, auto_commit: bool = False) -> Told:
    return _Teller(members).tell(partitions, moves, auto_commit)


class _Teller:
    def __init__(self, members: Sequence[str]) -> None:
        self._player = searched_player()
        self._members = members
        self._strays: dict[str, list[Message]] = {name: [] for name in members}
        self._unheard: list[Message] = []  # answers to strays, which the explorer lets reach nobody
        self._told: list[str] = []
        self._commands: list[str] = []

    def tell(self, partitions: int, moves: Iterable[Move], auto_commit: bool) -> Told:
        names = " ".join(self._members)
        self._told.append("worlds pair")
        try:
            self._do(f"topic foo {partitions}")
            self._do(f"member {names}{' commit=auto' if auto_commit else ''}")
            if auto_commit:
                self._do(f"slow {names} commit")
            for move in moves:
                self._tell_move(move)
        except InvariantError as error:
            return self._all(str(error))
        return self._all(None)

    def _all(self, broken: str | None) -> Told:
        return Told("\n".join(self._told) + "\n", tuple(self._commands), broken, self._player.world)

    def _do(self, command: str) -> None:
        self._commands.append(command)
        self._told.append(command)
        happened = self._player.perform(parse(f"worlds pair\n{command}").blocks[0].commands[1])
        self._told += [SEPARATOR, *happened, ""] if happened else []

    def _tell_move(self, move: Move) -> None:
        special = _SPECIAL.get(move[0])
        if special is not None:
            special(self, move[1], *move[2:])
            return
        for command in _plainly(move):
            self._do(command)

    def _client(self, name: str) -> Client:
        return self._player.world.clients[name]

    def _bring_forward(self, link: Link, wanted: Message) -> None:
        while link.messages[0] is not wanted:
            self._do(f"delay {link.name}")

    def _own_request(self, name: str) -> Message:
        """The oldest request that is no stray; of two alike the later one is the stray."""
        rest = list(self._client(name).to_coordinator.messages)
        for stray in self._strays[name]:
            rest.reverse()
            rest.remove(stray)
            rest.reverse()
        return rest[0]

    def _own_answer(self, name: str) -> Message:
        messages = self._client(name).from_coordinator.messages
        return next(each for each in messages if not any(each is other for other in self._unheard))

    def deliver(self, name: str) -> None:
        link = self._client(name).to_coordinator
        self._bring_forward(link, self._own_request(name))
        self._do(f"deliver {link.name}")

    def deliver_stray(self, name: str, place: str) -> None:
        client = self._client(name)
        stray = self._strays[name].pop(int(place))
        self._bring_forward(client.to_coordinator, next(m for m in client.to_coordinator.messages if m == stray))
        self._do(f"deliver {client.to_coordinator.name}")
        self._unheard.append(client.from_coordinator.messages[-1])

    def hear(self, name: str) -> None:
        link = self._client(name).from_coordinator
        self._bring_forward(link, self._own_answer(name))
        self._do(f"deliver {link.name}")

    def drop_request(self, name: str) -> None:
        link = self._client(name).to_coordinator
        self._bring_forward(link, self._own_request(name))
        self._do(f"drop {link.name}")

    def drop_answer(self, name: str) -> None:
        link = self._client(name).from_coordinator
        self._bring_forward(link, self._own_answer(name))
        self._do(f"drop {link.name}")

    def duplicate(self, name: str) -> None:
        link, request = self._client(name).to_coordinator, self._own_request(name)
        self._bring_forward(link, request)
        self._do(f"duplicate {link.name}")
        self._strays[name].append(request)

    def give_up(self, name: str) -> None:
        self._strays[name].append(self._own_request(name))
        self._do(f"give-up {name}")

    def crash(self, name: str) -> None:
        under_way = list(self._client(name).to_coordinator.messages)
        for stray in self._strays[name]:
            under_way.remove(stray)
        self._strays[name] += under_way
        self._do(f"crash {name}")


_SPECIAL: Mapping[str, Callable[..., None]] = {
    "deliver": _Teller.deliver,
    "deliver-stray": _Teller.deliver_stray,
    "hear": _Teller.hear,
    "drop-request": _Teller.drop_request,
    "drop-answer": _Teller.drop_answer,
    "duplicate": _Teller.duplicate,
    "give-up": _Teller.give_up,
    "crash": _Teller.crash,
}


def _plainly(move: Move) -> Iterator[str]:
    if move[0] == "subscribe":
        yield f"subscribe {move[1]} foo"
    elif move[0] == "fail-over":
        yield "coordinator restart"
    else:
        yield " ".join(move)


class TailedHost(CoordinatorHost):
    """A coordinator that knows where its last outcome begins in the log."""

    tail = 0

    def commit(self, outcome: Outcome) -> None:
        self.tail = len(self.log) if outcome.records else self.tail
        super().commit(outcome)


class SearchedWorld(PairWorld):
    def __init__(self) -> None:
        super().__init__()
        self.host: TailedHost = TailedHost()


def ring(world: SearchedWorld, command: Command) -> Iterator[str]:
    command.expect(2)
    client, timer = member_of(world, command), Timer(command.words[1])
    assert client.member is not None, "it runs"
    state = client.member.state
    client.member.state = evolve(state, deadlines={**state.deadlines, timer: world.now})
    yield from world.feed(client, ev.TimePassed())


def expire(world: SearchedWorld, command: Command) -> Iterator[str]:
    command.expect(2)
    timers = world.host.coordinator.timers
    key = TimerKey(GROUP, TimerKind[command.words[0].upper()], command.words[1])
    timers.change(Arm(key, world.now, timers._armed[key].member_epoch))
    for outcome in world.host.expire():
        yield from world.news(outcome)


def give_up(world: SearchedWorld, command: Command) -> Iterator[str]:
    command.expect(1)
    client = member_of(world, command)
    assert client.member is not None, "it runs"
    awaited = (Kind.HEARTBEAT, client.member.state.in_flight)
    message = next(each for each in client.to_coordinator.messages if (each.kind, each.number) == awaited)
    yield from world.lose(client, message)


def lose_tail(world: SearchedWorld, command: Command) -> Iterator[str]:
    """Fail over without what was written last, and the answers that waited for it."""
    command.expect(0, *(name.lower() for name in world.clients))
    del world.host.log[world.host.tail :]
    world.host.fail_over()
    for name, client in world.clients.items():
        waiting = int(command.options.get(name.lower(), 0))
        lost = [client.from_coordinator.messages.pop() for _ in range(waiting)]
        for message in reversed(lost):
            yield from world.lose(client, message)


#: What can be commanded there.
SEARCHED: Verbs[SearchedWorld] = {
    **PAIR,
    "ring": ring,
    "expire": expire,
    "give-up": give_up,
    "lose-tail": lose_tail,
}


def searched_player() -> Player[SearchedWorld]:
    return Player(SearchedWorld(), SEARCHED)

"""The world where what was found is played again: the pair world, and the few verbs that only a search needs.

ring A heartbeat        this timer of A's rings, whatever it was set to: heartbeat, poll, leave or resolve
expire session A        this timer of the coordinator runs out: session or rebalance
give-up A               A waits no longer for its heartbeat, which is still under way
lose-tail a=1           a new coordinator reads the log, but for what was written last; with that an answer to A is lost
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from kafka_nextgen.coordinator.coordinator import Outcome
from kafka_nextgen.coordinator.timers import Arm, TimerKey, TimerKind
from kafka_nextgen.membership import events as ev
from kafka_nextgen.membership.timers import Timer
from tests.scenario_language import Player
from tests.scenario_language.grammar import Command
from tests.scenario_language.host import CoordinatorHost
from tests.scenario_language.network import Kind
from tests.scenario_language.pair import PairWorld
from tests.scenario_language.playing import Verbs
from tests.scenario_language.verbs.applications import member_of
from tests.scenario_language.world import GROUP
from tests.scenario_language.worlds import PAIR

__all__ = ["SEARCHED", "SearchedWorld", "searched_player"]


class TailedHost(CoordinatorHost):
    """A coordinator that knows where its last outcome begins in the log."""

    tail = 0

    def commit(self, outcome: Outcome) -> None:
        """Store an outcome and put it into force."""
        self.tail = len(self.log) if outcome.records else self.tail
        super().commit(outcome)


class SearchedWorld(PairWorld):
    """The pair world of a search."""

    def __init__(self) -> None:
        super().__init__()
        self.host: TailedHost = TailedHost()


def ring(world: SearchedWorld, command: Command) -> Iterator[str]:
    """Let a timer of a member ring."""
    command.expect(2)
    client, timer = member_of(world, command), Timer(command.words[1])
    assert client.member is not None, "it runs"
    state = client.member.state
    client.member.state = evolve(state, deadlines={**state.deadlines, timer: world.now})
    yield from world.feed(client, ev.TimePassed())


def expire(world: SearchedWorld, command: Command) -> Iterator[str]:
    """Let a timer of the coordinator run out."""
    command.expect(2)
    timers = world.host.coordinator.timers
    key = TimerKey(GROUP, TimerKind[command.words[0].upper()], command.words[1])
    timers.change(Arm(key, world.now, timers._armed[key].member_epoch))
    for outcome in world.host.expire():
        yield from world.news(outcome)


def give_up(world: SearchedWorld, command: Command) -> Iterator[str]:
    """Let a member give up waiting."""
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
    """A world of its own."""
    return Player(SearchedWorld(), SEARCHED)

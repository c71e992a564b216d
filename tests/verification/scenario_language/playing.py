"""Plays a scenario in a world, and writes it again with what really happened.

So a scenario passes if it comes back unchanged, and whatever is not written must not happen. After every command the
world's invariants are asked, which speak only when they are broken.

``quietly`` makes a block silent that only sets things up.

``interleave`` tries all orders of its steps, each from here, and tells the distinct states they end in. Then it is as
if nothing had been tried: the scenario goes on from before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from math import factorial, prod
from typing import Generic, Protocol, TypeVar

from attrs import frozen

from tests.verification.scenario_language.grammar import SEPARATOR, Block, Command, Scenario, ScenarioError, Step
from tests.verification.scenario_language.notation import NotationError

#: More orders than this are not tried: the scenario would rather be two.
MOST_ORDERS = 1_000


class Checked(Protocol):
    """What a player needs of a world."""

    def broken(self) -> list[str]:
        """A sentence for each invariant that is broken."""


class InvariantError(AssertionError):
    """What must always hold does not. The message begins with the line after whose command it broke, at which this
    ``happened``."""

    def __init__(self, message: str, happened: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.happened = tuple(happened)


W = TypeVar("W", bound=Checked)
Verbs = Mapping[str, Callable[[W, Command], Iterator[str]]]


@frozen
class Player(Generic[W]):
    """A world, and what can be commanded in it."""

    world: W
    verbs: Verbs[W]

    def play(self, scenario: Scenario) -> str:
        """Play all of it; the same text with what happened. Raises ``ScenarioError`` and ``InvariantError``."""
        return "\n\n".join(self._play_block(block) for block in scenario.blocks) + "\n"

    def _play_block(self, block: Block) -> str:
        happened = [line for command in block.commands for line in self._tell(command)]
        if any(command.verb == "quietly" for command in block.commands):
            happened = []
        return "\n".join([*block.written, *([SEPARATOR] if happened else []), *happened])

    def _tell(self, command: Command) -> Iterable[str]:
        if command.verb in ("worlds", "quietly"):
            return ()
        return self._interleave(command) if command.verb == "interleave" else self.perform(command)

    def perform(self, command: Command) -> list[str]:
        if command.verb not in self.verbs:
            raise command.error(f"no verb {command.verb!r} here; there are {', '.join(sorted(self.verbs))}")
        try:
            happened = list(self.verbs[command.verb](self.world, command))
        except ScenarioError:
            raise
        except NotationError as wrong:
            raise command.error(str(wrong)) from None
        broken = self.world.broken()
        if broken:
            raise InvariantError(f"line {command.line}: {'; '.join(broken)}", happened)
        return happened

    def _interleave(self, command: Command) -> Iterator[str]:
        if "state" not in self.verbs:
            raise command.error("interleave needs a world that can be looked into")
        ends: dict[tuple[str, ...], list[str]] = {}
        all_orders = _orders(command)
        for order in all_orders:
            ends.setdefault(self._end_of(order), []).append(" ".join(step.name for step, _ in order))
        if len(ends) == 1:
            yield "   in every order"
        for end, orders in ends.items():
            if len(ends) > 1:
                yield f"   in {len(orders)} of {len(all_orders)} orders, as {orders[0]}"
            yield from (f"   {line}" for line in end)

    def _end_of(self, order: Iterable[tuple[Step, Command]]) -> tuple[str, ...]:
        trial = Player(deepcopy(self.world), self.verbs)
        line = 0
        for _, command in order:
            trial.perform(command)
            line = command.line
        return tuple(trial.perform(Command(line, "state")))


_Order = tuple[tuple[Step, Command], ...]


def _orders(command: Command) -> list[_Order]:
    """All ways to merge the steps, each of which keeps its own order."""
    lengths = [len(step.commands) for step in command.steps]
    count = factorial(sum(lengths)) // prod(factorial(length) for length in lengths)
    if not 1 < count <= MOST_ORDERS:
        raise command.error(f"{count} orders: give it steps that can be ordered in 2 to {MOST_ORDERS} ways")
    return list(_merged(tuple(tuple((step, each) for each in step.commands) for step in command.steps)))


def _merged(steps: tuple[_Order, ...]) -> Iterator[_Order]:
    if not any(steps):
        yield ()
    for index, step in enumerate(steps):
        if step:
            rest = (*steps[:index], step[1:], *steps[index + 1 :])
            yield from ((step[0], *order) for order in _merged(rest))

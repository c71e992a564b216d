"""A run as its draws. These tell any seed exactly, also what the cluster world has no words for: each new fault, too.

draw c0/1_connection_1_to_0 4 0.97 answer-lost    the draw at this place of this stream; all others are 0, the plainest
run 213 then=safety                               so many events; then all heals, and the group has to settle

Names of streams are written with ``_``. The last word of ``draw`` says what is decided there, by the words of
``seams``: a file whose draw decides something else by now is refused, and does not pass by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, field

from tests.verification.scenario_language.grammar import Command
from tests.verification.simulation.dice import Dice, Draws, Fault, Place
from tests.verification.simulation.running import Mode, Simulation
from tests.verification.simulation.stories.seams import Seam, Seams
from tests.verification.simulation.stories.world import ClusterWorld, Verb


class NamingDice(Seams):
    """Dice that note what each draw decides."""

    words: dict[Place, str]

    def __init__(self, seed: int, draws: Draws | None) -> None:
        self.words = {}
        super().__init__(seed, draws)

    def _share(self, other: NamingDice) -> None:
        self.words = other.words

    def _note(self, seam: Seam, draw: Callable[[], Any]) -> Any:
        self.words[self._name, self._count] = (seam.word or seam.key).replace(" ", "-")
        return draw()

    def _decide(self, seam: Seam, kind: str, choices: Any, draw: Callable[[], Any]) -> Any:
        return self._note(seam, draw)

    def _comes(self, seam: Seam, fault: Fault, draw: Callable[[], bool]) -> bool:
        return bool(self._note(seam, draw))

    def _takes(self, seam: Seam, fault: Fault, low: float, draw: Callable[[], float]) -> float:
        return float(self._note(seam, draw))


@define(eq=False)
class _Drawn(Simulation):
    dice: NamingDice = field(init=False)

    def make_dice(self) -> Dice:
        return NamingDice(self.seed, self.draws)


def draws_as_commands(draws: Draws, events: int, then: Mode | None) -> Iterator[str]:
    """A run of these draws as commands; ``then`` if it is looked at how the group settles."""
    for (stream, number), value in sorted(draws.items()):
        if value:
            yield f"draw {stream.replace(' ', '_')} {number} {value!r}"
    yield f"run {events}{f' then={then.value}' if then else ''}"


def named(written: Sequence[str], commands: Sequence[Command]) -> Iterator[str]:
    """The same commands, with what each draw decides."""
    world = ClusterWorld()
    for command in commands:
        if command.verb in DRAWN:
            DRAWN[command.verb](world, command)
    words = world.words
    for text, command in zip(written, commands, strict=True):
        word = words.get(_place(command)) if command.verb == "draw" else None
        yield f"{text} {word}" if word else text


def _place(command: Command) -> Place:
    return command.name.replace("_", " "), int(command.words[1])


def draw(world: ClusterWorld, command: Command) -> None:
    command.expect(range(3, 5))
    value, *decides = command.words[2:]
    world.draws[_place(command)] = float(value)
    if not 0.0 <= float(value) < 1.0:
        raise command.error(f"{value} is not from 0 to below 1")
    if decides:
        world.decided[_place(command)] = decides[0]


def run(world: ClusterWorld, command: Command) -> None:
    command.expect(1, "then")
    if world.has_begun:
        raise command.error("a run of draws stands alone")
    world.has_begun = True
    mode = Mode(command.options.get("then", Mode.SAFETY.value))
    settles = "then" in command.options
    drawn = _Drawn(0, int(command.name), mode, world.draws, settles, judge=world.stage.judge)
    world.verdict = drawn.run()
    world.words = drawn.dice.words
    for (stream, number), word in world.decided.items():
        now = world.words.get((stream, number), "nothing")
        if now != word:
            raise command.error(f"draw {number} of {stream} decides {now}, and not {word}")


DRAWN: Mapping[str, Verb] = {"draw": draw, "run": run}

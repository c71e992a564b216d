"""Tells a finding as commands of the cluster world: those that it needs. What is told is played, and has to show it.

What words do not show is told by its draws, which show all there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice

from attrs import frozen

from tests.verification.scenario_language import InvariantError, Player, parse
from tests.verification.scenario_language.grammar import SEPARATOR, Command
from tests.verification.scenario_language.notation import NotationError
from tests.verification.simulation.mutants import MUTANTS, Mutant, planted
from tests.verification.simulation.running import Mode
from tests.verification.simulation.stories.drawn import draws_as_commands, named
from tests.verification.simulation.stories.editing import Editor
from tests.verification.simulation.stories.recording import Recording, commands_in
from tests.verification.simulation.stories.verbs import cluster_player
from tests.verification.simulation.stories.world import ClusterWorld


class UntoldError(ValueError):
    """A finding that can't be told."""


@frozen
class Story:
    """The commands that show a finding, and what they come to."""

    commands: tuple[str, ...]
    finding: str
    bug: Mutant | None = None

    @property
    def is_drawn(self) -> bool:
        """Whether it is told by draws, and not in words."""
        return any(command.startswith("run ") for command in self.commands)

    def text(self, *comments: str) -> str:
        """As a scenario, with what happens until something is broken."""
        with _with(self.bug):
            return "\n".join([*(f"# {comment}" for comment in comments), *_text(self.commands)]) + "\n"


def ends_as(commands: Iterable[str]) -> str | None:
    """What is found when these are played, first of all; None for nothing. Raises ``ScenarioError``."""
    player = cluster_player(tells=False)
    for command in parsed(commands):
        try:
            player.perform(command)
        except InvariantError:
            return player.world.broken()[0]
        except NotationError:
            raise
        except Exception as stumble:
            return f"{type(stumble).__name__}: {stumble}"
    return None


def _text(commands: Sequence[str]) -> Iterator[str]:
    """All of it, with what happens; a block ends where something did."""
    player = cluster_player()
    yield "worlds cluster"
    is_new = False
    for written_command, command in zip(commands, parsed(commands), strict=True):
        if is_new:
            yield ""
        yield written_command
        happened = _happens(player, command)
        is_new = bool(happened)
        yield from [SEPARATOR, *happened] if happened else []


def _happens(player: Player[ClusterWorld], command: Command) -> list[str]:
    """What happens at a command, also if it is the last."""
    world, told = player.world, list[str]()
    try:
        told += player.verbs[command.verb](world, command)
    except Exception as stumble:
        told += [*world.told(world.stage.timeline.now), f"   {type(stumble).__name__}: {stumble}"]
    return told


def parsed(commands: Iterable[str]) -> Sequence[Command]:
    return parse("\n".join(["worlds cluster", *commands]) + "\n").blocks[0].commands[1:]


def tell(
    seed: int,
    events: int,
    mode: Mode = Mode.SAFETY,
    bug: Mutant | None = None,
    *,
    tries: int = 1_000,
    settles: bool = True,
    by_draws: bool = True,
) -> Story | None:
    """Tell what a seed finds; None for nothing. Raises ``UntoldError`` if what is told comes to something else.

    Of a ``bug`` that is planted is told what nothing is found in without it. ``by_draws`` if what words do not show is
    told by draws.
    """
    recording = Recording(seed, events, mode, settles=settles)
    with _with(bug):
        finding = _found(recording)
    if finding is None:
        return None
    holds = _Holds(rule_of(finding), bug)
    ways = _ways(recording, events, mode) if by_draws else islice(_ways(recording, events, mode), 1)
    commands = next(filter(holds, ways), None)
    if commands is None:
        raise UntoldError(f"what is told is not {finding}, or the same is found without the bug")
    commands = Editor(commands, holds, tries).run()
    commands = tuple(named(commands, parsed(commands)))
    return Story(commands, _ends_as(commands, bug) or "", bug)


def _ways(recording: Recording, events: int, mode: Mode) -> Iterator[tuple[str, ...]]:
    """All that was in a run as commands: in words, then by draws."""
    has_settled = recording.timeline.happened > events
    yield tuple(commands_in(recording, settles=has_settled))
    last = min(events, recording.timeline.happened)
    yield tuple(draws_as_commands(recording.dice.drawn, last, mode if has_settled else None))


@frozen
class _Holds:
    """Whether commands show what a rule says: of a bug that is planted, with it alone."""

    rule: str
    bug: Mutant | None

    def __call__(self, commands: Sequence[str]) -> bool:
        try:
            found = _ends_as(commands, self.bug)
            return rule_of(found or "") == self.rule and (self.bug is None or ends_as(commands) is None)
        except NotationError:
            return False


def _with(bug: Mutant | None) -> AbstractContextManager[None]:
    return nullcontext() if bug is None else planted(bug)


def _ends_as(commands: Sequence[str], bug: Mutant | None) -> str | None:
    with _with(bug):
        return ends_as(commands)


def _found(recording: Recording) -> str | None:
    """What a run finds first. A machine that stumbles has found its own mistake."""
    try:
        return next(iter(recording.run().broken), None)
    except Exception as stumble:
        return f"{type(stumble).__name__}: {stumble}"


def rule_of(finding: str) -> str:
    return re.sub(r"[\[\d,\s-]+\]|\bc\d+/\d+(?:-\d+)*|\bt\d+|\d+", "", finding)


def rule_shown(commands: Sequence[str], story: str, bug: Mutant) -> str:
    """The rule that a story breaks with the bug; without it no rule is broken, and the story plays to its end."""
    assert ends_as(commands) is None
    cluster_player().play(parse(story))
    with planted(bug):
        found = ends_as(commands)
        try:
            cluster_player().play(parse(story))
            raise AssertionError("the story plays to its end with the bug")
        except InvariantError:
            return rule_of(found or "")


def told(seed: int, events: int, mode: Mode, plant: str | None = None) -> str:
    """What the seed finds, made small and told, fit for ``tests/scenarios/found/``; or why it can't be told."""
    try:
        story = tell(seed, events, mode, None if plant is None else MUTANTS[plant])
    except UntoldError as error:
        return f"# Seed {seed} ({mode.value}) can't be told: {error}.\n"
    if story is None:
        return f"# Seed {seed} ({mode.value}) finds nothing.\n"
    bug = "" if plant is None else f", with {plant} planted"
    finding = re.sub(r"\b(c\d+)/1\b", r"\1", story.finding)
    return story.text(f"Seed {seed} ({mode.value}){bug}: {finding}.")

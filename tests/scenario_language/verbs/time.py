"""Time: ``tick 5s``. Timers run out, each at its time, and nothing else passes it."""

from __future__ import annotations

from collections.abc import Iterator

from tests.scenario_language.grammar import Command
from tests.scenario_language.notation import parse_duration
from tests.scenario_language.verbs.classic_requests import tell_arrived
from tests.scenario_language.world import World

__all__ = ["tick"]


def tick(world: World, command: Command) -> Iterator[str]:
    """Let time pass."""
    command.expect(1)
    yield from world.pass_time(parse_duration(command.name))
    yield from tell_arrived(world)

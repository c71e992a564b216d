"""Random walks in the pair world: each step is commands of the language, so that a failing walk reads as a scenario."""

from __future__ import annotations

from functools import cache

from tests.verification.scenario_language.grammar import Scenario, ScenarioError, parse
from tests.verification.scenario_language.pair import PairWorld
from tests.verification.scenario_language.playing import Player
from tests.verification.scenario_language.worlds import PAIR


class PairWalk:
    """After every command all holds that scenarios watch, or ``InvariantError`` is raised."""

    def __init__(self, *commands: str) -> None:
        self.world = PairWorld()
        self._player = Player(self.world, PAIR)
        for each in commands:
            self.do(each)

    def do(self, commands: str) -> str:
        """Play commands with semicolons between them; what happened."""
        return self._player.play(_parsed(commands)).partition("----\n")[2]

    def take(self, step: str) -> None:
        """Play commands, unless there is nothing to deliver, to answer or to lose just now."""
        try:
            self.do(step)
        except ScenarioError as impossible:
            if "never settles" in str(impossible):
                raise


@cache
def _parsed(commands: str) -> Scenario:
    return parse("worlds pair\n" + commands.replace("; ", "\n") + "\n")

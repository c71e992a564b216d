"""The examples of ``docs/internals/scenarios.md`` come back as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.scenarios.files import PLAYERS, player_of
from tests.verification.scenario_language import parse
from tests.verification.scenario_language.worlds import PAIR, PURE, SCRIPTED
from tests.verification.simulation.stories.verbs import CLUSTER

PAGE = (Path(__file__).parents[2] / "docs" / "internals" / "scenarios.md").read_text()
EXAMPLES = re.findall(r"```scenario\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: str) -> None:
    scenario = parse(example)
    assert player_of(scenario).play(scenario) == example


def test_there_are_examples_of_every_world_without_sockets() -> None:
    assert {world for example in EXAMPLES for world in parse(example).worlds} >= {*PLAYERS}


@pytest.mark.parametrize("verb", sorted({*PURE, *PAIR, *SCRIPTED, *CLUSTER, "interleave", "quietly", "worlds"}))
def test_every_verb_is_on_the_page(verb: str) -> None:
    assert re.search(rf"`[^`\n]*\b{verb}\b[^`\n]*`", PAGE)

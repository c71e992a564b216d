"""The examples of ``docs/scenarios.md`` come back as they are written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kafka_nextgen.scenarios import pair_player, parse, pure_player
from kafka_nextgen.scenarios.worlds import PAIR, PURE

PAGE = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text()
EXAMPLES = re.findall(r"```scenario\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: str) -> None:
    scenario = parse(example)
    player = pair_player(scenario) if "pair" in scenario.worlds else pure_player(scenario)
    assert player.play(scenario) == example


def test_there_are_examples_of_both_worlds() -> None:
    assert {world for example in EXAMPLES for world in parse(example).worlds} >= {"pure", "pair"}


@pytest.mark.parametrize("verb", sorted({*PURE, *PAIR, "interleave", "quietly", "worlds"}))
def test_every_verb_is_on_the_page(verb: str) -> None:
    assert re.search(rf"`[^`\n]*\b{verb}\b[^`\n]*`", PAGE)

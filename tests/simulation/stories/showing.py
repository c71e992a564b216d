"""Whether a story shows a planted bug, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.scenario_language import InvariantError, parse
from tests.simulation.mutants import Mutant, planted
from tests.simulation.stories.rules import rule_of
from tests.simulation.stories.telling import ends_as
from tests.simulation.stories.verbs import cluster_player

__all__ = ["rule_shown"]


def rule_shown(commands: Sequence[str], story: str, bug: Mutant) -> str:
    """The rule that a story breaks with the bug; without it no rule is broken, and the story plays to its end."""
    assert ends_as(commands) is None
    cluster_player().play(parse(story))
    with planted(bug):
        found = ends_as(commands)
        with pytest.raises(InvariantError):
            cluster_player().play(parse(story))
    assert found is not None
    return rule_of(found)

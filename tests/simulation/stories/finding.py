"""A seed that found something, as a scenario."""

from __future__ import annotations

import re

from tests.simulation.mutants import MUTANTS
from tests.simulation.running import Mode
from tests.simulation.stories.telling import UntoldError, tell

__all__ = ["told"]


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

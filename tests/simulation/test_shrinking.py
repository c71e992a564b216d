"""A planted bug is found, and its run is made small."""

from __future__ import annotations

import pytest

from kafka_nextgen.membership import heartbeats
from tests.simulation.running import Simulation
from tests.simulation.shrinking import shrunk


def test_a_planted_bug_comes_down_to_a_few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full heartbeat of a member that reconciles does not name what it is about to have."""
    monkeypatch.setattr(heartbeats, "_reported", lambda state: state.owned)
    rule = "what the application has is reported until it is done giving it up"
    seed = next(seed for seed in range(1, 100) if _finding(seed).endswith(rule))
    whole = Simulation(seed)
    whole.run()
    small = shrunk(seed, 2_000, tries=500)
    assert small.verdict.broken[0].endswith(rule)
    assert len(small.draws) <= 100 < len(whole.dice.drawn)
    assert Simulation(0, small.events, draws=small.draws).run() == small.verdict


def _finding(seed: int) -> str:
    return next(iter(Simulation(seed).run().broken), "")


def test_a_seed_without_a_finding_can_not_be_made_small() -> None:
    with pytest.raises(ValueError, match="nothing is found in seed 1"):
        shrunk(1, 100)

"""Planted bugs are found: each by the seed that is known to show it."""

from __future__ import annotations

import pytest

from tests.simulation.mutants import MUTANTS, planted
from tests.simulation.mutants.known import KNOWN
from tests.simulation.mutants.trying import finds


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_planted_bug_is_found(name: str) -> None:
    seed, events = KNOWN[name]
    assert finds(MUTANTS[name], seed, events) is not None


def test_all_is_put_back() -> None:
    """The last one planted finds the package as the first one did."""
    for mutant in MUTANTS.values():
        before = {id(module): dict(vars(module)) for module in _modules()}
        with planted(mutant):
            pass
        assert before == {id(module): dict(vars(module)) for module in _modules()}, mutant.name


def _modules() -> list[object]:
    from kafka_nextgen.coordinator import fencing, heartbeat, reconciliation
    from kafka_nextgen.membership import heartbeats, transitions

    return [fencing, heartbeat, reconciliation, heartbeats, transitions]

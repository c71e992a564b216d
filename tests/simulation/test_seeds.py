"""Seeds: nothing is found, and the same seed is the same run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.simulation.running import Mode, Simulation


@pytest.mark.parametrize("first", range(1, 61, 6))
def test_nothing_is_found(first: int) -> None:
    for seed in range(first, first + 6):
        assert not Simulation(seed, most_events=1_000).run().broken, seed


@pytest.mark.parametrize("first", range(61, 97, 6))
def test_nothing_is_found_where_some_faults_stay(first: int) -> None:
    for seed in range(first, first + 6):
        assert not Simulation(seed, 1_000, Mode.LIVENESS).run().broken, seed


def test_the_same_seed_is_the_same_run_whatever_hashes_are() -> None:
    code = "from tests.simulation.running import *; s = Simulation(7); print(s.run(), sorted(s.dice.drawn.items()))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(runs) == 1

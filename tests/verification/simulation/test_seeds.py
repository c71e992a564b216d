"""Seeds: nothing is found, and the same seed is the same run."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kafka_nextgen.testing.coordinator.settings import Profile
from tests.support.examples import examples
from tests.verification.simulation.casting import Mixture
from tests.verification.simulation.recording import Recording
from tests.verification.simulation.running import Mode, Simulation, mode_of

_EVENTS = 400
_A_PIECE = 10


@pytest.mark.random
@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("first", range(1, 1 + examples(150), _A_PIECE))
def test_nothing_is_found(first: int, mode: Mode) -> None:
    for seed in range(first, first + _A_PIECE):
        assert not Simulation(seed, _EVENTS, mode).run().broken, seed


@pytest.mark.random
@pytest.mark.parametrize("first", range(1, 1 + examples(50), _A_PIECE))
@pytest.mark.parametrize(
    ("has_standbys", "has_leaving", "profile"),
    [
        pytest.param(True, False, Profile.V4_4, id="members stand by"),
        pytest.param(False, True, Profile.V4_4, id="members are announced to leave"),
        pytest.param(False, False, Profile.V4_3, id="coordinators are like the release before"),
    ],
)
def test_nothing_is_found_in_other_groups(first: int, has_standbys: bool, has_leaving: bool, profile: Profile) -> None:
    """Groups of classic members alone are the same in both releases."""
    for seed in range(first, first + _A_PIECE):
        run = Simulation(
            seed, _EVENTS, mode_of(seed), has_standbys=has_standbys, has_leaving=has_leaving, profile=profile
        )
        if has_standbys or has_leaving or run.casting.mixture is not Mixture.CLASSIC:
            assert not run.run().broken, seed


class _Digest:
    """Takes down no more of a log than what tells it from others."""

    def __init__(self) -> None:
        self.of = hashlib.sha256()

    def write(self, text: str) -> None:
        self.of.update(text.encode())


def _digest_of_runs() -> str:
    digest = _Digest()
    for seed, mode in ((7, Mode.SAFETY), (8, Mode.LIVENESS), (9, Mode.SAFETY)):
        Simulation(seed, _EVENTS, mode, recording=Recording(digest)).run()
    return digest.of.hexdigest()


def test_the_same_seed_has_the_same_log_whatever_hashes_are() -> None:
    code = "from tests.verification.simulation.test_seeds import _digest_of_runs; print(_digest_of_runs())"
    logs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert logs == {_digest_of_runs() + "\n"}


def test_the_same_seed_has_the_same_log_on_every_python() -> None:
    """The first Python that runs this leaves its digest for the others (``.ci/pythons``)."""
    name = os.environ.get("SIMULATION_DIGEST")
    if name is None:
        pytest.skip("SIMULATION_DIGEST names no file to compare with other Pythons by")
    kept = Path(name)
    if not kept.exists():
        kept.write_text(_digest_of_runs())
    assert kept.read_text() == _digest_of_runs()


def test_the_log_says_what_happened(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as log:
        simulation = Simulation(7, 200, recording=Recording(log), settles=False)
        simulation.run()
    lines = (tmp_path / "log").read_text().splitlines()
    words = {line.split(" ")[2] + " " + line.split(" ")[4] for line in lines if " node " in line}
    assert sum(line.endswith(" all went on ") for line in lines) == simulation.timeline.happened
    assert {"node asked", "node answers", "node appends"} <= words
    assert any(" got " in line for line in lines)

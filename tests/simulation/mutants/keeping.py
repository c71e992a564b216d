"""What was tried is kept, so that one may stop and go on: as long as nothing that has to do with it has changed."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

from attrs import asdict, define, field, frozen

from tests.simulation.mutants.planting import Mutant
from tests.simulation.mutants.trying import Death, Trial

__all__ = ["Kept", "Setting"]

_ROOT = Path(__file__).parents[3]
_HERE = Path(__file__).parent


@frozen
class Setting:
    """How bugs are tried: how many events of each seed until all heals, and from how many seeds on."""

    events: int
    starts: int


@define
class Kept:
    """A file of what was tried. Each line has all of one bug by then; the last one counts."""

    path: Path
    setting: Setting
    _lines: dict[str, dict[str, object]] = field(init=False)

    def __attrs_post_init__(self) -> None:
        lines = map(json.loads, self.path.read_text().splitlines()) if self.path.exists() else ()
        self._lines = {line["name"]: line for line in lines}

    def trial(self, mutant: Mutant) -> Trial:
        """What was tried so far."""
        line = self._lines.get(mutant.name)
        if line is None or line["of"] != self._state(mutant):
            return Trial([None] * self.setting.starts)
        deaths: list[Death | None] = [each and Death(**each) for each in line["deaths"]]  # type: ignore[attr-defined]
        return Trial(deaths, line["tried"])  # type: ignore[arg-type]

    def keep(self, mutant: Mutant, trial: Trial) -> None:
        """Keep what was tried by now."""
        line = {"name": mutant.name, "of": self._state(mutant), **asdict(trial)}
        self._lines[mutant.name] = line
        self.path.parent.mkdir(exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(line) + "\n")

    def _state(self, mutant: Mutant) -> str:
        """Of all that decides how a trial goes."""
        module = mutant.plant.__module__.rpartition(".")[2]
        return _digest(_of_all(), (_HERE / f"{module}.py").read_bytes(), repr(self.setting).encode())


@cache
def _of_all() -> bytes:
    paths: Iterable[Path] = (
        *sorted((_ROOT / "kafka_nextgen").rglob("*.py")),
        *sorted((_ROOT / "tests" / "invariants").glob("*.py")),
        *sorted((_ROOT / "tests" / "scenario_language").rglob("*.py")),
        *sorted((_ROOT / "tests" / "simulation").glob("*.py")),
        _HERE / "planting.py",
        _HERE / "trying.py",
    )
    return _digest(*(path.read_bytes() for path in paths if not path.name.startswith("test_"))).encode()


def _digest(*parts: bytes) -> str:
    return sha256(b"".join(sha256(part).digest() for part in parts)).hexdigest()

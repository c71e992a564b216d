"""A decoder fuzzed for a time: in processes of their own, of which one after the other may die.

Each finding is kept as the input that led to it, with the traceback beside it, and counts once: by the place it was
raised at, or by the way the process ended. The next process goes on with another seed.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from attrs import define, field, frozen

from tests.verification.fuzz.child import FINDING, SLATE
from tests.verification.fuzz.watch import Slate

HANG_S = 20.0
_POLL_S = 0.1
_LINES_KEPT = 30


@frozen
class Finding:
    """An input that a decoder neither takes nor refuses, and what happens instead."""

    data: bytes
    what: str

    @property
    def place(self) -> str:
        """By what it is told from others: the last lines of a traceback, without the values in them."""
        lines = [line.strip() for line in self.what.splitlines() if line.startswith("  File")]
        return lines[-1] if lines else self.what.partition("\n")[0]

    def path_in(self, folder: Path, decoder: str) -> Path:
        """Where the input is kept in a folder; what it led to is beside it, as text."""
        return folder / f"{decoder}-{hashlib.sha256(self.data).hexdigest()[:12]}"

    def keep_in(self, folder: Path, decoder: str) -> Path:
        """Write both into a folder, unless they are there; return where the input is."""
        path = self.path_in(folder, decoder)
        if path.exists():
            return path
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data)
        path.with_suffix(".txt").write_text(self.what)
        return path


@define
class Campaign:
    """What was tried so far, and found."""

    decoder: str
    engine: str
    seconds: float
    seed: int
    hang_s: float = HANG_S
    most_findings: int = 10
    inputs: int = 0
    findings: dict[str, Finding] = field(factory=dict)

    def run(self, tell: Callable[[Campaign], None] = lambda _: None) -> None:
        """Fuzz until the time is over; ``tell`` is called several times a second, and after each finding."""
        deadline = time.monotonic() + self.seconds
        seed = self.seed
        while (left := deadline - time.monotonic()) > 0 and len(self.findings) < self.most_findings:
            with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
                found = self._run_one(Path(folder), left, seed, tell)
            if found is None:
                return
            self.findings.setdefault(found.place, found)
            tell(self)
            seed += 1

    def _run_one(self, folder: Path, seconds: float, seed: int, tell: Callable[[Campaign], None]) -> Finding | None:
        slate, before = Slate(folder / SLATE), self.inputs
        command = [
            sys.executable,
            "-m",
            "tests.verification.fuzz.child",
            self.decoder,
            self.engine,
            str(seconds),
            str(seed),
            folder,
        ]
        with (folder / "output").open("wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        moved_at, hangs = time.monotonic(), False
        while process.poll() is None:
            if before + slate.count != self.inputs:
                moved_at, self.inputs = time.monotonic(), before + slate.count
            elif slate.count and time.monotonic() > moved_at + self.hang_s:
                hangs = True
                process.kill()
            tell(self)
            time.sleep(_POLL_S)
        self.inputs = before + slate.count
        return self._finding(process.returncode, hangs, slate, folder)

    def _finding(self, status: int, hangs: bool, slate: Slate, folder: Path) -> Finding | None:
        told = folder / FINDING
        if told.exists():
            return Finding(slate.last, told.read_text())
        if hangs:
            return Finding(slate.last, f"no end within {self.hang_s:g} s")
        if status == 0:
            return None
        output = (folder / "output").read_text(errors="replace")
        assert slate.count, f"{self.decoder} could not begin:\n{output}"
        said = "\n".join(output.splitlines()[-_LINES_KEPT:])
        return Finding(slate.last, f"the process ended with status {status}\n{said}")

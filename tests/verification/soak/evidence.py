"""What a soak's logs have about a finding: what the member told before it, what was done to it, and what it logged.

The logs of a run elsewhere are gone when its failure is read, so the test that fails shows this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_LINES = 25  # of each log
_ROUTINE = ('"delivered"', '"committed"', '"vitals"')
_AT = re.compile(r"(\d+\.\d+): ")


def evidence(findings: Iterable[str], logs: Path) -> str:
    """Return, for each finding, the last lines up to it about the member that it names, and the end of its stderr."""
    told = (logs / "events.log").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for finding in findings for line in _of(finding, logs, told))


def _of(finding: str, logs: Path, told: list[str]) -> list[str]:
    members = [path for path in logs.glob("*.stderr") if path.stem in finding.split()]
    about = [line for path in members for line in told if path.stem in line.split() and _is_worth_it(line, finding)]
    errors = [line for path in members for line in path.read_text(errors="replace").splitlines()[-_LINES:]]
    return [finding, *about[-_LINES:], *errors]


def _is_worth_it(line: str, finding: str) -> bool:
    found_at = _AT.match(finding)
    is_later = found_at is not None and float(line.split(None, 1)[0]) > float(found_at[1]) + 1.0
    return not is_later and not any(what in line for what in _ROUTINE)

"""Running an example of Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["EXAMPLES", "QUICK_JAVA", "run"]

EXAMPLES = Path(__file__).parents[2] / "examples"

#: Short runs end before a better compiler pays.
QUICK_JAVA = {"JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:-UsePerfData"}


def run(name: str, home: Path, *options: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *options],
        cwd=home,
        env={**os.environ, **QUICK_JAVA} if env is None else env,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

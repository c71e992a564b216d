"""Running an example of Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.spark import INTERPRETED, java_options
from tests.support.waiting import TEST_S

EXAMPLES = Path(__file__).parents[2] / "examples"


def quick_java() -> Mapping[str, str]:
    """Return an environment in which Java starts quickly: the examples end before a compiler pays."""
    interpreted = (f"-D{name}={value}" for name, value in INTERPRETED.items())
    return {"JDK_JAVA_OPTIONS": " ".join([java_options(), *interpreted])}


def run(name: str, home: Path, *options: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *options],
        cwd=home,
        env={**os.environ, **quick_java()} if env is None else env,
        capture_output=True,
        text=True,
        timeout=TEST_S,
        check=False,
    )

"""Running an example."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.waiting import GUARD_S

EXAMPLES = Path(__file__).parents[2] / "examples"
RECORDS = 20


def run_example(name: str, servers: str, *options: str) -> list[str]:
    arguments = ["--bootstrap-servers", servers, "--topic", "orders", "--max-messages", str(RECORDS), *options]
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py"), *arguments],
        capture_output=True,
        text=True,
        timeout=GUARD_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()

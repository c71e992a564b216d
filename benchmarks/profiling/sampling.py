"""Looking at a module of this package by py-spy while it runs, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import attrs

from benchmarks.processes import ROOT

__all__ = ["sampled"]

_ALL_THREADS = ("--native", "--idle")
_WORKING_ONLY = ("--subprocesses",)


def sampled(module: str, task: attrs.AttrsInstance, hz: int, subprocesses: bool = False) -> Sequence[str]:
    """Run ``module`` with ``task`` and look at all its threads so many times a second, also into C.

    With ``subprocesses`` look at all Python processes that it starts as well, but at threads that work only, and not
    into C.

    Gives py-spy's raw format, a line for each stack. Raises CalledProcessError, whose output says why.
    """
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder) / "raw"
        depth = _WORKING_ONLY if subprocesses else _ALL_THREADS
        looking = [*depth, "--threads", "--full-filenames", "--rate", str(hz), "--format", "raw"]
        run = [sys.executable, "-m", module, json.dumps(attrs.asdict(task))]
        command = ["py-spy", "record", *looking, "--output", str(raw), "--", *run]
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(command, cwd=ROOT, env={**os.environ, "PATH": path}, check=True, capture_output=True)
        return raw.read_text().splitlines()

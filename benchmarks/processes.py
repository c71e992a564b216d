"""Processes that measure: a module of this package is run afresh, told a task as JSON, and answers with JSON.

A client is measured in a process of its own, so that neither the interpreter, the memory nor the caches of one are
the other's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

__all__ = ["ROOT", "answer", "ask", "told"]

ROOT = Path(__file__).parent.parent
T = TypeVar("T")


def ask(module: str, task: attrs.AttrsInstance, made_of: Callable[..., T], env: Mapping[str, str] | None = None) -> T:
    """Run ``module`` with ``task`` and return its answer, as an instance of ``made_of``.

    Raises RuntimeError with the process's own words if it fails.
    """
    done = subprocess.run(
        [sys.executable, "-m", module, json.dumps(attrs.asdict(task))],
        cwd=ROOT,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{module} {task} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    values: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made_of(**values)


def told(made_of: Callable[..., T]) -> T:
    """The task that this process was started with."""
    values: dict[str, Any] = json.loads(sys.argv[1])
    return made_of(**values)


def answer(value: attrs.AttrsInstance) -> None:
    """Tell whoever asked."""
    print(json.dumps(attrs.asdict(value)), flush=True)

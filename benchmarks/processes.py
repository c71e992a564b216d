"""Processes that measure: a module of this package is run afresh, told a task as JSON, and answers with JSON.

A client is measured in a process of its own, so that neither the interpreter, the memory nor the caches of one are
the other's.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import attrs

__all__ = ["ROOT", "answer", "ask", "asking", "run", "running", "told"]

ROOT = Path(__file__).parent.parent
T = TypeVar("T")


def ask(module: str, task: attrs.AttrsInstance, made_of: Callable[..., T], env: Mapping[str, str] | None = None) -> T:
    """Run ``module`` with ``task`` and return its answer, as an instance of ``made_of``.

    Raises RuntimeError with the process's own words if it fails.
    """
    return made_of(**run(module, json.dumps(attrs.asdict(task)), env=env))


def run(module: str, *arguments: str, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run ``module`` and return the JSON object that its last line is; RuntimeError as ``ask``."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**_with_bytecode(os.environ), **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{module} {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    answered: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answered


def _with_bytecode(env: Mapping[str, str]) -> dict[str, str]:
    """As an installed client has it: else each process compiles what is imported from here, and only that."""
    return {name: value for name, value in env.items() if name != "PYTHONDONTWRITEBYTECODE"}


@contextmanager
def running(module: str, task: attrs.AttrsInstance) -> Iterator[Callable[[str], dict[str, Any]]]:
    """Run ``module`` with ``task`` until the end of the context, as ``asking`` does a command."""
    command = [sys.executable, "-m", module, json.dumps(attrs.asdict(task))]
    with asking(f"{module} {task}", command) as ask_it:
        yield ask_it


@contextmanager
def asking(name: str, command: Sequence[str]) -> Iterator[Callable[[str], dict[str, Any]]]:
    """Run ``command``, which errors call ``name``, until the end of the context, which ends its stdin.

    It says with a line that it has begun. Yields what asks it: with a line, which it answers with a JSON object. Raises
    RuntimeError if it fails.
    """
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None
    assert stdout is not None

    def hear() -> str:
        line = stdout.readline()
        if not line:
            raise RuntimeError(f"{name} ended with {process.wait(timeout=60)}, and its own words above")
        return line

    def ask_it(line: str) -> dict[str, Any]:
        with suppress(BrokenPipeError):  # it has ended, as its silence will tell
            print(line, file=stdin, flush=True)
        answered: dict[str, Any] = json.loads(hear())
        return answered

    try:
        hear()
        yield ask_it
    finally:
        with suppress(BrokenPipeError):
            stdin.close()
        code = process.wait(timeout=60)
    if code != 0:
        raise RuntimeError(f"{name} ended with {code}")


def told(made_of: Callable[..., T]) -> T:
    """The task that this process was started with."""
    values: dict[str, Any] = json.loads(sys.argv[1])
    return made_of(**values)


def answer(value: attrs.AttrsInstance) -> None:
    """Tell whoever asked."""
    print(json.dumps(attrs.asdict(value)), flush=True)

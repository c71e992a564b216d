"""A test that no signal ends is ended all the same, and so is a process that waits for a test and never gets one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import GUARD_S, slowness

ROOT = Path(__file__).parents[2]

CONFTEST = """
import os, sys, time
from tests.support.watchdog import Watchdog

def pytest_configure(config):
    stderr = os.dup(sys.__stderr__.fileno())
    config.pluginmanager.register(Watchdog(stderr, stuck_s=LIMIT_S, idle_s=LIMIT_S), "watchdog")
"""

#: C code that keeps the GIL: no other thread runs, and no signal handler.
STUCK = """
import itertools

def test_before():
    pass

def test_that_keeps_the_gil():
    sum(itertools.repeat(0))

def test_after():
    pass
"""

#: A thread like that of pytest-xdist, by which a process hears of its next test.
IDLE = """
def pytest_runtestloop(session):
    session.items[0].config.hook.pytest_runtest_protocol(item=session.items[0], nextitem=None)
    time.sleep(1000)
    return True
"""


def run(home: Path, conftest: str, *options: str) -> subprocess.CompletedProcess[str]:
    limit_s = slowness()
    (home / "conftest.py").write_text(conftest.replace("LIMIT_S", str(limit_s)))
    (home / "test_it.py").write_text(STUCK)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, "test_it.py"],
        cwd=home,
        env=environment | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=GUARD_S,
    )


def test_a_test_that_keeps_the_gil_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    ended = run(tmp_path, CONFTEST, "-n", "1", "--timeout", "0.5")
    assert "worker 'gw0' crashed while running 'test_it.py::test_that_keeps_the_gil'" in ended.stdout
    assert "1 failed, 2 passed" in ended.stdout
    assert 'test_it.py", line 8 in test_that_keeps_the_gil' in ended.stderr


@pytest.mark.parametrize("options", [[], ["-s"]], ids=["captured", "not captured"])
def test_so_is_a_process_that_has_no_test(tmp_path: Path, options: list[str]) -> None:
    ended = run(tmp_path, CONFTEST + IDLE, *options)
    assert ended.returncode == 1
    assert "in pytest_runtestloop" in ended.stderr

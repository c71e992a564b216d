"""The command that runs tests again and again beside busy processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flaky.__main__ import main
from tests.flaky.busy import busy_processes
from tests.flaky.report import Failure, Run, failures_in, summary

ROOT = Path(__file__).parents[2]

SOMETIMES = """
import pathlib
def test_fails_the_second_time():
    mark = pathlib.Path(__file__).with_name("mark")
    if mark.exists():
        raise ValueError("drawn from seed 42")
    mark.touch()
"""


def written(folder: Path, text: str) -> str:
    path = folder / "test_it.py"
    path.write_text(text)
    return str(path)


def test_a_test_that_fails_once_in_two_runs_is_told_with_its_seeds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--runs", "2", "--load", "1", "--seed", "7", written(tmp_path, SOMETIMES)]) == 1
    said = capsys.readouterr().out
    assert "1 of 2 runs green beside 1 busy processes" in said
    assert "failed 1 times in 2 runs: " in said
    assert "test_it.py::test_fails_the_second_time\n    --hypothesis-seed=8, seed 42; load" in said
    assert "ValueError: drawn from seed 42" in said


def test_runs_that_are_green_exit_with_0_and_what_follows_two_dashes_is_for_pytest(tmp_path: Path) -> None:
    test = written(tmp_path, SOMETIMES)
    assert main(["--runs", "2", "--load", "0", test, "--", "--collect-only"]) == 0


def test_a_run_without_a_report_has_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--runs", "1", "--load", "0", str(tmp_path / "missing.py")]) == 1
    assert "the run itself\n" in capsys.readouterr().out


def test_the_test_that_fails_most_often_comes_first() -> None:
    rare, often = Failure("tests/test_a.py::test_rare", "X"), Failure("tests/test_a.py::test_often", "Y", ("seed 3",))
    runs = [Run(1, 9.0, 5.0, 2, (rare, often)), Run(2, 11.5, 7.25, 2, (often,)), Run(3, 10.0, 6.0, 2, ())]
    assert summary(runs, busy=8).splitlines() == [
        "1 of 3 runs green beside 8 busy processes; the longest took 7.2 s",
        "failed 2 times in 3 runs: tests/test_a.py::test_often",
        "    --hypothesis-seed=1, seed 3; load 9.0: Y",
        "    --hypothesis-seed=2, seed 3; load 11.5: Y",
        "failed 1 times in 3 runs: tests/test_a.py::test_rare",
        "    --hypothesis-seed=1; load 9.0: X",
    ]


def test_a_fixture_that_fails_counts_too(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(
        '<a><testcase file="t.py" name="b"><error message="no broker&#10;more">said</error></testcase></a>'
    )
    assert failures_in(report) == (1, (Failure("t.py::b", "no broker"),))


def test_busy_processes_end_with_their_block() -> None:
    with busy_processes(2) as started:
        assert [process.poll() for process in started] == [None, None]
    assert [process.poll() for process in started] == [-signal.SIGKILL] * 2


def test_busy_processes_end_when_their_parent_is_killed() -> None:
    program = "import os, signal\nfrom tests.flaky.busy import busy_processes\n"
    program += "with busy_processes(2): os.kill(os.getpid(), signal.SIGKILL)"
    parent = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=ROOT, check=False)
    assert parent.returncode == -signal.SIGKILL  # and its output has ended, which its children shared


def test_a_sigterm_ends_the_busy_processes_and_the_tests(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    endless = written(
        tmp_path, f"import threading\ndef test_it():\n    open({str(fifo)!r}, 'w')\n    threading.Event().wait()\n"
    )
    command = [sys.executable, "-m", "tests.flaky", "--runs", "1", "--load", "2", endless]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT) as flaky:
        assert flaky.stdout is not None
        with fifo.open():  # once the test has begun
            flaky.send_signal(signal.SIGTERM)
            assert b"KeyboardInterrupt" in flaky.stdout.read()  # up to the end of the last process
    assert flaky.returncode == -signal.SIGINT

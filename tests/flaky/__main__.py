"""``python -m tests.flaky --runs 10 --load 8 tests/engine -- -n 2``: exit code 1 if any test failed in any run."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kafka_nextgen import clocks
from tests.flaky.busy import busy_processes
from tests.flaky.report import Failure, Run, failures_in, summary
from tests.support.ending import end_at_sigterm

#: How long (seconds) pytest may take to end what it has started, before it is killed.
_ENDING_S = 30.0
#: The exit codes of pytest that its report explains: all passed, and some failed.
_EXPLAINED = (0, 1)


def main(arguments: Sequence[str]) -> int:
    """Run the tests; return 1 if any failed, else 0."""
    ours, options = _split(arguments)
    parser = argparse.ArgumentParser(prog="python -m tests.flaky", description=__doc__)
    parser.add_argument("--runs", type=int, default=10, help="how often the tests run (%(default)s)")
    parser.add_argument("--load", type=int, default=8, help="how many processes are busy beside them (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="Hypothesis's seed of the first run (%(default)s)")
    parser.add_argument("tests", nargs="*", help="files, folders and ids; options of pytest after --")
    chosen = parser.parse_args(ours)
    runs: list[Run] = []
    try:
        with busy_processes(chosen.load):
            for number in range(chosen.runs):
                runs.append(run_once([*options, *chosen.tests], chosen.seed + number))
                last = runs[-1]
                print(f"run {number + 1}: {len(last.failures)} of {last.tests} failed, {last.took_s:.1f} s", flush=True)
    finally:  # a command that is interrupted tells what it has found so far
        print(summary(runs, chosen.load), flush=True)
    return int(any(run.failures for run in runs))


def _split(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    at = list(arguments).index("--") if "--" in arguments else len(arguments)
    return list(arguments[:at]), list(arguments[at + 1 :])


def run_once(arguments: Sequence[str], seed: int) -> Run:
    """Run pytest once, in a group of processes of its own, which ends with this call."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        options = [f"--junitxml={report}", "-o", "junit_family=xunit1", f"--hypothesis-seed={seed}"]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *arguments]
        begun = clocks.monotonic()
        with Path(folder, "output").open("w+") as output:
            returncode = _returncode_of(command, output.fileno())
            output.seek(0)
            last_line = (output.read().strip().splitlines() or ["nothing"])[-1]
        tests, failures = failures_in(report) if report.exists() else (0, ())
        if returncode not in _EXPLAINED or (returncode and not failures):
            failures = (*failures, Failure("the run itself", f"exit code {returncode}: {last_line}"))
        return Run(seed, os.getloadavg()[0], clocks.monotonic() - begun, tests, failures)


def _returncode_of(command: Sequence[str], output: int) -> int:
    pytest = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        return pytest.wait()
    except BaseException:
        _end(pytest)
        raise


def _end(pytest: subprocess.Popen[bytes]) -> None:
    """End pytest, so that its fixtures end what they have started, then kill what is left.

    It gets a SIGTERM and no SIGINT, which a shell has its background jobs ignore.
    """
    os.killpg(pytest.pid, signal.SIGTERM)
    try:
        pytest.wait(_ENDING_S)
    except subprocess.TimeoutExpired:
        os.killpg(pytest.pid, signal.SIGKILL)
        pytest.wait()


if __name__ == "__main__":
    end_at_sigterm()
    sys.exit(main(sys.argv[1:]))

"""What one run of pytest says, and what all of them say together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from attrs import frozen

#: What tests and Hypothesis print to repeat one example, beside the seed of the whole run.
_SEED = re.compile(r"@reproduce_failure\(.*?\)|@seed\(\d+\)|\bseed[ =:]+\d+")


@frozen
class Failure:
    """A test that failed in one run; ``why`` is the first line of its error, ``seeds`` are those that it printed."""

    test: str
    why: str
    seeds: tuple[str, ...] = ()


@frozen
class Run:
    """One run: ``seed`` is what Hypothesis began with, ``load`` the system's load average when it ended."""

    seed: int
    load: float
    took_s: float
    tests: int
    failures: tuple[Failure, ...]


def failures_in(report: Path) -> tuple[int, tuple[Failure, ...]]:
    """The number of tests in a JUnit report of pytest (family ``xunit1``), and those that failed."""
    cases = list(ElementTree.parse(report).iter("testcase"))  # our own pytest wrote it
    return len(cases), tuple(failure for case in cases for failure in _failures_of(case))


def _failures_of(case: ElementTree.Element) -> Iterator[Failure]:
    file, name = case.get("file"), case.get("name", "")
    test = name if file is None else f"{file}::{name}"
    for kind in ("failure", "error"):
        for found in case.iter(kind):
            why = (found.get("message") or "no message").splitlines()[0]
            yield Failure(test, why, tuple(dict.fromkeys(_SEED.findall(found.text or ""))))


def summary(runs: Sequence[Run], busy: int) -> str:
    """Each test that failed, how often, with which seeds and beside which load; the most frequent first."""
    found: dict[str, list[tuple[Run, Failure]]] = {}
    for run in runs:
        for failure in run.failures:
            found.setdefault(failure.test, []).append((run, failure))
    green = sum(not run.failures for run in runs)
    longest_s = max((run.took_s for run in runs), default=0.0)
    lines = [f"{green} of {len(runs)} runs green beside {busy} busy processes; the longest took {longest_s:.1f} s"]
    for test, failures in sorted(found.items(), key=lambda each: -len(each[1])):
        lines.append(f"failed {len(failures)} times in {len(runs)} runs: {test}")
        lines += [f"    {_told(run, failure)}" for run, failure in failures]
    return "\n".join(lines)


def _told(run: Run, failure: Failure) -> str:
    seeds = ", ".join((f"--hypothesis-seed={run.seed}", *failure.seeds))
    return f"{seeds}; load {run.load:.1f}: {failure.why}"

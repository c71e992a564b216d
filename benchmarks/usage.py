"""What the processes below this one use while a step runs: time, processor time, and the most memory."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from attrs import define, field, frozen

from benchmarks.spark_queries.processor import cpu_s

__all__ = ["Step", "measured"]

_PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


@define
class Peak:
    """The most memory (KiB) that each kind of process had at a time; shared pages count in each process."""

    java: int = 0
    python: int = 0
    total: int = 0
    _is_over: threading.Event = field(factory=threading.Event)

    def watch(self) -> None:
        """Look twice a second until it is over."""
        while not self._is_over.wait(0.5):
            found = _descendants(os.getpid())
            java = sum(each.kb for each in found if each.command == "java")
            python = sum(each.kb for each in found if each.command.startswith("python"))
            self.java, self.python = max(self.java, java), max(self.python, python)
            self.total = max(self.total, java + python)

    def end(self) -> None:
        """Look no more."""
        self._is_over.set()


@frozen
class _Process:
    parent: int
    command: str
    kb: int


def _descendants(root: int) -> list[_Process]:
    """The processes below this one. What Java is about to start has another name, and at first all of its memory."""
    found: dict[int, _Process] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            stat = (entry / "stat").read_text()
            pages = int((entry / "statm").read_text().split()[1])
        except (OSError, IndexError):  # it has ended meanwhile
            continue
        command = stat[stat.index("(") + 1 : stat.rindex(")")]
        found[int(entry.name)] = _Process(int(stat.rpartition(")")[2].split()[1]), command, pages * _PAGE_KB)
    return [each for number, each in found.items() if number != root and _is_below(number, root, found)]


def _is_below(process: int, root: int, found: Mapping[int, _Process]) -> bool:
    while process in found:
        process = found[process].parent
        if process == root:
            return True
    return False


@define
class Step:
    """A step: how long it took (s), its processor time (s), and the most memory (KiB) that was used at a time."""

    name: str
    took_s: float = 0
    cpu_s: float = 0
    peak: Peak = field(factory=Peak)


@contextmanager
def measured(name: str, steps: list[Step]) -> Iterator[None]:
    """Measure what is done in the context, as one more step."""
    step = Step(name)
    watcher = threading.Thread(target=step.peak.watch)
    watcher.start()
    began, cpu_began = time.monotonic(), cpu_s()
    try:
        yield
    finally:
        step.took_s, step.cpu_s = time.monotonic() - began, cpu_s() - cpu_began
        step.peak.end()
        watcher.join()
        steps.append(step)

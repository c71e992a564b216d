"""The processes of the measurement, seen from outside."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable

from benchmarks.gap.report import Callback, Gap, load

__all__ = ["Member", "Process"]


class Process:
    """A module of this package, run as a process that ends when its stdin does."""

    def __init__(self, module: str, *arguments: object) -> None:
        command = [sys.executable, "-m", f"benchmarks.gap.{module}", *map(str, arguments)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(timeout=60)
        if code != 0:
            raise RuntimeError(f"{self._process.args!r} ended with exit code {code}")

    def check(self) -> None:
        if self._process.poll() is not None:
            raise RuntimeError(f"{self._process.args!r} ended by itself")


class Member(Process):
    """A member of a group, what it owns and what it has told."""

    def __init__(self, *arguments: object) -> None:
        super().__init__("member", *arguments)
        self.callbacks: list[Callback] = []
        self.gaps: list[Gap] = []
        self._listening = threading.Thread(target=self._listen)
        self._listening.start()

    def owned(self) -> frozenset[int]:
        owned: frozenset[int] = frozenset()
        for callback in tuple(self.callbacks):
            owned = owned | callback.partitions if callback.what == "assigned" else owned - callback.partitions
        return owned

    def join(self) -> None:
        self.tell("join")

    def leave(self) -> None:
        self.tell("leave")

    def wait_until(self, owns: Callable[[int], bool], timeout_s: float = 60) -> None:
        """Return once the number of partitions it owns is right."""
        deadline = time.monotonic() + timeout_s
        while not owns(len(self.owned())):
            self.check()
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self._process.args!r} owns {sorted(self.owned())} after {timeout_s:g} s")
            time.sleep(0.02)

    def end(self) -> None:
        super().end()
        self._listening.join()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for text in self._process.stdout:
            told = load(text)
            if isinstance(told, Callback):
                self.callbacks.append(told)
            else:
                self.gaps = told

"""The workers: started, killed at random points, suspended, told to leave, and replaced."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.waiting import GUARD_S

ROOT = Path(__file__).parents[3]
#: After which line a kill is aimed, and how long (seconds) after it at most. None: at any time at all.
AIMS: tuple[tuple[str | None, float], ...] = ((None, 0.5), ("b", 0.01), ("o", 0.01), ("c", 0.02))


class Worker:
    """One process, and what it says."""

    def __init__(self, name: str, arguments: Sequence[str], log: Path, changed: threading.Condition) -> None:
        self.name = name
        self.said: dict[str, int] = {"b": 0, "o": 0, "c": 0, "a": 0}
        self.records = 0
        self.first_at = self.last_at = 0.0
        self._changed = changed
        self._is_suspended = False
        command = [sys.executable, "-m", "tests.verification.exactly_once.worker", *arguments]
        with log.open("a") as errors:
            self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=errors, text=True)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            kind, _, count = line.strip().partition(" ")
            with self._changed:
                self.said[kind] += 1
                if kind == "c":
                    self.records += int(count)
                    self.last_at = time.monotonic()
                self.first_at = self.first_at or time.monotonic()
                self._changed.notify_all()

    def wait_for(self, kind: str, timeout_s: float) -> bool:
        """Wait until it says this once more; returns whether it has."""
        with self._changed:
            before = self.said[kind]
            return self._changed.wait_for(lambda: self.said[kind] > before, timeout_s)

    @property
    def is_at_work(self) -> bool:
        return self.said["c"] > 0 and not self._is_suspended

    @property
    def is_in_transaction(self) -> bool:
        return self.said["b"] > self.said["c"] + self.said["a"]

    def suspend(self, seconds: float) -> threading.Timer:
        """Stop the process, and have it continue after so many seconds; the timer has started."""
        self._is_suspended = True
        self.process.send_signal(signal.SIGSTOP)
        timer = threading.Timer(seconds, self._resume)
        timer.start()
        return timer

    def _resume(self) -> None:
        with self._changed:
            self.process.send_signal(signal.SIGCONT)
            self._is_suspended = False
            self._changed.notify_all()

    def end(self, number: signal.Signals) -> int:
        """Send the signal, and return the exit code."""
        self.process.send_signal(number)
        code = self.process.wait()
        self._reader.join()
        return code


class Fleet:
    """Workers with a transactional id each, which their successors keep."""

    def __init__(self, size: int, arguments: Sequence[str], max_records: int, log: Path, seed: int) -> None:
        self._arguments = arguments
        self._max_records = max_records
        self._log = log
        self.chance = random.Random(seed)
        self._changed = threading.Condition()
        self.kills = self.kills_at_work = self.leaves = self.suspensions = self.aborts = self.records = 0
        self.unclean: list[int] = []
        self._timers: list[threading.Timer] = []
        self.workers = [self._start(f"worker-{number}") for number in range(size)]

    def _start(self, name: str) -> Worker:
        return Worker(name, [*self._arguments, name, str(self._max_records)], self._log, self._changed)

    def kill_one(self, patience_s: float = 2.0) -> None:
        """Kill a worker that is at work, at a random point, and start its successor."""
        index = self._choose()
        worker = self.workers[index]
        aim, spread_s = self.chance.choice(AIMS)
        if aim is not None:
            worker.wait_for(aim, patience_s)
        time.sleep(self.chance.random() * spread_s)
        self.kills_at_work += worker.is_in_transaction
        worker.end(signal.SIGKILL)
        self.kills += 1
        self._replace(index)

    def suspend_one(self, seconds: float, patience_s: float = 2.0) -> None:
        """Suspend a worker just after it has begun a transaction; meanwhile it is neither killed nor told to leave."""
        worker = self.workers[self._choose()]
        worker.wait_for("b", patience_s)
        self._timers.append(worker.suspend(seconds))
        self.suspensions += 1

    def let_one_leave(self) -> None:
        """Have a worker end in order, and start its successor."""
        index = self._choose()
        code = self.workers[index].end(signal.SIGTERM)
        if code != 0:
            self.unclean.append(code)
        self.leaves += 1
        self._replace(index)

    def wait_for_records(self, count: int, timeout_s: float) -> None:
        """Wait until the workers, those that are gone included, have said that so many records are committed."""

        def are_said() -> bool:
            return self.records + sum(worker.records for worker in self.workers) >= count

        with self._changed:
            self._changed.wait_for(are_said, timeout_s)

    def _choose(self) -> int:
        """Choose one of those that have committed a transaction; wait until there are any."""

        def at_work() -> list[int]:
            return [index for index, worker in enumerate(self.workers) if worker.is_at_work]

        with self._changed:
            found = self._changed.wait_for(at_work, GUARD_S)
        assert found, f"no worker has committed anything within {GUARD_S:.0f} s (workers.log)"
        return self.chance.choice(found)

    def _replace(self, index: int) -> None:
        self._count(self.workers[index])
        self.workers[index] = self._start(self.workers[index].name)

    def _count(self, worker: Worker) -> None:
        self.records += worker.records
        self.aborts += worker.said["a"]

    def died(self) -> list[str]:
        """The workers that ended by themselves."""
        return [worker.name for worker in self.workers if worker.process.poll() is not None]

    def end(self) -> None:
        """Have all of them end in order."""
        for timer in self._timers:
            timer.join()
        for worker in self.workers:
            is_ready = worker.said["b"] > 0  # before that, its handler of signals may not be there yet
            code = worker.end(signal.SIGTERM)
            self._count(worker)
            if is_ready and code != 0:
                self.unclean.append(code)

    def kill_all(self) -> None:
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.end(signal.SIGKILL)

"""A group of worker processes, seen from outside: started, told to leave, killed, and heard."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import define, field

from tests.endtoend.report import Line
from tests.support.waiting import GUARD_S

ROOT = Path(__file__).parents[2]


@define
class Worker:
    """One process and what it has told so far; ``ended_at`` is when a killed one was dead for certain."""

    name: str
    process: subprocess.Popen[str]
    errors: Path
    lines: list[Line] = field(factory=list)
    told: threading.Thread = field(init=False)
    ended_at: float | None = None
    may_end: bool = False

    def owned(self) -> set[int]:
        """Return what it owns as far as its own lines tell; nothing once it is dead."""
        owned: set[int] = set()
        for line in self.lines if self.ended_at is None else ():
            owned = owned | set(line.partitions) if line.what == "assigned" else owned - set(line.partitions)
        return owned


class Crew:
    """The workers of one group that read ``topic``; leaving the context ends whoever still runs.

    ``config`` is ``key=value`` for the consumers of all of them.
    """

    def __init__(
        self, bootstrap_servers: str, group: str, topic: str, partitions: int, logs: Path, config: Sequence[str] = ()
    ) -> None:
        self.group = group
        self._config = config
        self.partitions = partitions
        self.workers: dict[str, Worker] = {}
        self._command = [sys.executable, "-m", "tests.endtoend.worker", bootstrap_servers, group, topic]
        self._logs = logs
        self._news = threading.Condition()
        self._seen: dict[int, set[int]] = {partition: set() for partition in range(partitions)}

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *exception: object) -> None:
        for worker in self.workers.values():
            worker.process.kill()
            worker.process.wait()
            worker.told.join()
            assert worker.process.stdout is not None
            worker.process.stdout.close()

    def start(self, name: str, *config: str) -> None:
        """Start a worker; ``config`` is ``key=value`` for its consumer, beyond what all workers have."""
        errors = self._logs / f"{name}.stderr"
        command = [*self._command, str(self.partitions), *self._config, *config]
        with errors.open("w") as stderr:
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=stderr, text=True)
        worker = self.workers[name] = Worker(name, process, errors)
        worker.told = threading.Thread(target=self._listen, args=(worker,))
        worker.told.start()

    def leave(self, *names: str) -> None:
        """Let workers close their consumers, and wait until they have ended well."""
        for name in names:
            self.workers[name].may_end = True
            self.workers[name].process.terminate()
        for name in names:
            worker = self.workers[name]
            code = worker.process.wait(timeout=GUARD_S)
            worker.told.join()
            assert code == 0, f"worker {name} left with exit code {code}:\n{worker.errors.read_text()}"

    def kill(self, name: str) -> None:
        """Kill a worker with no chance to say anything, and return when it is dead and its output was read."""
        worker = self.workers[name]
        worker.may_end = True
        worker.process.kill()
        worker.process.wait()
        worker.told.join()
        with self._news:
            worker.ended_at = time.monotonic()

    def wait_until(self, what: str, is_so: Callable[[], bool], timeout_s: float = GUARD_S) -> None:
        """Return when the workers' lines make ``is_so`` true; fail if a worker ends or the time is up before."""
        deadline = time.monotonic() + timeout_s
        with self._news:
            while not is_so():
                self._check_running(what)
                left = deadline - time.monotonic()
                assert left > 0, f"not within {timeout_s:.0f} s: {what}\n{self._tell()}"
                self._news.wait(min(left, 1))

    def records_read(self) -> int:
        """Return how many different records were delivered so far."""
        return sum(len(offsets) for offsets in self._seen.values())

    def owned(self, name: str) -> set[int]:
        return self.workers[name].owned()

    def _listen(self, worker: Worker) -> None:
        assert worker.process.stdout is not None
        for text in worker.process.stdout:
            if not text.endswith("\n"):
                continue  # cut short by SIGKILL: it was never told
            line = Line.load(text)
            with self._news:
                worker.lines.append(line)
                for run in line.runs:
                    self._seen[run.partition].update(range(run.first, run.last + 1))
                self._news.notify_all()

    def _check_running(self, what: str) -> None:
        for worker in self.workers.values():
            if not worker.may_end and worker.process.poll() is not None:
                raise AssertionError(
                    f"worker {worker.name} ended by itself before: {what}\n{worker.errors.read_text()}"
                )

    def _tell(self) -> str:
        owned = {worker.name: sorted(worker.owned()) for worker in self.workers.values()}
        errors = "".join(worker.errors.read_text()[-2000:] for worker in self.workers.values())
        return f"{self.records_read()} records read; owned: {owned}\n{errors}"

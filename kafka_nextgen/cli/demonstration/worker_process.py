"""A consumer process from the parent's side: start it, read its reports, stop or kill it."""

from __future__ import annotations

import asyncio
import signal
import sys

from attrs import field

from kafka_nextgen.cli.demonstration import reports
from kafka_nextgen.cli.demonstration.progress import TOPIC, Progress
from kafka_nextgen.lazy_attrs import define

__all__ = ["WorkerProcess"]

WORKER = "kafka_nextgen.cli.demonstration.worker"


@define
class WorkerProcess:
    """A running process, created by ``start``. ``fault`` describes an abnormal end."""

    name: str
    _process: asyncio.subprocess.Process
    _progress: Progress
    fault: str | None = None
    _finished: bool = False
    _was_killed: bool = False
    _supervision: asyncio.Future[None] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._supervision = asyncio.ensure_future(self._supervise())

    @classmethod
    async def start(cls, name: str, bootstrap_servers: str, group: str, progress: Progress) -> WorkerProcess:
        """Start the process, which reports to ``progress``, in its own session: Ctrl-C reaches only the parent."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", WORKER, bootstrap_servers, TOPIC, group, name),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        return cls(name, process, progress)

    async def leave(self) -> None:
        """Stop the process, and wait for its end and all its reports."""
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
        await self._supervision

    async def kill(self) -> None:
        """Kill the process (SIGKILL), and wait for all its reports."""
        self._was_killed = True
        if self._process.returncode is None:
            self._process.kill()
        await self._supervision

    async def _supervise(self) -> None:
        """Read all reports, then check the exit code."""
        _, errors = await asyncio.gather(self._read_reports(), self._read_stderr())
        code = await self._process.wait()
        if not self._was_killed and not (code == 0 and self._finished):
            last = errors.splitlines()[-1] if errors.strip() else "it printed no error"
            self.fault = self.fault or f"{self.name} ended with exit code {code}: {last}"
        self._progress.wake()

    async def _read_reports(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._handle(line)

    def _handle(self, line: bytes) -> None:
        try:
            report = reports.read(line)
        except ValueError as error:
            self.fault = f"{self.name}: {error}"
            return
        self._finished = isinstance(report, reports.Finished)
        self._progress.note(self.name, report)

    async def _read_stderr(self) -> str:
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode(errors="replace")

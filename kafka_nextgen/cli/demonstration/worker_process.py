"""A consumer process from the parent's side: start it, read its reports, stop or kill it."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from kafka_nextgen.cli.demonstration import reports
from kafka_nextgen.cli.demonstration.reports import Finished, Report

__all__ = ["WorkerProcess"]

WORKER = "kafka_nextgen.cli.demonstration.worker"


class WorkerProcess:
    """A running process, created by ``start``.

    ``on_report`` is called with its name and each report, ``on_end`` after its end. ``fault`` describes an abnormal
    end.
    """

    def __init__(
        self,
        name: str,
        process: asyncio.subprocess.Process,
        on_report: Callable[[str, Report], None],
        on_end: Callable[[], None],
    ) -> None:
        self.name = name
        self.fault: str | None = None
        self._process = process
        self._on_report = on_report
        self._on_end = on_end
        self._finished = False
        self._was_killed = False
        self._supervision = asyncio.ensure_future(self._supervise())

    @classmethod
    async def start(
        cls,
        name: str,
        bootstrap_servers: str,
        topic: str,
        group: str,
        on_report: Callable[[str, Report], None],
        on_end: Callable[[], None],
    ) -> WorkerProcess:
        """Start the process in its own session, so that Ctrl-C reaches only the parent."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", WORKER, bootstrap_servers, topic, group, name),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        return cls(name, process, on_report, on_end)

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
            last = errors.splitlines()[-1] if errors.strip() else "it said nothing"
            self.fault = self.fault or f"{self.name} ended with exit code {code}: {last}"
        self._on_end()

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
        self._finished = isinstance(report, Finished)
        self._on_report(self.name, report)

    async def _read_stderr(self) -> str:
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode(errors="replace")

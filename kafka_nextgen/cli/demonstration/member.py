"""A consumer process from the parent's side: started, listened to, asked to leave or killed."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from kafka_nextgen.cli.demonstration import reports
from kafka_nextgen.cli.demonstration.reports import Finished, Report

__all__ = ["Member"]

WORKER = "kafka_nextgen.cli.demonstration.worker"


class Member:
    """One process; make it with ``start``.

    ``on_report`` is called with its name and each thing it says, ``on_end`` when it has ended. ``fault`` says what
    is wrong with the way it ended, if anything.
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
        self._life = asyncio.ensure_future(self._live())

    @classmethod
    async def start(
        cls,
        name: str,
        bootstrap_servers: str,
        topic: str,
        group: str,
        on_report: Callable[[str, Report], None],
        on_end: Callable[[], None],
    ) -> Member:
        """Start the process, in a session of its own, so that Ctrl-C reaches the parent alone."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", WORKER, bootstrap_servers, topic, group, name),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        return cls(name, process, on_report, on_end)

    async def leave(self) -> None:
        """Ask it to end, and wait until it has and everything it said was heard."""
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
        await self._life

    async def kill(self) -> None:
        """Kill it (SIGKILL), and wait until everything it had said was heard."""
        self._was_killed = True
        if self._process.returncode is None:
            self._process.kill()
        await self._life

    async def _live(self) -> None:
        """Hear everything, then judge the end."""
        _, errors = await asyncio.gather(self._listen(), self._keep_errors())
        code = await self._process.wait()
        if not self._was_killed and not (code == 0 and self._finished):
            last = errors.splitlines()[-1] if errors.strip() else "it said nothing"
            self.fault = self.fault or f"{self.name} ended with exit code {code}: {last}"
        self._on_end()

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._hear(line)

    def _hear(self, line: bytes) -> None:
        try:
            report = reports.read(line)
        except ValueError as error:
            self.fault = f"{self.name}: {error}"
            return
        self._finished = isinstance(report, Finished)
        self._on_report(self.name, report)

    async def _keep_errors(self) -> str:
        assert self._process.stderr is not None
        return (await self._process.stderr.read()).decode(errors="replace")

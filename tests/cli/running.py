"""The command line as a user has it: another process."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
from attrs import define

from tests.support.waiting import GUARD_S

COMMAND = (sys.executable, "-c", "from kafka_nextgen.cli.main import main; main()")


def kafka_nextgen(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=GUARD_S, check=False)


@define
class Running:
    """A command that runs; ``rest`` and ``errors`` are its remaining output, once it has ended."""

    process: subprocess.Popen[str]
    rest: str = ""
    errors: str = ""

    def line(self) -> str:
        return self.process.stdout.readline().strip()

    def servers(self) -> str:
        """Where the next listener of a broker listens."""
        return self.line().removeprefix("Listening on ")


@contextmanager
def running(*arguments: str, number: signal.Signals = signal.SIGTERM, code: int = 0) -> Iterator[Running]:
    """Run a command, and end it by this signal; it has to end with this exit code."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([*COMMAND, *arguments], stdout=pipe, stderr=pipe, text=True)
    command = Running(process)
    try:
        yield command
        process.send_signal(number)
        command.rest, command.errors = process.communicate(timeout=GUARD_S)
        assert process.returncode == code, command.errors
    finally:
        process.kill()
        process.communicate()


def commands_of(group: click.Group) -> dict[str, click.Command]:
    """The commands of a group by their names."""
    context = click.Context(group)
    found = {name: group.get_command(context, name) for name in group.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}

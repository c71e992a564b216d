"""The page that a stranger begins with: every command and every program of docs/start/index.md, in its order.

They run as written, in an environment of their own, except that broker and metrics listen on free ports.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from attrs import define, field

from kafka_nextgen.testing.real_kafka.single_node import free_ports
from tests.recipes.programs import Program
from tests.support.waiting import GUARD_S, eventually

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "start" / "index.md").read_text()
COMMANDS = re.findall(r"^\$ (.*)$", PAGE, re.MULTILINE)
PROGRAMS = dict(re.findall(r"ave this[^`]*as `([\w.]+)`.*?```python\n(.*?)```", PAGE, re.DOTALL))
NOT_COPIED = shutil.ignore_patterns(".*", "build", "*.so", "*.egg-info", "__pycache__", "tests", "benchmarks")


@define
class Terminal:
    """A shell in a directory, with the environment of the page; ``ran`` are the page's commands that it ran."""

    home: Path
    clone: Path
    ports: dict[str, str]
    ran: list[str] = field(factory=list)

    def environment(self) -> dict[str, str]:
        path = f"{self.home / 'kafka' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return {**os.environ, "HOME": str(self.home), "PATH": path, "PYTHONUNBUFFERED": "1", "PYTHONPATH": ""}

    def ready(self, text: str) -> str:
        """What the page has, with the ports of this test."""
        for port, here in self.ports.items():
            text = text.replace(f"localhost:{port}", f"127.0.0.1:{here}").replace(f"port={port}", f"port={here}")
        return text

    def command(self, beginning: str) -> str:
        """The one command of the page that begins so."""
        (command,) = [each for each in COMMANDS if each.startswith(beginning)]
        self.ran.append(command)
        broker = self.ready("localhost:9092")
        if command == "kafka-nextgen broker":
            return f"exec {command} --listen {broker}"
        if "kafka-nextgen" in command:
            command += f" -b {broker}"
        return f"exec {command}" if "|" not in command and "&&" not in command else command

    def run(self, beginning: str, directory: Path | None = None) -> str:
        done = subprocess.run(
            ["bash", "-c", self.ready(self.command(beginning))],
            cwd=directory or self.home,
            env=self.environment(),
            text=True,
            capture_output=True,
            timeout=GUARD_S,
        )
        assert done.returncode == 0, (beginning, done.stdout, done.stderr)
        return done.stdout

    @contextmanager
    def running(self, beginning: str) -> Iterator[Program]:
        """Run a command until the end of the block, and end it with Ctrl-C."""
        process = subprocess.Popen(
            ["bash", "-c", self.ready(self.command(beginning))],
            cwd=self.home,
            env=self.environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        program = Program(process)
        try:
            yield program
            process.send_signal(signal.SIGINT)
        except BaseException:
            process.kill()
            raise
        finally:
            program.wait()


def awaits(program: Program, *lines: str) -> None:
    eventually(f"{lines}", lambda: set(lines) <= set(program.lines), saw=lambda: (program.lines, program.errors))


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=NOT_COPIED)
    broker, metrics = map(str, free_ports(2))
    return Terminal(tmp_path, clone, {"9092": broker, "9404": metrics})


@pytest.mark.whole
def test_every_command_and_every_program_of_the_page_does_what_it_says(terminal: Terminal) -> None:
    for name, program in PROGRAMS.items():
        (terminal.home / name).write_text(terminal.ready(program))
    terminal.run("python3 -m venv", terminal.clone)
    terminal.run("pip install", terminal.clone)
    with terminal.running("kafka-nextgen broker") as broker:
        eventually("it listens", lambda: bool(broker.lines), saw=lambda: broker.errors)
        terminal.run("kafka-nextgen topics create")
        terminal.run("printf")
        with terminal.running("python read_orders.py") as reading:
            awaits(reading, "b'alice' b'1'", "b'bob' b'2'")
        bills_and_shows_metrics(terminal)
    assert re.search(r"\b2 passed\b", terminal.run("pytest"))
    assert sorted(terminal.ran) == sorted(COMMANDS)


def bills_and_shows_metrics(terminal: Terminal) -> None:
    with terminal.running("python billing.py") as billing:
        awaits(billing, "assigned: 6", "billed b'1'", "billed b'2'")
        assert "orders[0-5]" in terminal.run("kafka-nextgen groups members")
        assert "orders[" in terminal.run("kafka-nextgen groups offsets")
        with terminal.running("kafka-nextgen consume"):
            awaits(billing, "revoked: 3")
        awaits(billing, "assigned: 3")
        assert "kafka_consumer_records_lag{" in terminal.run("curl")


def test_the_page_says_where_its_programs_are_saved() -> None:
    assert list(PROGRAMS) == ["read_orders.py", "billing.py", "test_billing.py"]
    assert len(PROGRAMS) == PAGE.count("```python\n")

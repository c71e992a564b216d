"""What a run of pytest has started is gone soon after the run, however that ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from attrs import frozen

from tests.support.waiting import GUARD_S, eventually, slowness

ROOT = Path(__file__).parents[2]

CONFTEST = """
from tests.support.guardian import guard

def pytest_configure(config):
    guard(config)
"""

#: A test that starts a process, as hard to end as they come, and waits for it.
TEST = """
import subprocess, sys, tempfile

def test_it():
    subprocess.run([sys.executable, "-c", CHILD, tempfile.mkdtemp()], start_new_session=True)

CHILD = '''
import os, signal, socket, sys
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
listening = socket.create_server(("127.0.0.1", 0))
told = socket.create_connection(("127.0.0.1", int(os.environ["TOLD"])))
told.sendall(f"{os.getppid()} {listening.getsockname()[1]} {sys.argv[1]}".encode())
told.recv(1)
'''
"""


@frozen
class Child:
    """What the test has started: it holds a connection to us, a port and a folder."""

    connection: socket.socket
    parent: int
    port: int
    folder: Path

    def check_gone(self) -> None:
        self.connection.settimeout(GUARD_S)
        assert self.connection.recv(1) == b"", "the process lives"
        eventually("its port is free", self._port_is_free)
        eventually("its folder is removed", lambda: not self.folder.exists())

    def _port_is_free(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) != 0


#: Also where SIGINT is ignored, as by what a shell script starts in the background.
PYTEST = """
import signal, sys, pytest
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(pytest.main())
"""


@contextmanager
def running(home: Path, *options: str) -> Iterator[tuple[subprocess.Popen[bytes], Child]]:
    """Run pytest on a test that has started a process and does not end."""
    (home / "conftest.py").write_text(CONFTEST)
    (home / "test_it.py").write_text(TEST)
    with socket.create_server(("127.0.0.1", 0)) as server:
        environment = os.environ | {"TOLD": str(server.getsockname()[1]), "PYTHONPATH": str(ROOT)}
        for name in [name for name in environment if name.startswith(("PYTEST_XDIST", "PYTEST_CURRENT"))]:
            del environment[name]
        command = [sys.executable, "-c", PYTEST, "-p", "no:cacheprovider", *options, "test_it.py"]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, cwd=home, env=environment, start_new_session=True, **silent)
        try:
            yield process, started(server)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def started(server: socket.socket) -> Child:
    server.settimeout(GUARD_S)
    connection = server.accept()[0]
    connection.settimeout(GUARD_S)
    parent, port, folder = connection.recv(1000).decode().split()
    return Child(connection, int(parent), int(port), Path(folder))


def press_ctrl_c(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["alone", "several"])
@pytest.mark.parametrize(
    "end", [press_ctrl_c, subprocess.Popen.terminate, subprocess.Popen.kill], ids=["Ctrl-C", "SIGTERM", "SIGKILL"]
)
def test_a_run_that_is_ended_leaves_nothing(
    tmp_path: Path, end: Callable[[subprocess.Popen[bytes]], None], options: list[str]
) -> None:
    with running(tmp_path, *options) as (process, child):
        end(process)
        child.check_gone()


@pytest.mark.parametrize("method", ["signal", "thread"])
def test_a_test_that_takes_too_long_leaves_nothing(tmp_path: Path, method: str) -> None:
    with running(tmp_path, "--timeout", f"{3 * slowness():.0f}", "--timeout-method", method) as (process, child):
        assert process.wait(GUARD_S) != 0
        child.check_gone()


def test_a_process_of_a_run_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """The run goes on by another one."""
    with running(tmp_path, "-n", "1", "--max-worker-restart", "0") as (process, child):
        os.kill(child.parent, signal.SIGKILL)
        child.check_gone()
        assert process.wait(GUARD_S) != 0

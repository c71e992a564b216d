"""Ways in which people's processes begin, and what watches them. Forks are in ``tests/sockets/test_fork.py``."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.engine.stage import Stage
from tests.processes.programs import READS, run

DAEMON = """
import os
said, says = os.pipe()
if not os.fork():
    os.setsid()
    if not os.fork():
        os.dup2(says, 1)
        read("daemon")
    os._exit(0)
os.wait()
os.close(says)
print(open(said).read(), end="")
"""

WORKERS = """
import os
def worker(name):
    pid = os.fork()
    if not pid:
        read(name)
        os._exit(0)
    return pid
workers = [worker(name) for name in ("w1", "w2")]
assert [os.waitpid(pid, 0)[1] for pid in workers] == [0, 0]
"""

PROFILED = """
import cProfile
cProfile.run("read('profiled')", "/dev/null")
"""

TRACED = """
import sys, threading
threading.settrace(lambda *_: None)
sys.settrace(lambda frame, event, argument: None)
read("traced")
"""

PROGRAMS = {"daemon": DAEMON, "w1 w2": WORKERS, "profiled": PROFILED, "traced": TRACED}


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
@pytest.mark.parametrize("names", PROGRAMS)
def test_they_read_and_commit(stage: Stage, names: str) -> None:
    stage.create(records=20)
    quiet = ("-W", "ignore:This process:DeprecationWarning")
    ended = run(READS + PROGRAMS[names], stage.cluster.bootstrap_servers, *quiet)
    assert (ended.returncode, ended.stderr) == (0, "")
    said = sorted(line for line in ended.stdout.splitlines() if " 20" in line)
    assert said == [f"{name} 20" for name in names.split()], ended.stdout


def test_the_development_mode_of_python_finds_nothing_to_say(stage: Stage) -> None:
    """The loop of an I/O thread does not tell which of its callbacks were slow on a busy machine."""
    stage.create(records=20)
    ended = run(READS + "read('dev')", stage.cluster.bootstrap_servers, "-X", "dev", "-W", "error")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "dev 20\n", "")


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_of_multiprocessing(stage: Stage, tmp_path: Path, method: str) -> None:
    """What a fork does to a consumer that is open, ``tests/sockets/test_fork.py`` shows."""
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("spawn only")
    stage.create(records=20)
    (tmp_path / "work.py").write_text(READS)
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import multiprocessing, work
work.read("parent")
child = multiprocessing.get_context({method!r}).Process(target=work.read, args=["child"])
child.start()
child.join()
assert child.exitcode == 0
"""
    ended = run(program, stage.cluster.bootstrap_servers)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "parent 20\nchild 20\n", "")

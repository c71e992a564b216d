"""Signals end a process that runs handlers: what was begun is finished and committed, and the member has left."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.running import COMMAND
from tests.processing.group import PARTITIONS, filled_topic, progress
from tests.support.clients import members_of, unique
from tests.support.waiting import GUARD_S

ROOT = Path(__file__).parents[2]


@contextmanager
def started(kind: str, servers: str, topic: str, group: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.processing.worker", servers, topic, group, kind]
    if kind == "consume":
        command = [*COMMAND, "consume", topic, "-b", servers, "-g", group, "--from-beginning"]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def counted(said: Iterable[str]) -> Counter[int]:
    """How many records of each partition were finished, as the process said."""
    return Counter(int(text) % PARTITIONS for text in map(str.strip, said) if text.isdigit())


@pytest.mark.parametrize(
    ("kind", "number", "code"),
    [
        ("sync", signal.SIGTERM, 0),
        ("sync", signal.SIGINT, 0),
        ("async", signal.SIGTERM, 0),
        ("async", signal.SIGINT, 0),
        ("server", signal.SIGTERM, -signal.SIGTERM),  # it hears the signal, too, and ends as it does by itself
    ],
)
def test_a_signal_ends_the_work_cleanly(
    servers: str, orders: str, kind: str, number: signal.Signals, code: int
) -> None:
    group = unique("signals")
    with started(kind, servers, orders, group) as process:
        assert process.stdout is not None
        said = []
        while "begun\n" not in said:
            said.append(process.stdout.readline())
            assert said[-1], "it ended by itself"
        process.send_signal(number)
        rest, _ = process.communicate("go on\n", timeout=GUARD_S)
    said += rest.split()
    assert (said[-1], process.returncode) == ("ended", code)
    assert progress(servers, group) == counted(said)
    assert min(counted(said).values()) >= 4  # the one that was at work when the signal came is among them


@pytest.fixture(scope="module")
def many(servers: str) -> str:
    return filled_topic(servers, 4000)


@pytest.mark.parametrize("kind", ["sync", "async", "consume"])
@pytest.mark.parametrize("seed", range(3))
def test_two_sigterms_close_together_end_it_committed_and_left(servers: str, many: str, kind: str, seed: int) -> None:
    """As supervisors may send them, within milliseconds and whatever is under way then."""
    chance, group = random.Random(seed), unique("twice")
    with started(kind, servers, many, group) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go on\n")
        process.stdin.flush()
        said = [process.stdout.readline() for _ in range(chance.randrange(1, 200))]
        process.send_signal(signal.SIGTERM)
        time.sleep(chance.uniform(0.001, 0.005))  # the moment is what is tried, whichever it is
        process.send_signal(signal.SIGTERM)
        said += process.stdout.read().split()
        process.wait(GUARD_S)
    assert process.returncode == 0
    assert counted(said).total() > 0
    assert progress(servers, group) == counted(said)
    assert members_of(servers, group) == {}

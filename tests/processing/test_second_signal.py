"""Supervisors may send SIGTERM twice, within milliseconds. Whatever is under way then: committed, and left."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from kafka_nextgen.testing import Cluster
from tests.cli.running import COMMAND
from tests.processing.group import BROKER, PARTITIONS, PATIENCE_S, fill
from tests.support.clients import members_of, stored_offsets, unique

ROOT = Path(__file__).parents[2]
TOPIC = "orders"
WORKER = (sys.executable, "-m", "tests.processing.worker")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster(config=BROKER) as cluster:
        cluster.create_topic(TOPIC, PARTITIONS)
        fill(cluster.bootstrap_servers, 4000, TOPIC)
        yield cluster


def command(kind: str, servers: str, group: str) -> list[str]:
    if kind == "consume":
        return [*COMMAND, "consume", TOPIC, "-b", servers, "-g", group, "--from-beginning"]
    return [*WORKER, servers, TOPIC, group, kind]


@pytest.mark.parametrize("kind", ["sync", "async", "consume"])
@pytest.mark.parametrize("seed", range(3))
def test_two_sigterms_close_together_end_it_committed_and_left(cluster: Cluster, kind: str, seed: int) -> None:
    chance, group = random.Random(seed), unique("twice")
    process = subprocess.Popen(
        command(kind, cluster.bootstrap_servers, group),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go on\n")
        process.stdin.flush()
        said = [process.stdout.readline()]
        moments = threading.Thread(target=send_two, args=(process, chance))
        moments.start()
        said += process.stdout.read().split()
        process.wait(PATIENCE_S)
        moments.join()
    finally:
        process.kill()
        process.communicate()
    finished = Counter(int(text) % PARTITIONS for text in said if text.strip().isdigit())
    assert process.returncode == 0
    assert finished.total() > 0
    assert stored_offsets(cluster.bootstrap_servers, group) == finished
    assert members_of(cluster.bootstrap_servers, group) == {}


def send_two(process: subprocess.Popen[str], chance: random.Random) -> None:
    nap = threading.Event().wait
    nap(chance.uniform(0.0, 0.2))
    process.send_signal(signal.SIGTERM)
    nap(chance.uniform(0.001, 0.005))
    process.send_signal(signal.SIGTERM)

"""SIGTERM ends a process that runs handlers, with everything begun finished and committed."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from kafka_nextgen.testing import Cluster
from tests.processing.group import BROKER, PARTITIONS, PATIENCE_S, fill
from tests.support.clients import stored_offsets, unique

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("kind", ["sync", "async"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_ends_the_work_cleanly(kind: str, number: signal.Signals) -> None:
    assert returncode_after(number, kind) == 0


def test_a_server_around_it_hears_the_signal_too_and_ends_as_it_does_by_itself() -> None:
    assert returncode_after(signal.SIGTERM, "server") == -signal.SIGTERM


def returncode_after(number: signal.Signals, kind: str) -> int:
    """Send the signal to a worker with records at work; what it has finished with must be committed."""
    topic, group = unique("orders"), unique("signals")
    with Cluster(config=BROKER) as cluster:
        cluster.create_topic(topic, PARTITIONS)
        fill(cluster.bootstrap_servers, 400, topic)
        command = [sys.executable, "-m", "tests.processing.worker", cluster.bootstrap_servers, topic, group, kind]
        worker = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            assert worker.stdout is not None
            lines: list[str] = []
            for line in worker.stdout:
                lines.append(line.strip())
                if lines[-1] == "begun":
                    break
            worker.send_signal(number)
            rest, _ = worker.communicate("go on\n", timeout=PATIENCE_S)
        finally:
            worker.kill()
        lines += rest.split()
        assert lines[-1] == "ended"
        finished: dict[int, int] = defaultdict(int)
        for text in lines:
            if text.isdigit():
                finished[int(text) % PARTITIONS] += 1
        assert stored_offsets(cluster.bootstrap_servers, group) == finished
        assert min(finished.values()) >= 4  # the one that was at work when the signal came is among them
        return worker.returncode

"""Three embedded nodes in a process of their own, which writes what happens to groups; its nodes are killed at a word.

``python -m tests.verification.soak.three_nodes HISTORY`` tells its servers, and then obeys: ``stop GROUP`` kills the
node that coordinates a group, and tells its number; ``start NUMBER`` brings it back, and tells it, too.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from kafka_nextgen.history.file_sink import FileSink
from kafka_nextgen.testing import Cluster
from tests.support.kafka_server import BROKER_SETTINGS

ROOT = Path(__file__).parents[3]
CONFIG = {**BROKER_SETTINGS, "default.replication.factor": 3, "offsets.topic.num.partitions": 5}


class ThreeNodes:
    """The process; leaving the context ends it, once its history is written."""

    def __init__(self, history: Path) -> None:
        self.history = history
        self._lock = threading.Lock()

    def __enter__(self) -> ThreeNodes:
        command = [sys.executable, "-m", "tests.verification.soak.three_nodes", str(self.history)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.bootstrap_servers = self._hear()
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate()
        assert self._process.returncode == 0, "the history of three nodes is not whole"

    def fail_over(self, group: str) -> tuple[int, Callable[[], None]]:
        """Kill the group's coordinator; its number, and what brings it back."""
        node = int(self._ask(f"stop {group}"))
        return node, lambda: self._start(node)

    def _start(self, node: int) -> None:
        assert self._ask(f"start {node}") == str(node)

    def _ask(self, order: str) -> str:
        with self._lock:
            assert self._process.stdin is not None
            self._process.stdin.write(f"{order}\n")
            return self._hear()

    def _hear(self) -> str:
        assert self._process.stdout is not None
        told = self._process.stdout.readline().strip()
        assert told, "three nodes ended by themselves"
        return told


def main(history: Path) -> None:
    sink = FileSink(history, max_bytes=1 << 30)
    with Cluster(brokers=3, config=CONFIG, history=sink.write) as cluster:
        print(cluster.bootstrap_servers, flush=True)
        for line in sys.stdin:
            print(_obey(cluster, *line.split()), flush=True)
    sink.close()
    assert (sink.dropped, cluster.history_failures) == (0, 0)


def _obey(cluster: Cluster, verb: str, about: str) -> int:
    if verb == "start":
        cluster.start_node(int(about))
        return int(about)
    node = cluster.coordinator_of(about)
    assert node is not None, f"two nodes of three coordinate {about}"
    cluster.stop_node(node)
    return node


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Tests with an embedded cluster, one after the other in one process.

Run as ``python -m benchmarks.testing.one_process TESTS``; prints as JSON how many seconds each step took, and which
threads and descriptors were left. Nothing else is imported before kafka_nextgen is.
"""

from __future__ import annotations

import os
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kafka_nextgen import Consumer
    from kafka_nextgen.testing import Cluster

LATER_STARTS = 9
SESSION_S = 45
CONFIG = {"group.consumer.assignment.interval.ms": 0}  # as with the fixtures for pytest


class Watch:
    """Seconds since it was read last."""

    def __init__(self) -> None:
        self._since = time.perf_counter()

    def read(self) -> float:
        before, self._since = self._since, time.perf_counter()
        return self._since - before


def start(cluster: Cluster) -> float:
    """Start a cluster, and return how long that took; stop it."""
    watch = Watch()
    with cluster:
        return watch.read()


def rebalance(cluster: Cluster, topic: str) -> float:
    """Have two members share two partitions, and return how long the whole test took."""
    watch = Watch()
    cluster.create_topic(topic, partitions=2)
    with member(cluster, topic) as first, member(cluster, topic) as second:
        cluster.wait_until_stable(first, second)
        assert len(first.assignment()) == len(second.assignment()) == 1
    return watch.read()


def session_ends(cluster: Cluster, topic: str) -> float:
    """Have one of two members die, and return how long it took until the other had both partitions."""
    cluster.create_topic(topic, partitions=2)
    with member(cluster, topic) as first, member(cluster, topic) as second:
        cluster.wait_until_stable(first, second)
        first.close(leave="remain")
        watch = Watch()
        cluster.advance(seconds=SESSION_S)
        cluster.wait_until_stable(second)
        took_s = watch.read()
        assert len(second.assignment()) == 2
    return took_s


def member(cluster: Cluster, topic: str) -> Consumer[bytes, bytes]:
    """A member of a group that is named after its topic."""
    from kafka_nextgen import Consumer

    consumer: Consumer[bytes, bytes] = Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id=topic)
    consumer.subscribe([topic])
    return consumer


def held() -> tuple[int, int]:
    """How many threads and descriptors this process has."""
    folder = "/proc/self/fd"
    return threading.active_count(), len(os.listdir(folder)) if os.path.isdir(folder) else 0


def measure(tests: int) -> dict[str, object]:
    """Run so many tests, each with a rebalance; every second one goes on until a session has ended."""
    watch = Watch()
    from kafka_nextgen import Consumer  # noqa: F401
    from kafka_nextgen.testing import Clock, Cluster

    imported_s = watch.read()
    starts = [start(Cluster(config=CONFIG)) for _ in range(1 + LATER_STARTS)]
    before = held()
    watch.read()
    with Cluster(config=CONFIG, clock=Clock()) as cluster:
        rebalances = [rebalance(cluster, f"orders-{number}") for number in range(0, tests, 2)]
        sessions = [session_ends(cluster, f"orders-{number}") for number in range(1, tests, 2)]
    tests_s, (threads, descriptors) = watch.read(), held()
    return {
        "import_s": imported_s,
        "first_start_s": starts[0],
        "later_starts_s": starts[1:],
        "rebalances_s": rebalances,
        "sessions_s": sessions,
        "tests_s": tests_s,
        "threads_left": threads - before[0],
        "descriptors_left": descriptors - before[1],
    }


if __name__ == "__main__":
    told = measure(int(sys.argv[1]))
    import json

    print(json.dumps(told))

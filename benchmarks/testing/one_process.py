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
LONG_WAIT_MS = 10_000  # fetch.max.wait.ms, which is half a second by default: idle members fetch so often
CONFIG = {"group.consumer.assignment.interval.ms": 0}  # as with the fixtures for pytest


class Watch:
    """Seconds since it was made: by the clock, and of the processor for all threads of this process."""

    def __init__(self) -> None:
        self._since = time.perf_counter(), time.process_time()

    def read(self) -> tuple[float, float]:
        return time.perf_counter() - self._since[0], time.process_time() - self._since[1]


def start(cluster: Cluster) -> tuple[float, float]:
    """Start a cluster, and return how long that took; stop it."""
    watch = Watch()
    with cluster:
        return watch.read()


def rebalance(cluster: Cluster, topic: str) -> tuple[float, float]:
    """Have two members share two partitions, and return how long the whole test took."""
    watch = Watch()
    cluster.create_topic(topic, partitions=2)
    with member(cluster, topic) as first, member(cluster, topic) as second:
        cluster.wait_until_stable(first, second)
        assert len(first.assignment()) == len(second.assignment()) == 1
    return watch.read()


def session_ends(cluster: Cluster, topic: str, **settings: object) -> tuple[float, float]:
    """Have one of two members die, and return how long it took until the other had both partitions."""
    cluster.create_topic(topic, partitions=2)
    with member(cluster, topic, **settings) as first, member(cluster, topic, **settings) as second:
        cluster.wait_until_stable(first, second)
        first.close(leave="remain")
        watch = Watch()
        cluster.advance(seconds=SESSION_S)
        cluster.wait_until_stable(second)
        took = watch.read()
        assert len(second.assignment()) == 2
    return took


def member(cluster: Cluster, topic: str, **settings: object) -> Consumer[bytes, bytes]:
    """A member of a group that is named after its topic."""
    from kafka_nextgen import Consumer

    where = {"bootstrap_servers": cluster.bootstrap_servers, "group_id": topic}
    consumer: Consumer[bytes, bytes] = Consumer({**where, **settings})
    consumer.subscribe([topic])
    return consumer


def held() -> tuple[int, int]:
    """How many threads and descriptors this process has."""
    folder = "/proc/self/fd"
    return threading.active_count(), len(os.listdir(folder)) if os.path.isdir(folder) else 0


def measure(tests: int) -> dict[str, object]:
    """Run so many tests: of each four, two with a rebalance only, and two that go on until a session has ended."""
    watch = Watch()
    from kafka_nextgen import Consumer  # noqa: F401
    from kafka_nextgen.testing import Clock, Cluster

    imported = watch.read()
    starts = [start(Cluster(config=CONFIG)) for _ in range(1 + LATER_STARTS)]
    before, watch = held(), Watch()
    with Cluster(config=CONFIG, clock=Clock()) as cluster:
        topics = [f"orders-{number}" for number in range(tests)]
        rebalances = [rebalance(cluster, topic) for topic in topics[::2]]
        sessions = [session_ends(cluster, topic) for topic in topics[1::4]]
        patient = [session_ends(cluster, topic, fetch_max_wait_ms=LONG_WAIT_MS) for topic in topics[3::4]]
    took, (threads, descriptors) = watch.read(), held()
    return {
        "imported": imported,
        "first_start": starts[0],
        "later_starts": starts[1:],
        "rebalances": rebalances,
        "sessions": sessions,
        "patient_sessions": patient,
        "all_tests": took,
        "threads_left": threads - before[0],
        "descriptors_left": descriptors - before[1],
    }


if __name__ == "__main__":
    told = measure(int(sys.argv[1]))
    import json

    print(json.dumps(told))

"""Members of a group in other processes: the cluster's time is not theirs, and a test that waits for them says so."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.testing import Clock, Cluster
from tests.support.waiting import GUARD_S

#: Heartbeats in real time, as other processes send them, should not take a test long.
QUICK = {
    "group.consumer.assignment.interval.ms": 0,
    "group.consumer.min.heartbeat.interval.ms": 20,
    "group.consumer.heartbeat.interval.ms": 20,
}

#: A worker that commits what it has read, until its input ends.
WORKER = """
import sys, threading
from kafka_nextgen import Consumer, StopHandle
stop = StopHandle()
threading.Thread(target=lambda: (sys.stdin.read(), stop.stop())).start()
config = {"group_id": "billing", "auto_offset_reset": "earliest", "enable_auto_commit": False,
    "auto_commit_interval_ms": 20}
with Consumer(bootstrap_servers=sys.argv[1], client_id=sys.argv[2], **config) as consumer:
    consumer.run(lambda record: None, ["orders"], stop=stop)
"""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(clock=Clock(), config=QUICK) as cluster:
        cluster.create_topic("orders", partitions=4)
        yield cluster


@pytest.fixture
def workers(cluster: Cluster) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Two processes, which have just been started."""
    with ExitStack() as stack:
        workers = []
        for name in ("first", "second"):
            command = [sys.executable, "-c", WORKER, cluster.bootstrap_servers, name]
            worker = stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE))
            stack.callback(worker.kill)
            workers.append(worker)
        yield workers


def test_a_test_waits_for_processes_until_they_have_worked_and_died(
    cluster: Cluster, workers: list[subprocess.Popen[bytes]]
) -> None:
    def share() -> None:
        group = cluster.group("billing")
        assert group.is_stable
        assert sorted(len(owned) for owned in group.assignment.values()) == [2, 2]

    cluster.wait_until(share, GUARD_S)
    cluster.produce("orders", [f"order {number}" for number in range(8)])
    cluster.wait_until(lambda: cluster.lag("billing", "orders") == 0, GUARD_S)

    with pytest.raises(AssertionError) as failure:
        cluster.wait_until(lambda: len(cluster.group("billing").members) == 3, timeout=0)
    said = str(failure.value)
    assert "group('billing'):\n  consumer group billing: Stable" in said
    assert "the clock stood still, so the timeout was real time: these clients can't follow it: " in said
    assert "kafka-nextgen (client.id=first) at 127.0.0.1:" in said
    assert "kafka-nextgen (client.id=second) at 127.0.0.1:" in said

    for worker in workers:
        worker.kill()
    before = cluster.clock.advanced_s
    cluster.wait_until(lambda: not cluster.group("billing").members, timeout=GUARD_S)
    assert cluster.clock.advanced_s > before, "their sessions have ended by the time that was advanced"


def test_a_consumer_of_the_test_shares_with_a_process(cluster: Cluster, workers: list[subprocess.Popen[bytes]]) -> None:
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        group = cluster.group
        cluster.wait_until(lambda: len(group("billing").members) == 3, GUARD_S, polling=[consumer])
        cluster.wait_until_stable(consumer, timeout=GUARD_S)
        assert 1 <= len(consumer.assignment()) <= 2
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.close()
        cluster.wait_until(lambda: len(consumer.assignment()) == 4, GUARD_S, polling=[consumer])
        assert [worker.wait(GUARD_S) for worker in workers] == [0, 0]

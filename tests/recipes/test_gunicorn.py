"""gunicorn with two workers, each with a consumer that is a static member; a reload and SIGTERM."""

from __future__ import annotations

import json
import signal
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from attrs import frozen

from kafka_nextgen import TopicPartition
from kafka_nextgen.testing import Cluster, ProducerRecord
from tests.recipes.programs import Program, started_python
from tests.support.example_programs import EXAMPLES
from tests.support.waiting import GUARD_S

pytest.importorskip("gunicorn")
pytestmark = pytest.mark.whole

GROUP = "billing"

#: gunicorn kills no worker, however busy the machine is.
PATIENT = ("--timeout", "0", "--graceful-timeout", str(round(GUARD_S)))


@contextmanager
def service(cluster: Cluster, home: Path, *options: str) -> Iterator[Program]:
    served = ("-m", "gunicorn", "-c", str(EXAMPLES / "gunicorn_conf.py"), "--chdir", str(EXAMPLES), *PATIENT)
    environment = {"BOOTSTRAP_SERVERS": cluster.bootstrap_servers, "HOME": str(home)}  # where its control socket is
    served = (*served, *options, "-b", "127.0.0.1:0", "gunicorn_service:app")
    with started_python(*served, environment=environment) as program:
        try:
            yield program
        finally:
            program.terminate()  # its workers, too


@frozen
class Worker:
    """A worker's consumer, as the group knows it."""

    member: str
    owned: frozenset[TopicPartition] | None


def workers(cluster: Cluster) -> dict[str, Worker]:
    """The consumers, by the ends of their static names."""
    members = cluster.group(GROUP).members
    return {str(each.instance_id)[-2:]: Worker(each.member_id, each.assignment) for each in members}


def await_new_workers(cluster: Cluster, before: Mapping[str, Worker], *names: str) -> dict[str, Worker]:
    """Wait until each worker has a partition, and those with these names have other members than before."""

    def are_new() -> bool:
        now = workers(cluster)
        others = {name for name in now if name not in before or now[name].member != before[name].member}
        return others == set(names) and [len(each.owned or ()) for each in now.values()] == [1, 1]

    cluster.wait_until(lambda: cluster.group(GROUP).is_stable and are_new(), GUARD_S)
    return workers(cluster)


def write(cluster: Cluster, *orders: int) -> None:
    cluster.produce("orders", [ProducerRecord({"id": number}, partition=number % 2) for number in orders])


def handlers(program: Program) -> dict[int, str]:
    """Which worker handled which order."""
    words = [line.split() for line in program.lines]
    return {int(line[1]): line[-1] for line in words}


def live(program: Program) -> dict[str, Any]:
    port = program.await_said(r"Listening at: http://127\.0\.0\.1:(\d+)")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/live") as answer:
        health: dict[str, Any] = json.load(answer)
    return health


def test_each_worker_has_a_share_and_a_reload_moves_no_partition(cluster: Cluster, tmp_path: Path) -> None:
    with service(cluster, tmp_path) as program:
        before, epoch = await_new_workers(cluster, {}, "-0", "-1"), cluster.group(GROUP).epoch
        write(cluster, 0, 1)
        program.await_lines(2)

        program.process.send_signal(signal.SIGHUP)
        after = await_new_workers(cluster, before, "-0", "-1")
        write(cluster, 2, 3)
        program.await_lines(4)
        handled = handlers(program)
        assert len(set(handled.values())) == 4, "two before the reload, and two after it"
        assert [(name, after[name].owned) for name in before] == [(name, before[name].owned) for name in before]
        assert cluster.group(GROUP).epoch == epoch, "no rebalance"

        health = live(program)
        assert str(health["worker"]) in {handled[2], handled[3]}
        assert health["problem"] is None
        assert program.terminate() == 0, program.errors
    assert cluster.committed(GROUP) == {("orders", 0): 2, ("orders", 1): 2}


def test_the_partition_of_a_worker_that_has_had_its_requests_waits_for_the_next_one(
    cluster: Cluster, tmp_path: Path
) -> None:
    with service(cluster, tmp_path, "--max-requests", "1") as program:
        before, epoch = await_new_workers(cluster, {}, "-0", "-1"), cluster.group(GROUP).epoch
        write(cluster, 0, 1)
        program.await_lines(2)
        worker = str(live(program)["worker"])
        (partition,) = [order for order, each in handlers(program).items() if each == worker]
        (name,) = [name for name, each in before.items() if ("orders", partition) in (each.owned or ())]

        after = await_new_workers(cluster, before, name)
        write(cluster, 2, 3)
        program.await_lines(4)
        handled = handlers(program)
        assert handled[2 + partition] != handled[partition]
        assert handled[3 - partition] == handled[1 - partition], "the other one goes on"
        assert after[name].owned == before[name].owned
        assert cluster.group(GROUP).epoch == epoch, "no rebalance"
        assert program.terminate() == 0, program.errors
    assert cluster.committed(GROUP) == {("orders", 0): 2, ("orders", 1): 2}


def test_a_worker_whose_consumer_fails_is_replaced(cluster: Cluster, tmp_path: Path) -> None:
    with service(cluster, tmp_path) as program:
        before = await_new_workers(cluster, {}, "-0", "-1")
        (failing,) = [name for name, each in before.items() if ("orders", 0) in (each.owned or ())]
        write(cluster, 0, 1)
        program.await_lines(2)
        cluster.produce("orders", ProducerRecord("poison", partition=0))
        old = before[failing].member
        cluster.wait_until(lambda: len({each.member for each in workers(cluster).values()} - {old}) == 2, GUARD_S)
        write(cluster, 3)
        program.await_lines(3)
        assert handlers(program)[3] == handlers(program)[1], "the other one goes on"
        assert program.terminate() == 0, program.errors
    assert cluster.committed(GROUP) == {("orders", 0): 1, ("orders", 1): 2}

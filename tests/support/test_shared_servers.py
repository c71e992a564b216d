"""Brokers that processes share are started once, outlast whoever started them, and are stopped by nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support.kafka_server import KafkaServer, KafkaStartError
from tests.support.servers import Servers
from tests.support.shared_servers import SharedServers
from tests.support.waiting import GUARD_S, eventually


class Brokers:
    def __init__(self) -> None:
        self.started: list[str] = []
        self.stopped: list[str] = []

    def start(self, kind: str) -> KafkaServer:
        self.started.append(kind)
        return KafkaServer(f"broker-{len(self.started)}:9092", kind, lambda: self.stopped.append(kind))


@pytest.fixture
def brokers() -> Brokers:
    return Brokers()


def two_processes(folder: Path, brokers: Brokers) -> tuple[SharedServers, SharedServers]:
    return SharedServers(folder, brokers.start, me=os.getpid()), SharedServers(folder, brokers.start, me=os.getppid())


def test_one_is_started_for_all_and_stopped_when_nobody_uses_it(tmp_path: Path, brokers: Brokers) -> None:
    first, second = two_processes(tmp_path, brokers)
    assert first.get("4.3.0") == second.get("4.3.0") == KafkaServer("broker-1:9092", "4.3.0")
    assert brokers.started == ["4.3.0"]
    with ThreadPoolExecutor(1) as pool:
        leaving = pool.submit(first.leave)
        eventually("the first has left", lambda: not (tmp_path / "4.3.0.users" / str(first.me)).exists())
        assert not leaving.done()
        assert brokers.stopped == []
        second.leave()
        leaving.result(timeout=GUARD_S)
    assert brokers.stopped == ["4.3.0"]


def test_one_that_does_not_start_is_tried_once_by_all_processes_and_told_in_one_line(tmp_path: Path) -> None:
    tried: list[str] = []

    def fail(kind: str) -> KafkaServer:
        tried.append(kind)
        raise KafkaStartError("Kafka ended while it started:\nits log\nand more of it")

    first, second = Servers(tmp_path), Servers(tmp_path)
    for servers in (first, second):
        servers._shared = SharedServers(tmp_path, fail)
    in_one_line = r"^Kafka 4\.4\.0 did not start; the run's warnings say why$"
    with pytest.warns(UserWarning, match="it started:\nits log"), pytest.raises(KafkaStartError, match=in_one_line):
        first.get("4.4.0")
    with pytest.raises(KafkaStartError, match=in_one_line):
        first.get("4.4.0")
    with pytest.warns(UserWarning, match=r"process \d+ of this"), pytest.raises(KafkaStartError, match=in_one_line):
        second.get("4.4.0")
    assert tried == ["4.4.0"]


def test_two_that_wait_for_each_other_both_come_to_an_end(tmp_path: Path, brokers: Brokers) -> None:
    first, second = two_processes(tmp_path, brokers)
    for process, other, kind in ((first, second, "4.3.0"), (second, first, "4.0.0")):
        process.get(kind)
        other.get(kind)
    with ThreadPoolExecutor(2) as pool:
        for leaving in [pool.submit(first.leave), pool.submit(second.leave)]:
            leaving.result(timeout=GUARD_S)
    assert sorted(brokers.stopped) == ["4.0.0", "4.3.0"]


def test_after_it_was_stopped_another_is_started(tmp_path: Path, brokers: Brokers) -> None:
    first, second = two_processes(tmp_path, brokers)
    first.get("4.3.0")
    first.leave()
    assert second.get("4.3.0").bootstrap_servers == "broker-2:9092"


def test_one_that_can_not_be_started_is_nobodys(tmp_path: Path, brokers: Brokers) -> None:
    def refuse(kind: str) -> KafkaServer:
        raise NoKafkaError(kind)

    with pytest.raises(NoKafkaError):
        SharedServers(tmp_path, refuse).get("4.3.0")
    assert SharedServers(tmp_path, brokers.start).get("4.3.0").bootstrap_servers == "broker-1:9092"


def test_nobody_waits_for_a_process_that_died(tmp_path: Path, brokers: Brokers) -> None:
    died = subprocess.Popen([sys.executable, "-c", ""])
    died.wait()
    first = SharedServers(tmp_path, brokers.start)
    first.get("4.3.0")
    SharedServers(tmp_path, brokers.start, me=died.pid).get("4.3.0")
    first.leave()
    assert brokers.stopped == ["4.3.0"]

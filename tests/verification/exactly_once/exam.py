"""One exam: a topic that is fed, workers that are killed or suspended, and what readers see in the end."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path

from attrs import define, field
from confluent_kafka import Producer

from kafka_nextgen import GroupAdmin
from tests.support.clients import create_named_topic, unique
from tests.support.numbering import partition_of, value_of
from tests.support.waiting import GUARD_S, eventually
from tests.verification.exactly_once.fleet import Fleet
from tests.verification.exactly_once.judging import judge, open_partitions, read_with_confluent, read_with_ours
from tests.verification.soak.brokers import configure

PARTITIONS = 6
#: A killed member's partitions go to others after this time (seconds).
SESSION_S = 5
#: A worker leaves in order so often, in parts of the kills.
LEAVES = 0.15
#: One is suspended so often, in parts of the kills, for so long (seconds): most of them lose their partitions.
SUSPENSIONS = 0.2
SUSPENDED_S = (SESSION_S - 1, SESSION_S + 4)
GROUP = {
    "consumer.session.timeout.ms": SESSION_S * 1000,
    "consumer.heartbeat.interval.ms": 200,
    "consumer.assignment.interval.ms": 0,
}


@define
class Summary:
    """What an exam has seen."""

    seed: int
    kills: int = 0
    kills_in_transactions: int = 0
    leaves: int = 0
    suspensions: int = 0
    aborts: int = 0
    records: int = 0
    seconds: float = 0.0
    findings: list[str] = field(factory=list)

    def __str__(self) -> str:
        rate = self.records / self.seconds if self.seconds else 0.0
        happened = (
            f"{self.kills} kills ({self.kills_in_transactions} within a transaction), {self.leaves} orderly leaves, "
            f"{self.suspensions} suspensions, {self.aborts} transactions aborted"
        )
        verdict = "; ".join(self.findings) or "each result exactly once, in order"
        return f"seed {self.seed}: {happened}, {self.records} records, {rate:.0f} records/s: {verdict}"


class Feeder:
    """Writes numbered records at a steady rate until it is stopped."""

    def __init__(self, servers: str, topic: str, per_second: int) -> None:
        self._producer = Producer({"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 20})
        self._topic = topic
        self._per_second = per_second
        self._stop = threading.Event()
        self.count = 0
        self._thread = threading.Thread(target=self._feed)

    def __enter__(self) -> Feeder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        assert self._producer.flush(30) == 0, "records are not acknowledged"

    def _feed(self) -> None:
        while not self._stop.wait(0.05):
            self.write(self._per_second // 20)

    def write(self, count: int) -> None:
        for number in range(self.count, self.count + count):
            self._producer.produce(self._topic, value_of(number), partition=partition_of(number, PARTITIONS))
            if number % 1000 == 0:
                self._producer.poll(0)
        self.count += count


def run_exam(
    servers: str,
    place: Path,
    *,
    seed: int,
    kills: int,
    kind: str,
    say: Callable[[str], object],
    size: int = 4,
    per_second: int = 500,
    seconds: float = math.inf,
) -> Summary:
    """Kill workers until there were ``kills``, or for ``seconds``, let the rest be copied, and read it."""
    source, target, group = unique("orders"), unique("invoices"), unique("billing")
    for topic in (source, target):
        create_named_topic(servers, topic, PARTITIONS)
    configure(servers, group, GROUP)
    began, summary = time.monotonic(), Summary(seed)
    fleet = Fleet(size, [servers, source, target, group, kind], 200, place / "workers.log", seed)
    try:
        with Feeder(servers, source, per_second) as feeder:
            while fleet.kills < kills and time.monotonic() < began + seconds:
                fleet.kill_one()
                if fleet.chance.random() < LEAVES:
                    fleet.let_one_leave()
                if fleet.chance.random() < SUSPENSIONS:
                    fleet.suspend_one(fleet.chance.uniform(*SUSPENDED_S))
                if fleet.kills % 20 == 0:
                    say(f"{fleet.kills} kills, {feeder.count} records")
        summary.records = feeder.count
        wait_until_all_is_committed(servers, group, fleet, summary.records)
        summary.seconds = time.monotonic() - began
        # The successor of a killed worker ends what that has left open, as soon as it runs.
        eventually("no transaction is open", lambda: not open_partitions(servers, target, PARTITIONS))
        if died := fleet.died():
            summary.findings.append(f"{', '.join(died)} ended by themselves (workers.log)")
        fleet.end()
    finally:
        fleet.kill_all()
    summary.kills, summary.kills_in_transactions, summary.leaves = fleet.kills, fleet.kills_at_work, fleet.leaves
    summary.suspensions, summary.aborts = fleet.suspensions, fleet.aborts
    if fleet.unclean:
        summary.findings.append(f"exit codes {fleet.unclean} after SIGTERM (workers.log)")
    for read in (read_with_confluent, read_with_ours):
        summary.findings += judge(read(servers, target, PARTITIONS), summary.records)
    return summary


def wait_until_all_is_committed(servers: str, group: str, fleet: Fleet, count: int) -> None:
    """Ask the group when the workers have said that all is committed, and once a second.

    A worker that was killed may have committed what it could not say. Asking more often would slow the workers down.
    """
    deadline, committed = time.monotonic() + 2 * GUARD_S, 0
    with GroupAdmin(bootstrap_servers=servers) as admin:
        while committed < count and time.monotonic() < deadline:
            fleet.wait_for_records(count, timeout_s=1)
            committed = sum(
                found.committed.offset for found in admin.offsets(group).values() if found.committed is not None
            )
    assert committed == count, f"{committed} of {count} records are committed"


def measure(servers: str, place: Path, *, records: int, kind: str, size: int, max_records: int) -> Summary:
    """Copy a filled topic without kills; the rate is that from the first transaction to the last."""
    source, target, group = unique("orders"), unique("invoices"), unique("billing")
    for topic in (source, target):
        create_named_topic(servers, topic, PARTITIONS)
    configure(servers, group, GROUP)
    with Feeder(servers, source, 0) as feeder:
        feeder.write(records)
    fleet = Fleet(size, [servers, source, target, group, kind], max_records, place / "workers.log", 0)
    try:
        eventually("all is committed", lambda: sum(worker.records for worker in fleet.workers) >= records)
        first = min(worker.first_at for worker in fleet.workers if worker.records)
        last = max(worker.last_at for worker in fleet.workers)
        fleet.end()
    finally:
        fleet.kill_all()
    findings = judge(read_with_confluent(servers, target, PARTITIONS), records)
    return Summary(0, records=records, seconds=last - first, findings=findings)

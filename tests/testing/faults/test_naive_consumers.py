"""Twelve faults that break a naive consumer, each in its own way, and that a careful one survives.

The same test is for both: they read all records once and commit. ``Case.failure`` is what it says of the naive one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import pytest
from attrs import field, frozen

from kafka_nextgen.testing import Api, Clock, Cluster, Fault
from tests.support.waiting import GUARD_S
from tests.testing.faults.applications import ORDERS, PASSWORD, USER, Application, Careful, MakeApplication, Naive


def _produce_more(cluster: Cluster) -> None:
    cluster.produce("orders", ["four"])
    cluster.produce("orders", ["five"])


@frozen
class Case:
    """A fault, when it begins, what happens once it was met, and how the test of a naive consumer fails."""

    name: str
    fault: dict[str, Any]
    failure: str
    api: Api | None = Api.FETCH
    on_commit: bool = False
    after_reading: bool = False
    then: Callable[[Cluster], None] = lambda _: None
    advance_s: float = 0  # while a patient application waits
    expected: tuple[str, ...] = ("one", "two", "three")
    committed: int = 3
    brokers: int = 1
    is_secured: bool = False
    patience_s: float | None = None
    where: dict[str, Any] = field(factory=lambda: {"topic": "orders", "partition": 0})


FIVE = ("one", "two", "three", "four", "five")
ONCE = {"times": 1}
ANYWHERE: dict[str, Any] = {}

CASES = [
    Case(
        "error of a partition",
        {"error": "NOT_LEADER_OR_FOLLOWER", **ONCE},
        r"read \[\], not \['one', 'two', 'three'\]",
    ),
    Case(
        "error of a commit",
        {"error": "COORDINATOR_LOAD_IN_PROGRESS", **ONCE},
        "committed {}, not 3",
        api=Api.OFFSET_COMMIT,
        on_commit=True,
    ),
    Case("delay", {"delay_s": 20, **ONCE}, r"read \[\]", advance_s=20, patience_s=0.01),
    Case("throttle", {"throttle_s": 20, **ONCE}, r"read \[\]", advance_s=20, where=ANYWHERE),
    Case("request lost", {"drop": "before", **ONCE}, "the broker hung up, 4 bytes short"),
    Case(
        "answer lost",
        {"drop": "after", **ONCE},
        "read 'one' again",
        api=Api.OFFSET_COMMIT,
        on_commit=True,
    ),
    Case("connection cut", {"cut_connection": True, **ONCE}, "the broker hung up, [1-9]"),
    Case("corrupt batch", {"corrupt_offset": 1, **ONCE}, r"read \['one', 'twn', 'three'\]"),
    Case("leader that moves", {"move_leader": True}, r"read \[\]", brokers=2),
    Case(
        "lost tail",
        {"lose_tail": 2},
        r"read \['one', 'two', 'three'\], not \['one', 'two', 'three', 'four', 'five'\]",
        after_reading=True,
        then=_produce_more,
        expected=FIVE,
    ),
    Case(
        "topic recreated",
        {"recreate_topic": True},
        r"read \['one', 'two', 'three'\], not \['one', 'two', 'three', 'four', 'five'\]",
        after_reading=True,
        then=_produce_more,
        expected=FIVE,
        committed=2,
        where={"topic": "orders"},
    ),
    Case("expired login", {"expire_login": True}, "the broker hung up, 4 bytes short", is_secured=True, where=ANYWHERE),
]


@contextmanager
def _meanwhile(fault: Fault, then: Callable[[], None]) -> Iterator[None]:
    """Once the fault was met, do something else in another thread."""
    thread = threading.Thread(target=lambda: (fault.wait_until_met(timeout=GUARD_S), then()))
    thread.start()
    try:
        yield
    finally:
        thread.join()


def _then(case: Case, cluster: Cluster, app: Application) -> None:
    case.then(cluster)
    if app.is_patient:
        cluster.advance(case.advance_s)


def _leader_first(cluster: Cluster) -> str:
    """The bootstrap servers, beginning with the leader of the partition."""
    servers = cluster.bootstrap_servers.split(",")
    leader = cluster.leader_of("orders", 0)
    assert leader is not None
    return ",".join(servers[leader - 1 :] + servers[: leader - 1])


def check(case: Case, make: MakeApplication) -> None:
    """The test of an application: with this fault it reads all records once, and commits."""
    config: dict[str, object] = {"default.replication.factor": case.brokers}
    secured = {"listeners": "SASL_PLAINTEXT://:0"} if case.is_secured else {}
    with Cluster(case.brokers, {**config, **secured}, users={USER: PASSWORD}, clock=Clock()) as cluster:
        cluster.create_topic("orders")
        for value in ("one", "two", "three"):
            cluster.produce("orders", [value])
        with closing(make(_leader_first(cluster), case.is_secured, case.patience_s)) as app:
            fault = cluster.fault(case.api, **case.fault, **case.where)
            read = app.read(3) if case.after_reading or case.on_commit else []
            with fault, _meanwhile(fault, lambda: _then(case, cluster, app)):
                read += [] if case.on_commit else app.read(len(case.expected) - len(read))
                if case.on_commit:
                    app.commit()
            assert read == list(case.expected), f"read {read}, not {list(case.expected)}"
            if not case.on_commit:
                app.commit()
            committed = cluster.committed("billing")
            assert committed == {ORDERS: case.committed}, f"committed {committed}, not {case.committed}"
            cluster.produce("orders", ["last"])
            (last,) = app.read(1)
            assert last == "last", f"read {last!r} again"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_careful_consumer_passes(case: Case) -> None:
    check(case, Careful)


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_a_naive_consumer_fails(case: Case) -> None:
    with pytest.raises((AssertionError, ConnectionError), match=case.failure):
        check(case, Naive)

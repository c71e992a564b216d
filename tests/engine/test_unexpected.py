"""An exception that nobody expected is seen, wherever in the background it happens, and that work goes on.

Each row makes one thing fail once that a task, or a timer, of a consumer waits for.
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import inspect
import threading
from collections.abc import Callable
from typing import Any

import pytest

from kafka_nextgen import Consumer
from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.transport import background
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.transport.topic_lookup import PatternWatch
from kafka_nextgen.types import OffsetAndMetadata
from tests.engine.own_assignor import Own
from tests.engine.stage import GUARD_S, Stage, tp
from tests.support.waiting import eventually

QUICK = {"metadata_max_age_ms": 100, "request_timeout_ms": 300, "auto_commit_interval_ms": 20}
MEMBER = "kafka_nextgen.engine.member."
MATCHING = "kafka_nextgen.transport.topic_lookup:PatternWatch._look_up"


class FailsOnce:
    """Raises when it is called for the first time, and does what the original does from then on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
        module, _, names = where.partition(":")
        owner: Any = importlib.import_module(module)
        *classes, name = names.split(".")
        for each in classes:
            owner = getattr(owner, each)
        self.calls = 0
        self._original = getattr(owner, name)
        monkeypatch.setattr(owner, name, self._wrapper())

    def _count(self) -> None:
        self.calls += 1
        if self.calls == 1:
            raise RuntimeError("nobody expected this")

    def _wrapper(self) -> Callable[..., object]:
        async def awaited(*args: object, **more: object) -> object:
            self._count()
            return await self._original(*args, **more)

        def called(*args: object, **more: object) -> object:
            self._count()
            return self._original(*args, **more)

        return awaited if inspect.iscoroutinefunction(self._original) else called


OWN, CLASSIC = {"group_local_assignors": (Own(),)}, {"group_protocol": "classic"}
READING = "kafka_nextgen.engine.reading."
OFFSETS = "kafka_nextgen.engine.offsets.requests:OffsetRequests."
#: What fails, and the settings of a consumer that comes by there.
BACKGROUND: list[tuple[str, dict[str, object]]] = [
    ("kafka_nextgen.transport.cluster:ClusterClient.start", {}),
    ("kafka_nextgen.transport.metadata:ClusterMetadata._refreshed", {}),
    ("kafka_nextgen.transport.metadata:messages.from_response", {}),
    ("kafka_nextgen.transport.coordinators:Coordinators._ask", {}),
    ("kafka_nextgen.engine.observability.health:Watchdog.look", {}),
    (READING + "fetcher:Fetcher._fetch", {}),
    (READING + "position_queries:PositionQueries.ask", {}),
    (OFFSETS + "commit", {"enable_auto_commit": True}),
    (OFFSETS + "look_up", {}),
    (MEMBER + "missing_topics:MissingTopics._look_for", {}),
    (MEMBER + "consumer_driver:send_heartbeat", {}),
    (MEMBER + "consumer_driver:ConsumerDriver._resolve", {}),
    (MEMBER + "consumer_driver:ConsumerDriver._wake", {}),
    *((f"{MEMBER}classic_driver:ClassicRequests.{name}", CLASSIC) for name in ("join", "sync", "heartbeat")),
    (MEMBER + "classic_driver:describe_topics", CLASSIC),
    (MEMBER + "classic_driver:ClassicDriver._wake", CLASSIC),
    (MEMBER + "local_assignors:LocalAssignors._ask", OWN),
    (MEMBER + "local_assignors:LocalAssignors.ask_again", OWN),
    (MEMBER + "assignor_driver:AssignorRequests.send", OWN),
    (MEMBER + "classic_assignors:LocalAssignors.compute", {**OWN, **CLASSIC}),
]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PAUSE_S", 0.01)


def poll_through(consumer: Consumer, is_so: Callable[[int], bool]) -> list[Exception]:
    """Poll until it is so, for the number of records that came, and polls have raised something: return that."""
    errors: list[Exception] = []
    count = 0
    while not (errors and is_so(count)):
        try:
            count += len(consumer.poll(timeout=0.05))
        except Exception as error:
            errors.append(error)
    return errors


@pytest.mark.parametrize(
    ("where", "settings"),
    BACKGROUND,
    ids=[where.rpartition(":")[2] for where, _ in BACKGROUND],
)
def test_it_is_raised_by_poll_and_logged_and_the_work_goes_on(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    where: str,
    settings: dict[str, object],
) -> None:
    stage.create(partitions=2, records=10)
    fails = FailsOnce(monkeypatch, where)
    with stage.subscribed(**{**QUICK, **settings}) as consumer:
        errors = poll_through(consumer, lambda count: count >= 20 and fails.calls >= 2)
    assert "nobody expected this" in "".join(map(repr, errors))
    assert "nobody expected this" in caplog.text


def test_the_reminder_of_iteration_goes_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stage.create(records=10)
    fails = FailsOnce(monkeypatch, "kafka_nextgen.engine.application.polling:_remind")
    with stage.subscribed(max_poll_interval_ms=1000) as consumer:
        next(iter(consumer))
        eventually("it was called twice", lambda: fails.calls >= 2, saw=lambda: fails.calls)
        with pytest.raises(RuntimeError, match="nobody expected this"):
            consumer.poll()
    assert "nobody expected this" in caplog.text


def test_the_computation_of_an_assignment_counts_as_failed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.create()
    FailsOnce(monkeypatch, MEMBER + "local_assignors:LocalAssignors.compute")
    with stage.subscribed(group_local_assignors=(Own(),)) as consumer:
        errors = poll_through(consumer, lambda _: consumer.health().assignor_error is not None)
        assert "nobody expected this" in consumer.health().assignor_error
    assert "nobody expected this" in "".join(map(repr, errors))


async def test_the_matching_of_a_pattern_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    failures: list[Exception] = []
    told: list[frozenset[str]] = []

    async def matching(watch: object, pattern: str) -> frozenset[str]:
        return frozenset({"orders"})

    monkeypatch.setattr(MATCHING.replace(":", "."), matching)
    FailsOnce(monkeypatch, MATCHING)

    heard = asyncio.Event()
    tasks = TaskSet(failures.append)

    def take(pattern: str, names: frozenset[str]) -> None:
        told.append(names)
        heard.set()

    PatternWatch(None, tasks, 100.0, take).start("o.*")  # type: ignore[arg-type]
    await asyncio.wait_for(heard.wait(), 10)
    await tasks.cancel_all()
    assert [repr(failure) for failure in failures] == ["RuntimeError('nobody expected this')"]
    assert told == [frozenset({"orders"})]


def test_a_commit_that_fails_unexpectedly_says_so_and_keeps_no_other_waiting(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with stage.after_reading(10, partitions=2, enable_auto_commit=False) as consumer:
        monkeypatch.setattr("kafka_nextgen.engine.offsets.client._COMMITS_IN_A_TURN", 1)
        fails = FailsOnce(monkeypatch, "kafka_nextgen.membership.offsets.asking:add_commit")
        commit = consumer._core.engine.offsets.commit

        async def commit_both() -> list[object]:
            both = (commit({tp(partition): OffsetAndMetadata(7)}, 3600.0) for partition in range(2))
            return await asyncio.gather(*both, return_exceptions=True)

        first, second = consumer._core.engine.thread.submit(commit_both()).result(GUARD_S)
        assert fails.calls == 2
        assert "nobody expected this" in repr(first)
        assert second is None
        assert consumer.committed([tp(0), tp(1)]) == {tp(0): None, tp(1): OffsetAndMetadata(7)}
    assert "nobody expected this" in caplog.text


def test_a_commit_at_the_end_that_fails_is_logged_and_the_member_leaves_all_the_same(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with stage.after_reading(10, enable_auto_commit=True):
        FailsOnce(monkeypatch, "kafka_nextgen.engine.offsets.client:OffsetClient.commit_before_revoking")
    assert "nobody expected this" in caplog.text
    assert stage.members() == 0


@pytest.mark.filterwarnings("ignore:.*dropped without close:ResourceWarning")
@pytest.mark.parametrize(
    ("kind", "where"),
    [
        (Consumer, "kafka_nextgen.engine.engine:end_sessions"),
        (GroupAdmin, "kafka_nextgen.admin.async_group_admin:AsyncGroupAdmin.close"),
    ],
)
def test_a_dropped_client_whose_end_fails_says_so_and_its_thread_ends(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: type[Consumer | GroupAdmin],
    where: str,
) -> None:
    FailsOnce(monkeypatch, where)
    client = kind(bootstrap_servers=stage.cluster.bootstrap_servers, client_id="dropped")
    (thread,) = [thread for thread in threading.enumerate() if "dropped" in thread.name]
    del client
    gc.collect()
    thread.join(GUARD_S)
    assert not thread.is_alive()
    assert "nobody expected this" in caplog.text

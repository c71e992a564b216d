"""Health: what is known already, judged; nothing is asked for. The watchdog speaks of it."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
from collections.abc import Sequence

import pytest

from kafka_nextgen import Consumer, Hooks, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.engine.observability.health import Health, Limits, Watchdog, assess, stalled_among
from kafka_nextgen.engine.observability.hooks import HookList
from kafka_nextgen.engine.observability.rebalance import RebalanceCause
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FETCH, FIND_COORDINATOR
from tests.engine.stage import TOPIC, Stage, no_coordinator, poll_until, read, tp
from tests.support.kafka_properties import refusing_address
from tests.support.waiting import eventually

ORDERS_0, ORDERS_1 = TopicPartition("orders", 0), TopicPartition("orders", 1)


LIMITS = Limits(answer_s=30.5, rebalance_s=300)


def judged(
    status: Status | ClassicStatus = Status.STABLE,
    member_epoch: int = 3,
    since_heartbeat_s: float | None = 1.0,
    silence_s: dict[TopicPartition, float] | None = None,
    unreachable: str | None = None,
    **more: object,
) -> Health:
    silence_s = silence_s or {}
    health = Health(
        status=status,
        member_epoch=member_epoch,
        since_heartbeat_s=since_heartbeat_s,
        silence_s=silence_s,
        stalled=stalled_among(silence_s, LIMITS),
        **more,  # type: ignore[arg-type]
    )
    return assess(health, LIMITS, unreachable)


@pytest.mark.parametrize(
    ("health", "problem"),
    [
        (judged(), None),
        (judged(status=Status.JOINING, member_epoch=0, since_heartbeat_s=None), None),
        (judged(since_heartbeat_s=31.0), "no heartbeat was answered for 31 s"),
        (judged(status=Status.UNSUBSCRIBED, member_epoch=-1, since_heartbeat_s=100.0), None),
        (judged(since_heartbeat_s=None, member_epoch=0, unanswered_s=31.0), "no heartbeat was answered for 31 s"),
        (judged(status=Status.STALE, member_epoch=-1, unanswered_s=100.0, since_poll_s=400.0), "last polled 400 s ago"),
        (judged(status=ClassicStatus.STALE, member_epoch=-1), r"not polled within max\.poll\.interval\.ms: the member"),
        (judged(rebalancing=RebalanceCause.REASSIGNED, rebalancing_s=299.0), None),
        (
            judged(
                Status.RECONCILING,
                rebalancing=RebalanceCause.REASSIGNED,
                rebalancing_s=301.0,
                phase=Phase.WAITING_FOR_POLL,
            ),
            r"rebalancing \(reassigned\) for 301 s, now at: waiting_for_poll",
        ),
        (judged(status=Status.FATAL, member_epoch=-1), "permanently"),
        (
            judged(status=Status.RECONCILING, phase=Phase.FAILED),
            r"on_partitions_assigned raised: poll\(\) calls it again",
        ),
        (judged(unreachable="no broker could be reached: ..."), "no broker"),
        (judged(gone=(ORDERS_0, ORDERS_1)), r"orders\[0-1\]: the topic was deleted"),
        (judged(missing=("ordres", "adit")), "subscribed to ordres, adit, which does not exist"),
        (judged(coordinator_error="connection refused"), "can't be reached: connection refused"),
        (judged(Status.FATAL, coordinator_error="connection refused"), "permanently"),
        (judged(Status.JOINING, member_epoch=0, instance_id_wait_s=41.6), "another member holds .* for 42 s"),
        (judged(silence_s={ORDERS_0: 0.2, ORDERS_1: 40.0}), r"no leader has answered a fetch of orders\[1\] for 40 s"),
    ],
)
def test_each_problem_is_said(health: Health, problem: str | None) -> None:
    assert (health.problem is None) == (problem is None)
    assert problem is None or re.search(problem, health.problem or "")


def test_only_silent_partitions_are_stalled() -> None:
    assert judged(silence_s={ORDERS_0: 0.2, ORDERS_1: 40.0}).stalled == (ORDERS_1,)


def test_a_member_that_reads_is_well(stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer:
        assert consumer.health().status is Status.UNSUBSCRIBED
        consumer.subscribe([TOPIC])
        poll_until(consumer, lambda: consumer.health().status is Status.STABLE and bool(consumer.health().silence_s))
        health = consumer.health()
        assert health.problem is None
        assert health.since_heartbeat_s is not None
        assert health.member_epoch >= 1
        assert set(health.silence_s) == {tp()}
        consumer.pause([tp()])
        poll_until(consumer, lambda: not consumer.health().silence_s)


def test_a_cluster_that_was_never_reached_is_a_problem() -> None:
    with refusing_address() as nobody, Consumer(bootstrap_servers=nobody, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        poll_until(consumer, lambda: nobody in (consumer.health().problem or ""))


def test_an_application_that_stopped_polling_is_a_problem_until_it_polls(timed: Stage) -> None:
    timed.create(records=10)
    with timed.subscribed(max_poll_interval_ms=10_000) as consumer:
        consumer.poll(timeout=0)  # it may be stable before anybody polls
        poll_until(consumer, lambda: consumer.health().status is Status.STABLE)
        timed.cluster.advance(seconds=11)
        assert consumer.health().status is Status.STALE
        assert "max.poll.interval.ms" in (consumer.health().problem or "")
        assert (consumer.health().since_poll_s or 0) > 10
        poll_until(consumer, lambda: consumer.health().problem is None)


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_leave_without_its_callback_is_over_while_that_still_runs(
    stage: Stage, caplog: pytest.LogCaptureFixture, protocol: str
) -> None:
    stage.create()

    class Slow(RebalanceListener):
        def on_partitions_revoked(self, view: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            eventually("the member has left", lambda: consumer.rebalances()[-1].revoked == (tp(),))
            problems.append(consumer.health().problem or "")

    problems: list[str] = []
    with stage.subscribed(Slow(), group_protocol=protocol, max_poll_interval_ms=1000) as consumer:
        poll_until(consumer, lambda: bool(consumer.assignment()))
        consumer.unsubscribe()
        last = consumer.rebalances()[-1]
        assert (last.cause, last.epoch_after) == (RebalanceCause.UNSUBSCRIBED, -1)
        assert consumer.health().problem is None
    assert "the member left its group without waiting for it" in problems[0]
    assert "left without waiting for a callback that has taken longer than max.poll.interval.ms=1000" in caplog.text


def test_a_coordinator_that_does_not_answer_is_a_problem_also_while_joining(stage: Stage) -> None:
    stage.create()
    stage.never(CONSUMER_GROUP_HEARTBEAT)
    with stage.subscribed(request_timeout_ms=600) as consumer:
        poll_until(consumer, lambda: "no heartbeat was answered" in (consumer.health().problem or ""))
        assert consumer.health().status is Status.JOINING
        consumer.unsubscribe(timeout=0.1)
        eventually("the leave is given up", lambda: consumer.health().unanswered_s == 0)


def test_a_rebalance_under_way_is_told(stage: Stage) -> None:
    stage.create()
    seen: list[Health] = []

    class Looks(RebalanceListener):
        def on_partitions_assigned(self, view: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
            seen.append(consumer.health())

    with stage.subscribed(Looks()) as consumer:
        poll_until(consumer, lambda: bool(consumer.rebalances()))
        assert consumer.health().rebalancing is None
    assert seen[0].rebalancing is RebalanceCause.JOINED
    assert seen[0].phase is Phase.ASSIGNING
    assert seen[0].rebalancing_s > 0


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_a_coordinator_that_is_not_found_is_a_problem_until_it_is(stage: Stage, protocol: str) -> None:
    stage.create()
    found = stage.original(FIND_COORDINATOR)
    stage.handle(FIND_COORDINATOR, no_coordinator)
    with stage.subscribed(group_protocol=protocol) as consumer:
        poll_until(consumer, lambda: "COORDINATOR_NOT_AVAILABLE" in (consumer.health().problem or ""))
        stage.handle(FIND_COORDINATOR, found)
        poll_until(consumer, lambda: consumer.health().problem is None)


def test_health_as_a_dict_is_json() -> None:
    health = Health(
        status=Status.STABLE, silence_s={TopicPartition("orders", 0): 1.5}, gone=(TopicPartition("orders", 1),)
    )
    told = json.loads(json.dumps(health.as_dict()))
    assert (told["status"], told["silence_s"], told["gone"]) == ("stable", {"orders[0]": 1.5}, ["orders[1]"])


# ---- the watchdog


class Hears(Hooks):
    def __init__(self) -> None:
        self.calls: list[tuple[tuple[TopicPartition, ...], float]] = []

    def stalled(self, partitions: Sequence[TopicPartition], silent_s: float) -> None:
        self.calls.append((tuple(partitions), silent_s))


def silent(**partitions: float) -> Health:
    silence_s = {tp(int(name[1:])): silent_s for name, silent_s in partitions.items()}
    return Health(status=Status.STABLE, silence_s=silence_s, stalled=tuple(silence_s))


def test_each_stall_is_told_once_and_its_end(caplog: pytest.LogCaptureFixture) -> None:
    hears, hooks = Hears(), HookList()
    hooks.add(hears)
    looks = iter([silent(), silent(p0=31), silent(p0=38, p1=32), silent(p0=45, p1=39), silent(p1=46), silent()])
    dog = Watchdog("group billing", lambda: next(looks), hooks)
    with caplog.at_level(logging.INFO, "kafka_nextgen.fetch"):
        for _ in range(6):
            dog.look()
    assert hears.calls == [((tp(0),), 31), ((tp(1),), 32)]
    assert [line.getMessage().partition("; ")[0] for line in caplog.records] == [
        "group billing: orders[0] stalled: no leader has answered a fetch for 31 s",
        "group billing: orders[1] stalled: no leader has answered a fetch for 32 s",
        "group billing: orders[0] no longer stalled",
        "group billing: orders[1] no longer stalled",
    ]


def test_a_consumer_has_one_that_barks(stage: Stage) -> None:
    stage.create(records=5)
    hears, fetch, may_answer = Hears(), stage.original(FETCH), threading.Event()

    async def mute(*question: object) -> object:
        await asyncio.to_thread(may_answer.wait)
        return await fetch(*question)

    stage.handle(FETCH, mute)
    with stage.subscribed(hooks=[hears], request_timeout_ms=600) as consumer:
        poll_until(consumer, lambda: bool(hears.calls))
        assert consumer.health().stalled == (tp(),)
        may_answer.set()
        read(consumer, 5)
        assert consumer.health().stalled == ()
    assert [partitions for partitions, _ in hears.calls] == [(tp(),)]

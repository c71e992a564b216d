"""Health: what is known already, judged; nothing is asked for."""

from __future__ import annotations

import re

import pytest

from kafka_nextgen import Consumer, NoBrokersError
from kafka_nextgen.engine.health import Health, assess
from kafka_nextgen.membership.states import Phase, Status
from kafka_nextgen.types import TopicPartition
from tests.engine.stage import TOPIC, Stage, poll_until, tp
from tests.support.kafka_properties import free_ports

ORDERS_0, ORDERS_1 = TopicPartition("orders", 0), TopicPartition("orders", 1)


def judged(
    status: Status = Status.STABLE,
    phase: Phase = Phase.IDLE,
    epoch: int = 3,
    since_heartbeat_s: float | None = 1.0,
    silence_s: dict[TopicPartition, float] | None = None,
    gone: tuple[TopicPartition, ...] = (),
    unreachable: str | None = None,
) -> Health:
    return assess(status, phase, "me", epoch, since_heartbeat_s, silence_s or {}, gone, unreachable, patience_s=30.5)


@pytest.mark.parametrize(
    ("health", "problem"),
    [
        (judged(), None),
        (judged(status=Status.JOINING, epoch=0, since_heartbeat_s=None), None),
        (judged(since_heartbeat_s=31.0), "no heartbeat was answered for 31 s"),
        (judged(status=Status.UNSUBSCRIBED, epoch=-1, since_heartbeat_s=100.0), None),
        (judged(status=Status.FATAL, epoch=-1), "for good"),
        (
            judged(status=Status.RECONCILING, phase=Phase.FAILED),
            r"on_partitions_assigned raised: poll\(\) calls it again",
        ),
        (
            judged(status=Status.RECONCILING, phase=Phase.STUCK),
            "on_partitions_revoked raised: the coordinator removes",
        ),
        (judged(unreachable="no broker could be reached: ..."), "no broker"),
        (judged(gone=(ORDERS_0, ORDERS_1)), r"orders\[0-1\]: the topic was deleted"),
        (judged(silence_s={ORDERS_0: 0.2, ORDERS_1: 40.0}), r"orders\[1\] not heard of for 40 s"),
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
    nobody = f"127.0.0.1:{free_ports(1)[0]}"
    with Consumer(bootstrap_servers=nobody, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(NoBrokersError):
            consumer.poll(timeout=2)
        assert nobody in (consumer.health().problem or "")

"""Connections that break, answers that stay out, break off or make no sense, at each step of a consumer's life.

Whatever happens once to whichever request, the consumer reads every record, commits, and leaves. Nothing of it reaches
the application, for all of it is weather.
"""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen import Consumer, FrameTooLargeError, RebalanceCause, Record
from tests.engine.stage import TOPIC, Hears, Stage, poll_until, read, values
from tests.sockets.acts import FAULTS, limits_for
from tests.sockets.script import Script
from tests.support.waiting import GUARD_S

#: What a consumer asks, from first to last.
STEPS = [
    *("api versions", "metadata", "find coordinator", "join", "acknowledgement", "offset fetch", "list offsets"),
    *("fetch", "heartbeat", "commit", "leave"),
]


def read_patiently(consumer: Consumer, count: int) -> list[Record]:
    """Poll until so many records came. A poll that ends before any broker was reached would say so."""
    records: list[Record] = []
    while len(records) < count:
        came = consumer.poll(timeout=GUARD_S)
        assert came, f"{len(records)} of {count} records came"
        records += came
    return records


@pytest.mark.parametrize("act", FAULTS)
def test_a_fault_at_each_step_costs_nothing(script: Script, stage: Stage, act: str) -> None:
    stage.create(partitions=2, records=10)
    script.play("\n".join(f"when {step}: {act}" for step in STEPS))
    heard = Hears()
    with stage.consumer(**limits_for(act)) as consumer:
        consumer.subscribe([TOPIC], listener=heard)
        records = read_patiently(consumer, 20)
        consumer.commit()
        poll_until(consumer, lambda: len(script.acted_on) >= len(STEPS) - 1)  # all but the leave
        # It leaves by a connection that is not about to break: a member that leaves does not try again.
        poll_until(consumer, lambda: len(script.came("heartbeat")) > 1)
    assert script.is_done
    for partition in (0, 1):
        assert values([record for record in records if record.partition == partition]) == list(range(10))
    assert stage.committed() == {0: 10, 1: 10}
    assert heard.calls == ["assigned orders[0-1]", "revoked orders[0-1]"]


@pytest.mark.parametrize("act", FAULTS)
def test_a_heartbeat_that_is_lost_again_and_again_costs_nothing_within_the_session(
    script: Script, stage: Stage, act: str
) -> None:
    stage.create(records=10)
    with stage.consumer(**limits_for(act)) as consumer:
        consumer.subscribe([TOPIC])
        read(consumer, 10)
        script.play(f"when heartbeat, 4 times: {act}")
        poll_until(consumer, lambda: script.is_done)
        script.wait_for_next("heartbeat")
        stage.write(0, 5)
        assert len(read(consumer, 5)) == 5
        assert [rebalance.cause for rebalance in consumer.rebalances()] == [RebalanceCause.JOINED]


def test_a_heartbeat_answered_with_nonsense_is_logged_and_counts_as_lost(
    script: Script, stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer, caplog.at_level(logging.WARNING, "kafka_nextgen.member"):
        consumer.subscribe([TOPIC])
        read(consumer, 10)
        script.play("when heartbeat: answer nonsense")
        poll_until(consumer, lambda: script.is_done)
        again = script.wait_for_next("heartbeat").message
        assert again is not None
        assert again.subscribed_topic_names == (TOPIC,), "it says everything again"
        consumer.poll(timeout=0)
    assert "group billing: heartbeat lost" in caplog.text


def test_a_leave_that_is_never_answered_costs_no_more_than_the_time_of_close(script: Script, stage: Stage) -> None:
    stage.create(records=10)
    script.play("when leave, always: stay silent")
    consumer = stage.consumer()
    consumer.subscribe([TOPIC])
    read(consumer, 10)
    consumer.close(timeout=0.3)
    assert len(script.came("leave")) == 1


def test_who_reached_a_broker_at_the_second_attempt_says_so_at_once_and_leaves(script: Script, stage: Stage) -> None:
    stage.create(records=10)
    script.play("when metadata: answer nonsense")
    heard = Hears()
    with stage.consumer(retry_backoff_max_ms=60_000) as consumer:  # before it tries by itself
        consumer.subscribe([TOPIC], listener=heard)
        assert len(read_patiently(consumer, 10)) == 10
        assert len(consumer.poll(timeout=0)) == 0
        assert consumer.health().problem is None
    assert heard.calls == ["assigned orders[0]", "revoked orders[0]"]
    assert stage.members() == 0


def test_an_answer_too_large_for_the_configuration_is_raised_for_no_repetition_makes_it_smaller(
    script: Script, stage: Stage
) -> None:
    stage.create(records=10)
    script.play("when fetch: answer too much")
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC])
        with pytest.raises(FrameTooLargeError, match=r"receive\.message\.max\.bytes"):
            poll_until(consumer, lambda: False)
        assert len(read(consumer, 10)) == 10

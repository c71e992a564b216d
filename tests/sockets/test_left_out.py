"""Answers that leave out what was asked for: it is asked for again, and never taken for "there is none"."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_nextgen import GroupAdmin, RequestTimeoutError
from tests.engine.stage import GROUP, TOPIC, Stage, read, tp, values
from tests.sockets.script import Script
from tests.support.waiting import GUARD_S

PROTOCOLS = pytest.mark.parametrize("protocol", ["consumer", "classic"])


def leave_offset(stage: Stage, offset: int) -> None:
    with stage.consumer() as before:
        before.subscribe([TOPIC])
        read(before, 10)
        before.commit({tp(): offset})


@PROTOCOLS
@pytest.mark.parametrize("reset", ["earliest", "latest", "none"])
def test_reading_begins_at_the_committed_offset_that_an_answer_left_out(
    script: Script, stage: Stage, protocol: str, reset: str
) -> None:
    stage.create(records=10)
    leave_offset(stage, 5)
    script.play("when offset fetch, 2 times: answer without topics")
    with stage.consumer(group_protocol=protocol, auto_offset_reset=reset) as consumer:
        consumer.subscribe([TOPIC])
        assert values(read(consumer, 5)) == [5, 6, 7, 8, 9]
    assert script.is_done


def told_when_time_is_over(
    script: Script, stage: Stage, request: str, call: Callable[..., object], *args: object
) -> str:
    """Make a call with a minute's time, and let that pass once the broker was asked; return what the call raises."""
    asked = len(script.came(request))
    with ThreadPoolExecutor(1) as pool:
        calling = pool.submit(call, *args, timeout=60.0)
        script.wait_for(request, asked + 1)
        stage.cluster.advance(seconds=61)
        with pytest.raises(RequestTimeoutError) as caught:
            calling.result(GUARD_S)
    return str(caught.value)


SELDOM = {"retry_backoff_ms": 5_000, "retry_backoff_max_ms": 5_000, "request_timeout_ms": 120_000}


def test_committed_offsets_that_every_answer_leaves_out_are_not_none(script: Script, turned_stage: Stage) -> None:
    turned_stage.create(records=10)
    leave_offset(turned_stage, 5)
    script.play("when offset fetch, always: answer without topics")
    with turned_stage.consumer(**SELDOM) as consumer:
        said = told_when_time_is_over(script, turned_stage, "offset fetch", consumer.committed, [tp()])
        assert "the response to OffsetFetch lacks orders[0]" in said
        script.stop()
        found = consumer.committed([tp()])[tp()]
        assert found is not None
        assert found.offset == 5


def test_a_topic_that_an_answer_leaves_out_does_exist(script: Script, stage: Stage) -> None:
    stage.create(partitions=2)
    with stage.consumer() as consumer:
        consumer.partitions_for("other")  # from here on brokers are known
        script.play("when metadata, 2 times: answer without topics")
        assert consumer.partitions_for(TOPIC) == (0, 1)


@pytest.mark.parametrize("then", ["answer without topics", "stay silent"])
def test_why_a_topic_was_asked_for_again_is_told_though_the_time_ends_while_an_answer_is_awaited(
    script: Script, turned_stage: Stage, then: str
) -> None:
    with turned_stage.consumer(**SELDOM) as consumer:
        consumer.partitions_for("other")
        script.play(f"when metadata: answer without topics\nwhen metadata, always: {then}")
        said = told_when_time_is_over(script, turned_stage, "metadata", consumer.partitions_for, "another")
        assert "the Metadata answer lacks topic another" in said


def test_a_leader_of_a_classic_group_assigns_a_topic_that_an_answer_left_out(script: Script, stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer(group_protocol="classic") as consumer:
        consumer.partitions_for("other")
        script.play("when metadata, 3 times: answer without topics")
        consumer.subscribe([TOPIC])
        assert len(read(consumer, 10)) == 10
    assert script.is_done


def test_a_group_that_an_answer_leaves_out_is_asked_for_again(script: Script, stage: Stage) -> None:
    stage.create(records=10)
    leave_offset(stage, 5)
    script.play("""
        when describe, 2 times: answer nonsense
        when describe classic, 2 times: answer nonsense
        when offset delete, 2 times: answer without topics
    """)
    with GroupAdmin(bootstrap_servers=stage.cluster.bootstrap_servers) as admin:
        assert admin.describe([GROUP])[GROUP].group_id == GROUP
        assert not admin.describe(["nobody"]).done
        assert admin.delete_offsets(GROUP, [tp()]).all() == {tp(): None}
    assert script.is_done
    assert stage.committed() == {}

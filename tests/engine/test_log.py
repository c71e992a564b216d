"""The log of a member says why: what it lost and on whose word, and every rebalance with its cause."""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen import GroupProtocol
from tests.engine.stage import TOPIC, Stage, poll_until

MEMBER_LOG = "kafka_nextgen.member"


def lines(caplog: pytest.LogCaptureFixture, level: int) -> list[str]:
    return [one.getMessage() for one in caplog.records if one.name == MEMBER_LOG and one.levelno == level]


def test_being_put_out_of_the_group_is_a_warning_with_the_coordinators_word(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.create()
    with caplog.at_level(logging.INFO, MEMBER_LOG), stage.subscribed() as consumer:
        poll_until(consumer, lambda: bool(consumer.rebalances()))
        member = consumer.group_metadata().member_id
        stage.fence(consumer)
        poll_until(consumer, lambda: len(consumer.rebalances()) == 3)
    (warning,) = lines(caplog, logging.WARNING)
    assert warning.startswith(f"group billing: member {member} is out of the group: the coordinator answered a")
    assert "UNKNOWN_MEMBER_ID" in warning
    assert warning.endswith("its partitions are lost, and it rejoins")


@pytest.mark.parametrize("protocol", GroupProtocol)
def test_a_member_that_is_not_polled_says_so_before_it_leaves(
    timed: Stage, caplog: pytest.LogCaptureFixture, protocol: GroupProtocol
) -> None:
    timed.create()
    config = {"group_protocol": protocol, "max_poll_interval_ms": 10_000}
    with caplog.at_level(logging.INFO, MEMBER_LOG), timed.subscribed(**config) as consumer:
        poll_until(consumer, lambda: bool(consumer.assignment()))
        member = consumer.group_metadata().member_id
        timed.cluster.advance(seconds=11)
    (warning,) = lines(caplog, logging.WARNING)
    assert warning.startswith(f"group billing: member {member} is leaving because the application did not poll within")
    assert "max.poll.interval.ms=10000" in warning


def test_every_rebalance_is_a_line_as_rebalances_has_it(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.create(partitions=2)
    with caplog.at_level(logging.INFO, MEMBER_LOG), stage.subscribed() as consumer:
        poll_until(consumer, lambda: bool(consumer.rebalances()))
        (rebalance,) = consumer.rebalances()
    told = [line for line in lines(caplog, logging.INFO) if "rebalance" in line]
    assert told[0] == f"group billing: {rebalance}"
    assert "assigned orders[0-1]" in told[0]
    assert "after the application subscribed to orders" in told[0]
    assert "rebalance 2: closed" in told[1]
    assert "the application closed the consumer (leave: default)" in told[1]


def test_an_instance_id_in_use_is_waited_for_aloud(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.create()
    with stage.consumer(group_instance_id="one") as holder, stage.consumer(group_instance_id="one") as second:
        holder.subscribe([TOPIC])
        poll_until(holder, lambda: bool(holder.assignment()))
        with caplog.at_level(logging.WARNING, MEMBER_LOG):
            second.subscribe([TOPIC])
            poll_until(second, lambda: "another member holds" in (second.health().problem or ""))
            holder.close(leave="leave")
            poll_until(second, lambda: second.health().problem is None and bool(second.assignment()))
    (warning,) = lines(caplog, logging.WARNING)
    assert warning.startswith("group billing: another member holds group.instance.id=one (instance 'one' of group")
    assert "retrying for 60 s (instance.id.retry.timeout.ms)" in warning

"""Errors of heartbeats, met by a real consumer on real sockets: what ``poll`` raises, what the member does.

``tests/scenarios/test_arrows.py`` holds that a scenario meets every code. Here each kind of error is read off the
outside once. A member reads two partitions, its next heartbeat is answered with a code, and
everything that follows is looked at: what the application gets, which callbacks run, which requests the broker sees.
"""

from __future__ import annotations

import pytest

from kafka_nextgen import (
    BrokerError,
    Consumer,
    FencedInstanceError,
    GroupAuthorizationError,
    GroupFullError,
    GroupNotFoundError,
    GroupProtocol,
    InstanceIdInUseError,
    TopicAuthorizationError,
    UnsupportedAssignorError,
    UnsupportedProtocolError,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.effects import RaiseToApplication
from kafka_nextgen.transport.failures import error_from_coordinator
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest
from tests.engine.stage import TOPIC, Hears, Stage, poll_until, read, tp
from tests.sockets.script import Script


@pytest.mark.parametrize(
    ("code", "kind", "advice"),
    [
        ("GROUP_AUTHORIZATION_FAILED", GroupAuthorizationError, "grant READ on the group"),
        ("TOPIC_AUTHORIZATION_FAILED", TopicAuthorizationError, "grant DESCRIBE and READ"),
        ("GROUP_ID_NOT_FOUND", GroupNotFoundError, "the group was deleted"),
        ("GROUP_MAX_SIZE_REACHED", GroupFullError, "group.consumer.max.size"),
        ("INVALID_REQUEST", BrokerError, "report it"),
        ("INVALID_REGULAR_EXPRESSION", BrokerError, "RE2"),
        ("UNSUPPORTED_ASSIGNOR", UnsupportedAssignorError, "group.remote.assignor"),
        ("UNSUPPORTED_VERSION", UnsupportedProtocolError, "group.protocol=classic"),
        ("FENCED_INSTANCE_ID", FencedInstanceError, "only one runs with it"),
        ("UNRELEASED_INSTANCE_ID", InstanceIdInUseError, "group.instance.id"),
        ("UNKNOWN_SERVER_ERROR", BrokerError, "coordinator's log"),
        ("INCONSISTENT_GROUP_PROTOCOL", BrokerError, "a common assignor"),
        ("INVALID_SESSION_TIMEOUT", BrokerError, "session.timeout.ms"),
        ("INVALID_GROUP_ID", BrokerError, "INVALID_GROUP_ID"),
    ],
)
def test_each_code_is_an_error_of_its_kind_with_its_advice(code: str, kind: type[BrokerError], advice: str) -> None:
    refused = RaiseToApplication(ErrorCode[code], code, fatal=True)
    error = error_from_coordinator(refused, GroupProtocol.CONSUMER, "billing", "A", 7)
    assert (type(error), error.code, error.group, error.member) == (kind, ErrorCode[code], "billing", "A")
    assert advice in str(error)


@pytest.fixture
def heard() -> Hears:
    return Hears()


def reading(stage: Stage, heard: Hears, **more: object) -> Consumer:
    """Return a consumer that has read the 20 records of two partitions."""
    stage.create(partitions=2, records=10)
    consumer = stage.consumer(**more)
    consumer.subscribe([TOPIC], listener=heard)
    read(consumer, 20)
    return consumer


def is_full(request: RequestFrame) -> bool:
    heartbeat = request.message
    assert isinstance(heartbeat, ConsumerGroupHeartbeatRequest)
    said = (heartbeat.subscribed_topic_names, heartbeat.topic_partitions)
    return None not in said and heartbeat.rebalance_timeout_ms > 0


@pytest.mark.parametrize(("code", "has_moved"), [("NOT_COORDINATOR", True), ("COORDINATOR_LOAD_IN_PROGRESS", False)])
def test_what_passes_is_tried_again_in_full_and_nobody_hears_of_it(
    script: Script, stage: Stage, heard: Hears, code: str, has_moved: bool
) -> None:
    with reading(stage, heard) as consumer:
        looked_up = len(script.came("find coordinator"))
        script.play(f"when heartbeat, 3 times: answer error {code}")
        poll_until(consumer, lambda: script.is_done)
        repeated = [*script.acted_on[1:], script.wait_for_next("heartbeat")]
        assert all(is_full(request) for request in repeated)
        stage.write(0, 5)
        assert len(read(consumer, 5)) == 5
        assert (len(script.came("find coordinator")) > looked_up) is has_moved
        assert heard.calls == ["assigned orders[0-1]"]


def test_who_is_fenced_loses_all_and_joins_again_as_the_same_member_with_epoch_0(
    script: Script, stage: Stage, heard: Hears
) -> None:
    with reading(stage, heard) as consumer:
        before = consumer.group_metadata()
        script.play("when heartbeat: answer error UNKNOWN_MEMBER_ID")
        assert len(read(consumer, 20)) == 20, "nothing was committed: all of it comes again"
        assert heard.calls == ["assigned orders[0-1]", "lost orders[0-1]", "assigned orders[0-1]"]
        again = script.came("join")[-1].message
        assert isinstance(again, ConsumerGroupHeartbeatRequest)
        assert (again.member_id, again.member_epoch, again.topic_partitions) == (before.member_id, 0, ())
        assert again.subscribed_topic_names == (TOPIC,)
        assert consumer.group_metadata().member_id == before.member_id


def test_a_topic_that_may_not_be_read_is_raised_once_and_the_member_keeps_trying_and_keeps_all(
    script: Script, stage: Stage, heard: Hears
) -> None:
    with reading(stage, heard) as consumer:
        poll_until(consumer, consumer.rebalances)  # the acknowledgement has been answered
        script.play("when heartbeat: answer error TOPIC_AUTHORIZATION_FAILED")
        with pytest.raises(TopicAuthorizationError, match="grant DESCRIBE and READ") as caught:
            poll_until(consumer, lambda: False)
        assert_names_the_member(caught.value, consumer)
        stage.write(0, 5)
        assert len(read(consumer, 5)) == 5
        assert consumer.assignment() == {tp(0), tp(1)}
        assert heard.calls == ["assigned orders[0-1]"]


def assert_names_the_member(error: BrokerError, consumer: Consumer) -> None:
    """Check that the message says which group, member and epoch, and the attributes too."""
    (join,) = {rebalance.epoch_after for rebalance in consumer.rebalances()[:1]}
    assert f"group billing: member {error.member} at epoch {join}: " in str(error)
    assert (error.group, bool(error.member)) == ("billing", True)


@pytest.mark.parametrize(
    ("code", "kind", "says"),
    [("GROUP_AUTHORIZATION_FAILED", GroupAuthorizationError, "grant READ on the group"), ("999", BrokerError, "999")],
)
def test_what_is_fatal_is_raised_by_every_poll_and_nothing_is_sent_any_more(
    script: Script, stage: Stage, heard: Hears, code: str, kind: type[BrokerError], says: str
) -> None:
    consumer = reading(stage, heard)
    before = consumer.group_metadata()
    script.play(f"when heartbeat: answer error {code}")
    for _ in range(2):
        with pytest.raises(kind, match=code) as caught:
            poll_until(consumer, lambda: False)
        assert type(caught.value) is kind
        assert says in str(caught.value)
        assert caught.value.member == before.member_id
        assert_names_the_member(caught.value, consumer)
    sent = len(script.came("heartbeat"))
    assert heard.calls == ["assigned orders[0-1]", "lost orders[0-1]"]
    assert (consumer.assignment(), consumer.group_metadata()) == (frozenset(), before)
    assert consumer.health().problem == "the coordinator refused this member permanently; poll() raises the reason"
    consumer.close()
    assert (len(script.came("heartbeat")), len(script.came("leave"))) == (sent, 0)


def test_a_join_that_is_refused_for_good_is_raised_too(script: Script, stage: Stage) -> None:
    stage.create()
    script.play("when join: answer error GROUP_AUTHORIZATION_FAILED")
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC])
        for _ in range(2):
            with pytest.raises(GroupAuthorizationError, match=r"group billing: member .+, which is joining: "):
                poll_until(consumer, lambda: False)
    assert len(script.came("join")) == 1


def test_a_join_that_is_refused_for_now_is_sent_again(script: Script, stage: Stage) -> None:
    stage.create(records=5)
    script.play("""
        when join: answer error NOT_COORDINATOR
        when join: answer error COORDINATOR_LOAD_IN_PROGRESS
        when join: answer error UNKNOWN_MEMBER_ID
        when join, 2 times: answer error UNRELEASED_INSTANCE_ID
    """)
    with stage.consumer(group_instance_id="reader") as consumer:
        consumer.subscribe([TOPIC])
        assert len(read(consumer, 5)) == 5
        joins = [request.message for request in script.came("join")]
        assert [join.member_id for join in joins if join is not None] == [consumer.group_metadata().member_id] * 6


def test_a_leave_that_is_refused_makes_no_difference_and_is_not_repeated(
    script: Script, stage: Stage, heard: Hears
) -> None:
    consumer = reading(stage, heard)
    script.play("when leave: answer error NOT_COORDINATOR")
    consumer.close()
    assert len(script.came("leave")) == 1
    assert heard.calls == ["assigned orders[0-1]", "revoked orders[0-1]"]

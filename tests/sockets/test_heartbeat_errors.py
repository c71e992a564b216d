"""Every error code of a heartbeat, met by a real consumer on real sockets: what ``poll`` raises, what the member does.

``membership.failures`` has the table; here it is read off the outside. A member reads two partitions, its next
heartbeat is answered with the code, and everything that follows is looked at: what the application gets, which
callbacks run, and which requests the broker sees.
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
    InstanceIdInUseError,
    TopicAuthorizationError,
    UnsupportedAssignorError,
    UnsupportedProtocolError,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.failures import HEARTBEAT_ACTIONS
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.messages import ConsumerGroupHeartbeatRequest
from tests.engine.stage import TOPIC, Hears, Stage, poll_until, read, tp
from tests.sockets.script import Script

#: Each fatal code, the exception that ``poll`` raises, and the advice in it.
FATAL = {
    ErrorCode.GROUP_AUTHORIZATION_FAILED: (GroupAuthorizationError, "grant READ on the group"),
    ErrorCode.GROUP_ID_NOT_FOUND: (GroupNotFoundError, "the group was deleted"),
    ErrorCode.GROUP_MAX_SIZE_REACHED: (GroupFullError, "group.consumer.max.size"),
    ErrorCode.INVALID_REQUEST: (BrokerError, "report it"),
    ErrorCode.INVALID_REGULAR_EXPRESSION: (BrokerError, "RE2"),
    ErrorCode.UNSUPPORTED_ASSIGNOR: (UnsupportedAssignorError, "group.remote.assignor"),
    ErrorCode.UNSUPPORTED_VERSION: (UnsupportedProtocolError, "group.protocol=classic"),
    ErrorCode.FENCED_INSTANCE_ID: (FencedInstanceError, "only one runs with it"),
    ErrorCode.UNKNOWN_SERVER_ERROR: (BrokerError, "coordinator's log"),
    ErrorCode.INCONSISTENT_GROUP_PROTOCOL: (BrokerError, "assignor in common"),
}
FENCING = [ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID]
COORDINATOR_MOVED = [ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE]
IN_USE = ErrorCode.UNRELEASED_INSTANCE_ID
REPAIRABLE = ErrorCode.TOPIC_AUTHORIZATION_FAILED
PASSING = [*COORDINATOR_MOVED, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS]

by_name = {"ids": lambda code: code.name}


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


def test_every_code_that_is_not_fatal_is_in_a_row_here() -> None:
    assert set(HEARTBEAT_ACTIONS) == {*PASSING, *FENCING, REPAIRABLE, IN_USE}
    assert not set(FATAL) & set(HEARTBEAT_ACTIONS)


@pytest.mark.parametrize("code", PASSING, **by_name)
def test_what_passes_is_tried_again_in_full_and_nobody_hears_of_it(
    script: Script, stage: Stage, heard: Hears, code: ErrorCode
) -> None:
    with reading(stage, heard) as consumer:
        looked_up = len(script.came("find coordinator"))
        script.play(f"when heartbeat, 3 times: answer error {code.name}")
        poll_until(consumer, lambda: script.is_done)
        repeated = [*script.acted_on[1:], script.wait_for_next("heartbeat")]
        assert all(is_full(request) for request in repeated)
        stage.write(0, 5)
        assert len(read(consumer, 5)) == 5
        lookups = len(script.came("find coordinator")) - looked_up
        assert (lookups > 0) is (code in COORDINATOR_MOVED)
        assert heard.calls == ["assigned orders[0-1]"]


@pytest.mark.parametrize("code", FENCING, **by_name)
def test_who_is_fenced_loses_all_and_joins_again_as_the_same_member_with_epoch_0(
    script: Script, stage: Stage, heard: Hears, code: ErrorCode
) -> None:
    with reading(stage, heard) as consumer:
        before = consumer.group_metadata()
        script.play(f"when heartbeat: answer error {code.name}")
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
        script.play(f"when heartbeat: answer error {REPAIRABLE.name}")
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


@pytest.mark.parametrize("code", FATAL, **by_name)
def test_what_is_fatal_is_raised_by_every_poll_and_nothing_is_sent_any_more(
    script: Script, stage: Stage, heard: Hears, code: ErrorCode
) -> None:
    kind, advice = FATAL[code]
    consumer = reading(stage, heard)
    before = consumer.group_metadata()
    script.play(f"when heartbeat: answer error {code.name}")
    for _ in range(2):
        with pytest.raises(kind, match=code.name) as caught:
            poll_until(consumer, lambda: False)
        assert (type(caught.value), caught.value.code) == (kind, code)
        assert advice in str(caught.value)
        assert caught.value.member == before.member_id
        assert_names_the_member(caught.value, consumer)
    sent = len(script.came("heartbeat"))
    assert heard.calls == ["assigned orders[0-1]", "lost orders[0-1]"]
    assert (consumer.assignment(), consumer.group_metadata()) == (frozenset(), before)
    assert consumer.health().problem == "the coordinator refused this member for good; poll() says why"
    consumer.close()
    assert (len(script.came("heartbeat")), len(script.came("leave"))) == (sent, 0)


def test_a_code_that_nobody_has_heard_of_is_fatal_by_its_number(script: Script, stage: Stage, heard: Hears) -> None:
    with reading(stage, heard) as consumer:
        script.play("when heartbeat: answer error 999")
        with pytest.raises(BrokerError, match="ERROR_999") as caught:
            poll_until(consumer, lambda: False)
        assert caught.value.code == 999


@pytest.mark.parametrize("code", FATAL, **by_name)
def test_a_join_that_is_refused_for_good_is_raised_too(script: Script, stage: Stage, code: ErrorCode) -> None:
    kind, advice = FATAL[code]
    stage.create()
    script.play(f"when join: answer error {code.name}")
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC])
        for _ in range(2):
            with pytest.raises(kind, match=r"group billing: member .+, which is joining: ") as caught:
                poll_until(consumer, lambda: False)
            assert advice in str(caught.value)
    assert len(script.came("join")) == 1


@pytest.mark.parametrize("code", [*PASSING, *FENCING], **by_name)
def test_a_join_that_is_refused_for_now_is_sent_again(script: Script, stage: Stage, code: ErrorCode) -> None:
    stage.create(records=5)
    script.play(f"when join, 3 times: answer error {code.name}")
    with stage.consumer() as consumer:
        consumer.subscribe([TOPIC])
        assert len(read(consumer, 5)) == 5
        assert script.is_done
        joins = [request.message for request in script.came("join")]
        assert len({join.member_id for join in joins if join is not None}) == 1


# An instance id that somebody else has.


def test_an_instance_id_in_use_is_asked_for_again_until_it_is_free(script: Script, stage: Stage) -> None:
    stage.create(records=5)
    script.play(f"when join, 4 times: answer error {IN_USE.name}")
    with stage.consumer(group_instance_id="reader") as consumer:
        consumer.subscribe([TOPIC])
        assert len(read(consumer, 5)) == 5
    assert len(script.came("join")) == 5


@pytest.mark.parametrize(("timeout_ms", "is_tried_again"), [(0, False), (200, True)])
def test_an_instance_id_that_stays_in_use_is_fatal_when_the_time_is_over(
    script: Script, stage: Stage, timeout_ms: int, is_tried_again: bool
) -> None:
    stage.create()
    script.play(f"when join, always: answer error {IN_USE.name}")
    with stage.consumer(group_instance_id="reader", instance_id_retry_timeout_ms=timeout_ms) as consumer:
        consumer.subscribe([TOPIC])
        for _ in range(2):
            with pytest.raises(InstanceIdInUseError, match=r"billing.*group\.instance\.id"):
                poll_until(consumer, lambda: False)
        assert (len(script.came("join")) > 1) is is_tried_again


# While leaving.


@pytest.mark.parametrize("code", [*FATAL, *PASSING, *FENCING, REPAIRABLE, IN_USE], **by_name)
def test_a_leave_that_is_refused_makes_no_difference_and_is_not_repeated(
    script: Script, stage: Stage, heard: Hears, code: ErrorCode
) -> None:
    consumer = reading(stage, heard)
    script.play(f"when leave: answer error {code.name}")
    consumer.close()
    assert len(script.came("leave")) == 1
    assert heard.calls == ["assigned orders[0-1]", "revoked orders[0-1]"]

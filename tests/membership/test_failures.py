from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, FencedInstanceError, InstanceIdInUseError
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.membership.error_classes import error_class
from kafka_nextgen.membership.events import HeartbeatRefused
from kafka_nextgen.membership.failures import HEARTBEAT_ACTIONS
from tests.membership.conversation import Conversation, joining, stable

FULL = "heartbeat epoch=5 full timeout=300000 topics=audit,orders owned=orders[0-1]"
JOIN = "heartbeat epoch=0 full timeout=300000 topics=audit,orders owned=-"
FATAL = [
    ErrorCode.GROUP_AUTHORIZATION_FAILED,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.GROUP_MAX_SIZE_REACHED,
    ErrorCode.UNSUPPORTED_ASSIGNOR,
    ErrorCode.INVALID_REGULAR_EXPRESSION,
    ErrorCode.UNSUPPORTED_VERSION,
    ErrorCode.FENCED_INSTANCE_ID,
    ErrorCode.GROUP_ID_NOT_FOUND,
    ErrorCode.UNKNOWN_SERVER_ERROR,
]


def with_heartbeat_in_flight() -> Conversation:
    talk = stable()
    talk.wait(5)
    return talk


@pytest.mark.parametrize("code", [ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE])
def test_another_coordinator_is_looked_for_and_told_everything_at_once(code: ErrorCode) -> None:
    talk = with_heartbeat_in_flight()
    assert talk.refuse(code) == ["find coordinator", FULL]


def test_a_coordinator_that_is_never_the_right_one_is_not_asked_without_a_pause() -> None:
    talk = with_heartbeat_in_flight()
    talk.refuse(ErrorCode.NOT_COORDINATOR)
    assert talk.refuse(ErrorCode.NOT_COORDINATOR) == ["find coordinator"]
    assert talk.wait(0.1) == [FULL]


def test_a_coordinator_that_is_loading_is_given_time() -> None:
    talk = with_heartbeat_in_flight()
    assert talk.refuse(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS) == []
    assert talk.wait(0.1) == [FULL]


def test_a_topic_that_may_not_be_read_is_raised_but_nothing_is_given_up() -> None:
    talk = with_heartbeat_in_flight()
    assert talk.refuse(ErrorCode.TOPIC_AUTHORIZATION_FAILED) == ["raise TOPIC_AUTHORIZATION_FAILED"]
    assert talk.status == "stable"
    assert talk.wait(0.1) == [FULL]


@pytest.mark.parametrize("code", FATAL)
def test_a_fatal_error_costs_everything_and_ends_the_heartbeats(code: ErrorCode) -> None:
    talk = with_heartbeat_in_flight()
    assert talk.refuse(code) == [
        f"raise {code.name} fatal",
        "publish epoch=-1",
        "stop orders[0-1]",
        "on_lost orders[0-1]",
    ]
    assert talk.status == "fatal"
    assert talk.member.deadline() is None
    assert talk.lost() == ["apply - added=-"]
    assert [talk.poll(), talk.subscribe("orders"), talk.wait(1000)] == [[], [], []]
    assert talk.close() == ["left"]


def test_closing_after_a_fatal_error_waits_until_the_application_has_heard() -> None:
    talk = with_heartbeat_in_flight()
    talk.refuse(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    assert talk.close() == []
    assert talk.lost() == ["apply - added=-", "left"]


def test_an_error_nobody_has_heard_of_is_fatal() -> None:
    talk = with_heartbeat_in_flight()
    talk.says(HeartbeatRefused(talk.asked[SendHeartbeat], 9999, None))
    assert talk.status == "fatal"


def test_a_code_off_the_wire_is_found_by_its_number() -> None:
    assert all(HEARTBEAT_ACTIONS[int(code)] is action for code, action in HEARTBEAT_ACTIONS.items())


def test_an_instance_id_in_use_is_asked_for_again_until_the_timeout() -> None:
    talk = joining(instance_id="i1", instance_id_retry_timeout_s=2.0)
    join = JOIN.replace("full", "full instance=i1").replace(" owned", " pattern= owned")
    tries = 0
    while talk.refuse(ErrorCode.UNRELEASED_INSTANCE_ID) == []:
        assert talk.wait_for_deadline() == [join]
        tries += 1
    assert talk.now == 2.0, "the last attempt is made when the time is over"
    assert tries > 3
    assert talk.status == "fatal"


def test_an_instance_id_that_is_released_in_time_is_ours() -> None:
    talk = joining(instance_id="i1", instance_id_retry_timeout_s=2.0)
    talk.refuse(ErrorCode.UNRELEASED_INSTANCE_ID)
    talk.wait_for_deadline()
    talk.answer(5, "-")
    assert talk.status == "reconciling"


def test_with_a_timeout_of_0_an_instance_id_in_use_is_fatal_at_once() -> None:
    talk = joining(instance_id="i1", instance_id_retry_timeout_s=0.0)
    assert talk.refuse(ErrorCode.UNRELEASED_INSTANCE_ID) == ["raise UNRELEASED_INSTANCE_ID fatal"]


def test_codes_have_the_errors_an_application_can_tell_apart() -> None:
    assert error_class(ErrorCode.FENCED_INSTANCE_ID) is FencedInstanceError
    assert error_class(ErrorCode.UNRELEASED_INSTANCE_ID) is InstanceIdInUseError
    assert error_class(9999) is BrokerError

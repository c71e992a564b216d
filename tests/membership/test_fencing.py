from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from tests.membership.conversation import Conversation, joining, stable

JOIN = "heartbeat epoch=0 full timeout=300000 topics=audit,orders owned=-"
FENCED = ErrorCode.FENCED_MEMBER_EPOCH


def fenced() -> Conversation:
    talk = stable("orders[0-1]")
    talk.wait(5)
    talk.refuse(FENCED)
    assert talk.status == "fenced"
    return talk


@pytest.mark.parametrize("code", [ErrorCode.FENCED_MEMBER_EPOCH, ErrorCode.UNKNOWN_MEMBER_ID])
def test_a_fenced_member_loses_all_and_joins_when_the_application_has_heard(code: ErrorCode) -> None:
    talk = stable("orders[0-1]")
    talk.wait(5)
    assert talk.refuse(code) == ["publish epoch=-1", "stop orders[0-1]", "on_lost orders[0-1]"]
    assert talk.wait(60) == [], "no heartbeat before that"
    assert talk.lost() == ["apply - added=-", JOIN]


def test_on_lost_that_raises_does_not_keep_the_member_out() -> None:
    assert fenced().lost("it raised") == ["apply - added=-", JOIN]


def test_who_has_nothing_to_lose_joins_at_once() -> None:
    talk = stable("-")
    talk.wait(5)
    assert talk.refuse(FENCED) == ["publish epoch=-1", JOIN]


def test_a_join_that_is_fenced_again_and_again_backs_off() -> None:
    # Kafka 4.0 and 4.1 refuse epoch 0 from a member they still know, until its session ends.
    talk = joining()
    assert talk.refuse(FENCED) == [JOIN]
    assert talk.refuse(FENCED) == []
    assert talk.wait(0.1) == [JOIN]


def test_what_on_revoked_was_called_for_is_not_lost_on_top() -> None:
    talk = stable("orders[0-1]")
    talk.wait(5)
    talk.answer(5, "orders[0]")
    talk.poll()
    talk.wait(5)
    assert talk.refuse(FENCED) == ["publish epoch=-1", "stop orders[0-1]", "on_lost orders[0]"]
    assert talk.revoked() == [], "late; callbacks run in order, so on_lost comes after it"
    assert talk.lost() == ["apply - added=-", JOIN]


def test_while_on_revoked_runs_for_all_there_were_nothing_is_joined() -> None:
    talk = stable("orders[0]")
    talk.wait(5)
    talk.answer(5, "-")
    talk.poll()
    talk.wait(5)
    assert talk.refuse(FENCED) == ["publish epoch=-1", "stop orders[0]"]
    assert talk.revoked() == ["apply - added=-", JOIN]


def test_what_on_assigned_was_called_for_is_lost() -> None:
    talk = joining()
    talk.answer(5, "orders[0]")
    talk.resolve("orders")
    talk.wait(5)
    assert talk.refuse(FENCED) == ["publish epoch=-1", "stop orders[0]", "on_lost orders[0]"]


def test_a_callback_that_failed_is_forgotten_once_the_coordinator_removed_the_member() -> None:
    talk = stable("orders[0-1]")
    talk.wait(5)
    talk.answer(5, "orders[0]")
    talk.poll()
    talk.revoked("it raised")
    talk.wait(5)
    assert talk.refuse(ErrorCode.UNKNOWN_MEMBER_ID)[-1] == "on_lost orders[0]"
    talk.lost()
    assert talk.answer(7, "orders[0]") == ["publish epoch=7", "resolve orders"]


def test_a_subscription_made_meanwhile_is_what_the_member_joins_with() -> None:
    talk = fenced()
    assert talk.subscribe("orders") == []
    assert talk.lost()[-1] == JOIN.replace("audit,", "")


def test_closing_meanwhile_waits_until_the_application_has_heard_and_sends_nothing() -> None:
    talk = fenced()
    assert talk.close() == []
    assert talk.lost() == ["apply - added=-", "left"]
    assert talk.status == "unsubscribed"


def test_a_member_that_is_not_polled_leaves_loses_all_and_returns_with_the_next_poll() -> None:
    talk = stable("orders[0]", max_poll_interval_s=20.0)
    talk.wait(5)
    talk.answer(5)
    assert talk.wait(15) == ["publish epoch=-1", "stop orders[0]", "on_lost orders[0]", "heartbeat epoch=-1"]
    assert talk.status == "leaving"
    assert talk.answer(-1) == []
    assert talk.status == "stale"
    assert talk.poll() == [], "the application has not heard of its loss"
    assert talk.lost() == ["apply - added=-"]
    assert talk.member.wants_poll
    assert talk.poll() == [JOIN]


def test_a_static_member_that_is_not_polled_leaves_for_a_while() -> None:
    talk = stable("-", instance_id="i1", max_poll_interval_s=20.0)
    assert talk.wait(20)[-1] == "heartbeat epoch=-2 instance=i1"


def test_a_poll_gives_the_application_all_the_time_again() -> None:
    talk = stable("orders[0]", max_poll_interval_s=20.0)
    talk.now = 19.0
    talk.poll()
    talk.wait(2)
    assert talk.status == "stable"
    assert talk.member.deadline() == 39.0


def test_closing_while_stale_sends_nothing_more() -> None:
    talk = stable("-", max_poll_interval_s=20.0)
    talk.wait(20)
    talk.answer(-1)
    assert talk.status == "stale"
    assert talk.close() == ["left"]


def assigning_nothing() -> Conversation:
    talk = joining(max_poll_interval_s=20.0)
    talk.answer(5, "-")
    talk.wait(5)
    assert talk.phase == "assigning"
    return talk


def test_while_on_assigned_runs_nothing_is_joined() -> None:
    talk = assigning_nothing()
    assert talk.refuse(FENCED) == ["publish epoch=-1"]
    assert talk.status == "fenced"
    assert talk.assigned() == ["apply - added=-", JOIN]


def test_closing_meanwhile_waits_for_the_callback_that_runs() -> None:
    talk = assigning_nothing()
    talk.refuse(FENCED)
    assert talk.close() == []
    assert talk.assigned() == ["apply - added=-", "left"]


def test_a_callback_may_run_past_the_poll_interval_and_is_waited_for() -> None:
    talk = assigning_nothing()
    talk.answer(5, "-")
    assert talk.wait(15)[-1] == "heartbeat epoch=-1"
    assert talk.answer(-1) == []
    assert talk.poll() == []
    assert talk.assigned() == ["apply - added=-"]
    assert talk.poll() == [JOIN]


def test_a_callback_that_returns_before_the_leave_is_answered_is_waited_for_no_more() -> None:
    talk = assigning_nothing()
    talk.answer(5, "-")
    talk.wait(15)
    assert talk.assigned() == ["apply - added=-"]
    assert talk.lose_heartbeat() == []
    assert talk.poll() == [JOIN]


def test_unsubscribing_after_a_fatal_error_ends_when_the_running_callback_has_returned() -> None:
    talk = assigning_nothing()
    talk.refuse(ErrorCode.GROUP_AUTHORIZATION_FAILED)
    assert talk.unsubscribe() == []
    assert talk.assigned() == ["apply - added=-", "left"]
    assert talk.status == "fatal"

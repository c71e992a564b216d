from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import LeaveMode
from tests.membership.conversation import Conversation, joining, stable


def test_closing_commits_revokes_leaves_and_ends_with_the_answer() -> None:
    talk = stable("orders[0]", auto_commit=True, leave_timeout_s=10.0)
    assert talk.close() == ["stop orders[0]", "commit by=10"]
    assert talk.committed() == ["on_revoked orders[0]"]
    assert talk.revoked() == ["apply - added=-", "publish epoch=-1", "heartbeat epoch=-1"]
    assert talk.answer(-1) == ["left"]
    assert talk.status == "unsubscribed"
    assert talk.member.deadline() is None


def test_unsubscribing_commits_nothing_and_the_application_may_subscribe_again() -> None:
    talk = stable("orders[0]", auto_commit=True)
    assert talk.unsubscribe() == ["stop orders[0]", "on_revoked orders[0]"]
    assert talk.revoked()[-1] == "heartbeat epoch=-1"
    assert talk.answer(-1) == ["left"]
    assert talk.subscribe("orders") == ["heartbeat epoch=0 full timeout=300000 topics=orders owned=-"]


@pytest.mark.parametrize(
    ("leave", "instance_id", "says"),
    [
        (LeaveMode.DEFAULT, None, "heartbeat epoch=-1"),
        (LeaveMode.DEFAULT, "i1", "heartbeat epoch=-2 instance=i1"),
        (LeaveMode.LEAVE, None, "heartbeat epoch=-1"),
        (LeaveMode.LEAVE, "i1", "heartbeat epoch=-1 instance=i1"),
        (LeaveMode.REMAIN, "i1", "heartbeat epoch=-2 instance=i1"),
        (LeaveMode.REMAIN, None, "left"),
    ],
)
def test_what_the_coordinator_is_told_depends_on_the_mode_and_the_instance_id(
    leave: LeaveMode, instance_id: str | None, says: str
) -> None:
    talk = stable("-", instance_id=instance_id)
    assert talk.close(leave)[-1] == says


def leaving() -> Conversation:
    talk = stable("-")
    talk.close()
    assert talk.status == "leaving"
    return talk


@pytest.mark.parametrize("code", [ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.NOT_COORDINATOR])
def test_a_leave_that_is_refused_is_not_repeated(code: ErrorCode) -> None:
    assert leaving().refuse(code) == ["left"]


def test_a_leave_that_is_lost_is_not_repeated() -> None:
    assert leaving().lose_heartbeat() == ["left"]


def test_a_leave_that_nobody_answers_is_given_up() -> None:
    talk = leaving()
    assert talk.wait(29) == []
    assert talk.wait(1) == ["left"]


def test_a_leave_goes_out_although_a_heartbeat_is_in_flight() -> None:
    talk = stable("-")
    talk.wait(5)
    assert talk.close()[-1] == "heartbeat epoch=-1"


def test_closing_while_joining_leaves_as_the_join_may_have_arrived() -> None:
    assert joining().close() == ["heartbeat epoch=-1"]


def test_a_consumer_that_never_subscribed_closes_at_once() -> None:
    assert Conversation().close() == ["left"]
    assert Conversation().unsubscribe() == ["left"]


def test_the_session_is_kept_while_the_last_commit_and_the_callback_take_their_time() -> None:
    talk = stable("orders[0]", auto_commit=True)
    talk.close()
    assert talk.wait(5) == ["heartbeat epoch=5"]
    assert talk.answer(6, "orders[0-1]") == ["publish epoch=6"], "the commit needs the epoch, nobody the target"
    talk.committed("refused")
    assert talk.wait(5) == ["heartbeat epoch=6"]
    assert talk.lose_heartbeat() == ["find coordinator"]
    assert talk.wait(0.1) == ["heartbeat epoch=6"]


def test_a_leaving_member_wakes_only_for_the_leave() -> None:
    talk = stable("orders[0]", max_poll_interval_s=10.0)
    talk.close()
    talk.revoked()
    assert talk.member.deadline() == 30.0


def test_a_call_to_close_counts_as_a_poll() -> None:
    talk = stable("orders[0]", max_poll_interval_s=20.0)
    talk.wait(15)
    talk.close()
    talk.wait(15)
    assert talk.status == "prepare_leaving"
    talk.wait(5)
    assert talk.status == "leaving"


def test_a_static_member_whose_last_callback_takes_too_long_leaves_for_a_while() -> None:
    talk = stable("orders[0]", instance_id="one", max_poll_interval_s=20.0)
    talk.unsubscribe()
    assert talk.wait(20) == ["publish epoch=-1", "stop orders[0]", "heartbeat epoch=-2 instance=one"]


def test_fenced_before_revoking_what_is_left_is_lost_and_no_leave_is_sent() -> None:
    talk = stable("orders[0]", auto_commit=True)
    talk.close()
    talk.wait(5)
    assert talk.refuse(ErrorCode.FENCED_MEMBER_EPOCH) == ["publish epoch=-1", "stop orders[0]", "on_lost orders[0]"]
    assert talk.committed() == [], "late"
    assert talk.lost() == ["apply - added=-", "left"]


def test_fenced_while_revoking_the_callback_is_waited_for_and_no_leave_is_sent() -> None:
    talk = stable("orders[0]")
    talk.close()
    talk.wait(5)
    assert talk.refuse(ErrorCode.GROUP_AUTHORIZATION_FAILED) == ["publish epoch=-1"]
    assert talk.revoked() == ["apply - added=-", "left"]


def test_closing_while_on_revoked_runs_waits_for_it_and_then_gives_up_the_rest() -> None:
    talk = stable("orders[0-1]")
    talk.wait(5)
    talk.answer(5, "orders[0]")
    assert talk.poll() == ["stop orders[1]", "on_revoked orders[1]"]
    assert talk.close() == ["stop orders[0-1]"]
    assert talk.revoked() == ["on_revoked orders[0]"]
    assert talk.revoked() == ["apply - added=-", "publish epoch=-1", "heartbeat epoch=-1"]


def test_closing_while_on_assigned_runs_revokes_what_it_brought() -> None:
    talk = joining()
    talk.answer(5, "orders[0]")
    talk.resolve("orders")
    assert talk.close() == ["stop orders[0]"]
    assert talk.assigned() == ["on_revoked orders[0]"]


def test_an_on_revoked_that_raises_does_not_keep_the_member_from_leaving() -> None:
    talk = stable("orders[0]")
    talk.close()
    assert talk.revoked("it raised")[-1] == "heartbeat epoch=-1"


def test_closing_goes_further_than_unsubscribing() -> None:
    talk = stable("orders[0]", instance_id="i1")
    talk.unsubscribe()
    talk.close(LeaveMode.LEAVE)
    assert talk.revoked()[-1] == "heartbeat epoch=-1 instance=i1"
    assert talk.unsubscribe() == []
    assert talk.answer(-1) == ["left"]


def test_a_subscription_made_while_leaving_is_joined_for_afterwards() -> None:
    talk = stable("-")
    talk.unsubscribe()
    assert talk.subscribe("audit") == []
    assert talk.answer(-1) == ["left", "heartbeat epoch=0 full timeout=300000 topics=audit owned=-"]


def test_unsubscribing_while_the_member_leaves_unpolled_waits_for_on_lost() -> None:
    talk = stable("orders[0]", max_poll_interval_s=4.0)
    talk.wait(4)
    assert talk.unsubscribe() == []
    assert talk.answer(-1) == []
    assert talk.lost() == ["apply - added=-", "left"]
    assert talk.status == "unsubscribed"


def acknowledging(owned: str) -> Conversation:
    talk = joining()
    talk.answer(5, owned)
    talk.resolve("orders")
    talk.assigned()
    assert talk.status == "acknowledging"
    return talk


def test_a_member_that_still_has_to_acknowledge_leaves_like_any_other() -> None:
    assert acknowledging("orders[0]").unsubscribe() == ["stop orders[0]", "on_revoked orders[0]"]
    assert acknowledging("orders[0]").close() == ["stop orders[0]", "on_revoked orders[0]"]
    assert acknowledging("-").close() == ["publish epoch=-1", "heartbeat epoch=-1"]
    assert acknowledging("-").close(LeaveMode.REMAIN) == ["publish epoch=-1", "left"]


def test_what_was_wanted_but_never_assigned_is_not_revoked() -> None:
    talk = joining(auto_commit=True)
    talk.answer(5, "orders[0]")
    talk.resolve("orders")
    assert talk.phase == "waiting_for_poll"
    assert talk.close() == ["publish epoch=-1", "heartbeat epoch=-1"]


def test_closing_turns_a_leave_under_way_into_the_end() -> None:
    talk = stable("-")
    talk.unsubscribe()
    talk.subscribe("audit")
    assert talk.close() == []
    assert talk.answer(-1) == ["left"]
    assert talk.status == "unsubscribed"

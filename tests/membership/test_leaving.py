"""Ways out of the group, and back, beyond those in ``tests/scenarios/member``."""

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import LeaveMode
from tests.membership.conversation import stable

JOIN = "heartbeat epoch=0 full timeout=300000 topics=audit,orders owned=-"
FENCED = ErrorCode.FENCED_MEMBER_EPOCH


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


def test_a_static_member_whose_last_callback_takes_too_long_leaves_for_a_while() -> None:
    talk = stable("orders[0]", instance_id="one", max_poll_interval_s=20.0)
    talk.unsubscribe()
    assert talk.wait(20) == ["publish epoch=-1", "stop orders[0]", "heartbeat epoch=-2 instance=one"]


def test_closing_goes_further_than_unsubscribing() -> None:
    talk = stable("orders[0]", instance_id="i1")
    talk.unsubscribe()
    talk.close(LeaveMode.LEAVE)
    assert talk.revoked()[-1] == "heartbeat epoch=-1 instance=i1"
    assert talk.unsubscribe() == []
    assert talk.answer(-1) == ["left"]


def test_unsubscribing_while_the_member_leaves_unpolled_waits_for_on_lost() -> None:
    talk = stable("orders[0]", max_poll_interval_s=4.0)
    talk.wait(4)
    assert talk.unsubscribe() == []
    assert talk.answer(-1) == []
    assert talk.lost() == ["apply - added=-", "left"]
    assert talk.status == "unsubscribed"


def test_closing_turns_a_leave_under_way_into_the_end() -> None:
    talk = stable("-")
    talk.unsubscribe()
    talk.subscribe("audit")
    assert talk.close() == []
    assert talk.answer(-1) == ["left"]
    assert talk.status == "unsubscribed"


def test_the_last_commit_has_the_time_of_the_leave() -> None:
    assert stable("orders[0]", auto_commit=True, leave_timeout_s=10.0).close() == ["stop orders[0]", "commit by=10"]


def test_on_lost_that_raises_does_not_keep_the_member_out() -> None:
    talk = stable("orders[0]")
    talk.wait(5)
    talk.refuse(FENCED)
    assert talk.lost("it raised") == ["apply - added=-", JOIN]


def test_what_on_revoked_was_called_for_is_not_lost_on_top() -> None:
    talk = stable("orders[0-1]")
    talk.wait(5)
    talk.answer(5, "orders[0]")
    talk.poll()
    talk.wait(5)
    assert talk.refuse(FENCED) == ["publish epoch=-1", "stop orders[0-1]", "on_lost orders[0]"]
    assert talk.revoked() == [], "late; callbacks run in order, so on_lost comes after it"
    assert talk.lost() == ["apply - added=-", JOIN]


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


def test_a_static_member_that_is_not_polled_leaves_for_a_while() -> None:
    talk = stable("-", instance_id="i1", max_poll_interval_s=20.0)
    assert talk.wait(20)[-1] == "heartbeat epoch=-2 instance=i1"

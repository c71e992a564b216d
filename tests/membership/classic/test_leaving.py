from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.types import LeaveMode
from tests.membership.classic.conversation import Conversation, completing, stable

LEAVE = "leave id=me reason='the consumer is being closed'"
OUT = ["apply - added=-", "publish epoch=-1"]


def test_closing_commits_revokes_and_leaves() -> None:
    talk = stable("orders[0]", auto_commit=True)
    assert talk.close() == ["stop orders[0]", "commit by=30"]
    assert talk.committed() == ["on_revoked orders[0]"]
    assert talk.revoked() == [*OUT, LEAVE]
    assert talk.end_leave() == ["left"]
    assert talk.status == "unsubscribed"


def test_a_leave_that_nobody_answers_is_given_up() -> None:
    talk = stable("-", leave_timeout_s=5.0)
    assert talk.close() == ["publish epoch=-1", LEAVE]
    assert talk.wait(5) == ["left"]


@pytest.mark.parametrize(
    ("instance_id", "mode", "leaves"),
    [
        (None, LeaveMode.DEFAULT, True),
        (None, LeaveMode.REMAIN, False),
        (None, LeaveMode.LEAVE, True),
        ("one", LeaveMode.DEFAULT, False),
        ("one", LeaveMode.REMAIN, False),
        ("one", LeaveMode.LEAVE, True),
    ],
)
def test_who_says_that_it_leaves(instance_id: str | None, mode: LeaveMode, leaves: bool) -> None:
    talk = stable("-", instance_id=instance_id)
    assert talk.close(mode) == ["publish epoch=-1", LEAVE if leaves else "left"]


def test_unsubscribing_commits_nothing_and_the_next_subscription_joins_as_somebody_new() -> None:
    talk = stable("orders[0]", auto_commit=True)
    assert talk.unsubscribe() == ["stop orders[0]", "on_revoked orders[0]"]
    assert talk.revoked() == [*OUT, "leave id=me reason='the consumer unsubscribed'"]
    assert talk.subscribe("audit") == []
    assert talk.end_leave() == ["left", "join topics=audit reason='subscribed'"]


def test_closing_goes_further_than_unsubscribing() -> None:
    talk = stable("orders[0]")
    talk.unsubscribe()
    assert talk.close() == []
    assert talk.unsubscribe() == []
    assert talk.revoked() == [*OUT, LEAVE]
    assert talk.close() == []
    assert talk.unsubscribe() == []


def test_a_subscription_made_while_giving_up_joins_afterwards() -> None:
    talk = stable("orders[0]", instance_id="one")
    talk.unsubscribe()
    talk.subscribe("audit")
    assert talk.revoked() == [*OUT, "left", "join instance=one topics=audit reason='subscribed'"]


def test_a_callback_that_runs_is_waited_for() -> None:
    talk = completing()
    talk.sync("orders[0]")
    assert talk.close() == ["stop orders[0]"]
    assert talk.assigned() == ["on_revoked orders[0]"]
    assert talk.revoked() == [*OUT, LEAVE]


def test_closing_in_the_middle_of_a_rebalance_loses_what_is_held() -> None:
    talk = stable("orders[0]", "cooperative-sticky", auto_commit=True)
    talk.enforce("wished for")
    talk.poll()
    talk.committed()
    assert talk.close() == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]
    assert talk.lost() == ["apply - added=-", LEAVE]


@pytest.mark.parametrize("joined", [False, True])
def test_closing_before_there_is_an_assignment(joined: bool) -> None:
    talk = Conversation()
    talk.subscribe("orders")
    if joined:
        talk.join(1)
    assert talk.close() == ([LEAVE] if joined else ["left"])


def test_closing_while_a_loss_is_being_heard_of_waits_for_that() -> None:
    talk = stable("orders[0]")
    talk.wait(3)
    talk.refuse_heartbeat(ErrorCode.UNKNOWN_MEMBER_ID)
    assert talk.close() == []
    assert talk.lost() == ["apply - added=-", "left"]


def test_closing_what_never_joined() -> None:
    assert Conversation().close() == ["left"]
    assert Conversation().unsubscribe() == ["left"]


def test_heartbeats_go_on_until_the_leave() -> None:
    talk = stable("orders[0]")
    talk.close()
    assert talk.wait(3) == ["heartbeat id=me generation=1"]
    assert talk.keep_session() == []
    talk.wait(3)
    assert talk.refuse_heartbeat(ErrorCode.REBALANCE_IN_PROGRESS) == []
    talk.wait(3)
    assert talk.lose_heartbeat() == ["find coordinator"]
    talk.wait(0.1)
    assert talk.refuse_heartbeat(ErrorCode.NOT_COORDINATOR)[0] == "find coordinator"


def test_whoever_is_thrown_out_while_leaving_has_nothing_to_leave() -> None:
    talk = stable("orders[0]", auto_commit=True)
    talk.close()
    talk.wait(3)
    assert talk.refuse_heartbeat(ErrorCode.UNKNOWN_MEMBER_ID) == [
        "stop orders[0]",
        "publish epoch=-1",
        "on_lost orders[0]",
    ]
    assert talk.committed() == []
    assert talk.lost() == ["apply - added=-", "left"]


def test_what_was_revoked_already_is_not_lost_while_leaving() -> None:
    talk = stable("orders[0]")
    talk.close()
    talk.wait(3)
    assert talk.refuse_heartbeat(ErrorCode.ILLEGAL_GENERATION) == ["publish epoch=-1"]
    assert talk.revoked() == ["apply - added=-", LEAVE]


# max.poll.interval.ms.

EXPIRED = "leave id=me reason='the application did not poll within max.poll.interval.ms'"


def test_a_dynamic_member_whose_application_stopped_polling_leaves_and_returns() -> None:
    talk = stable("orders[0]", max_poll_interval_s=10.0)
    talk.wait(9)
    talk.poll()
    talk.wait(9)
    assert talk.wait(1) == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]", EXPIRED]
    assert talk.status == "stale"
    assert talk.poll() == []
    assert talk.lost() == ["apply - added=-"]
    assert talk.member.wants_poll
    assert talk.poll() == ["join topics=orders reason='subscribed'"]


def test_a_static_member_whose_application_stopped_polling_says_nothing() -> None:
    talk = stable("orders[0]", max_poll_interval_s=10.0, instance_id="one")
    assert talk.wait(10) == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]


def test_a_member_without_an_id_has_nothing_to_leave() -> None:
    talk = Conversation(max_poll_interval_s=10.0)
    talk.subscribe("orders")
    talk.lose_join()
    talk.wait(5)
    assert talk.wait(5) == []
    assert talk.status == "stale"


@pytest.mark.parametrize("closes", [True, False])
def test_a_stale_member_can_be_closed(closes: bool) -> None:
    talk = stable("orders[0]", max_poll_interval_s=10.0)
    talk.wait(10)
    leave = talk.close if closes else talk.unsubscribe
    assert leave() == []
    assert talk.lost() == ["apply - added=-", "left"]


def test_a_stale_member_that_unsubscribes_and_subscribes_joins_when_its_loss_is_known() -> None:
    talk = stable("orders[0]", max_poll_interval_s=10.0)
    talk.wait(10)
    talk.unsubscribe()
    talk.subscribe("audit")
    assert talk.lost() == ["apply - added=-", "left", "join topics=audit reason='subscribed'"]

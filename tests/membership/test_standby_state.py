"""What a member says of its readiness as a standby: at once when it changes, and with all it says in full."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.events import Closed, StandbyStateChanged
from kafka_nextgen.types import StandbyState
from tests.membership.conversation import Conversation, stable

IN_FULL = "full timeout=300000 topics=orders"


def loading() -> Conversation:
    """A member that joins, and would have something to load as a standby."""
    talk = Conversation()
    talk.says(StandbyStateChanged(StandbyState.LOADING))
    assert talk.subscribe("orders") == [f"heartbeat epoch=0 {IN_FULL} owned=- standby=loading"]
    return talk


def standing_by() -> Conversation:
    """The same, as a standby, which owns nothing."""
    talk = loading()
    talk.answer(5, "-")
    talk.poll()
    talk.assigned()
    talk.answer(5)
    assert talk.status == "stable"
    return talk


def test_a_change_is_said_at_once_and_then_with_each_full_heartbeat() -> None:
    talk = standing_by()
    ready = [f"heartbeat epoch=5 {IN_FULL} owned=- standby=ready"]
    assert talk.says(StandbyStateChanged(StandbyState.READY)) == ready
    assert talk.says(StandbyStateChanged(StandbyState.READY)) == []
    talk.answer(5)
    assert talk.wait(5) == ready
    talk.lose_heartbeat()
    assert talk.wait(0.1) == ready


def test_a_member_with_partitions_says_it_once() -> None:
    talk = stable("orders[0-1]")
    assert talk.says(StandbyStateChanged(StandbyState.LOADING)) == ["heartbeat epoch=5 standby=loading"]
    talk.answer(5)
    assert talk.wait(5) == ["heartbeat epoch=5"]


def test_a_member_that_was_ready_joins_again_as_one_that_is_loading() -> None:
    talk = standing_by()
    talk.says(StandbyStateChanged(StandbyState.READY))
    assert talk.refuse(ErrorCode.UNKNOWN_MEMBER_ID) == [
        "publish epoch=-1",
        f"heartbeat epoch=0 {IN_FULL} owned=- standby=loading",
    ]


def test_a_member_that_says_nothing_joins_and_joins_again_without() -> None:
    talk = Conversation()
    assert talk.subscribe("orders") == [f"heartbeat epoch=0 {IN_FULL} owned=-"]
    talk.says(Closed())
    assert talk.says(StandbyStateChanged(StandbyState.READY)) == []

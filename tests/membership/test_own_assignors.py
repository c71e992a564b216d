"""What a member's own assignors have to say: when it is told, and how often."""

from __future__ import annotations

import pytest

from kafka_nextgen.membership.events import AssignorsAsked, TargetInstalled
from tests.membership.conversation import Conversation, stable

SUBSCRIBED = "full timeout=300000 topics=orders"


def speaking() -> Conversation:
    """A stable member at epoch 5 whose assignor said "light" when it joined."""
    talk = Conversation()
    talk.say("light")
    talk.subscribe("orders")
    talk.answer(5, "orders[0-1]")
    talk.resolve("orders")
    talk.poll()
    talk.assigned()
    talk.answer(5)
    assert talk.status == "stable"
    return talk


def test_a_reason_is_told_and_so_is_its_end() -> None:
    talk = speaking()
    assert talk.say("light", reason=3) == ["heartbeat epoch=5 assignors=mine:light:3"]
    talk.answer(5)
    assert talk.wait(5) == ["heartbeat epoch=5"]
    talk.answer(5)
    assert talk.say("light") == ["heartbeat epoch=5 assignors=mine:light"]


def test_who_has_nothing_says_everything_again_but_not_the_reason() -> None:
    talk = Conversation()
    talk.say("light", reason=3)
    talk.subscribe("orders")
    talk.answer(5, "-")
    talk.assigned()
    assert talk.answer(5) == []
    assert talk.wait(5) == [f"heartbeat epoch=5 {SUBSCRIBED} owned=-"]


def test_after_an_error_nobody_knows_whether_it_was_told() -> None:
    talk = speaking()
    talk.say("heavy", reason=3)
    talk.lose_heartbeat()
    assert talk.wait(0.1) == [f"heartbeat epoch=5 {SUBSCRIBED} assignors=mine:heavy:3 owned=orders[0-1]"]


def test_a_target_that_its_assignor_made_is_asked_for_at_once_and_once() -> None:
    talk = speaking()
    assert talk.says(TargetInstalled()) == ["heartbeat epoch=5"]
    assert talk.says(TargetInstalled()) == []  # one is under way, and may have been answered before
    assert talk.answer(5) == ["heartbeat epoch=5"]
    assert talk.answer(6, "orders[0]") != []
    assert talk.phase == "waiting_for_poll"


@pytest.mark.parametrize("talk", [stable(), Conversation()], ids=["stable", "unsubscribed"])
def test_who_has_none_says_nothing_of_them(talk: Conversation) -> None:
    assert talk.says(AssignorsAsked(())) == []

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.effects import SendHeartbeat
from kafka_nextgen.membership.events import HeartbeatLost
from tests.membership.conversation import Conversation, joining, stable

FULL = "heartbeat epoch=5 full timeout=300000 topics=audit,orders owned=orders[0-1]"


def test_a_keepalive_says_nothing_but_who_it_is() -> None:
    talk = stable()
    assert talk.wait(5) == ["heartbeat epoch=5"]


def test_the_next_heartbeat_comes_after_the_interval_the_coordinator_told() -> None:
    talk = stable()
    talk.wait(5)
    talk.answer(5, interval_ms=7000)
    assert talk.wait(6.9) == []
    assert talk.wait(0.2) == ["heartbeat epoch=5"]


@pytest.mark.parametrize(
    ("told_ms", "waits_s"),
    [(0, 5.0), (-1, 5.0), (1, 0.05), (3_600_000, 60.0)],
    ids=["none", "negative", "tiny", "huge"],
)
def test_an_interval_that_makes_no_sense_neither_floods_nor_silences(told_ms: int, waits_s: float) -> None:
    talk = stable()
    talk.wait(5)
    talk.answer(5, interval_ms=told_ms)
    assert talk.member.deadline() == pytest.approx(talk.now + waits_s)


def test_a_negative_epoch_in_an_answer_is_ignored() -> None:
    talk = stable()
    talk.wait(5)
    assert talk.answer(-1) == []
    assert talk.member.member_epoch == 5


def test_a_new_epoch_is_published() -> None:
    talk = stable()
    talk.wait(5)
    assert talk.answer(6) == ["publish epoch=6"]


def test_one_heartbeat_is_in_flight() -> None:
    talk = stable()
    talk.wait(5)
    assert talk.member.deadline() == 300.0, "only the application is waited for"
    assert talk.wait(10) == []


def test_an_answer_that_comes_after_the_heartbeat_was_given_up_means_nothing() -> None:
    talk = stable()
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.answer(9, "-") == []
    assert talk.member.member_epoch == 5


def test_a_new_subscription_is_told_at_once() -> None:
    talk = stable()
    assert talk.subscribe("orders") == ["heartbeat epoch=5 topics=orders"]


def test_the_same_subscription_again_is_no_news() -> None:
    talk = stable()
    assert talk.subscribe("audit", "orders") == []


def test_a_pattern_is_told_when_it_changes_and_taken_away_by_the_empty_string() -> None:
    talk = stable()
    assert talk.subscribe(pattern="ord.*") == ["heartbeat epoch=5 topics= pattern=ord.*"]
    talk.answer(6)
    assert talk.subscribe("orders") == ["heartbeat epoch=6 topics=orders pattern="]
    talk.answer(7)
    assert talk.wait(5) == ["heartbeat epoch=7"]


def test_a_pattern_is_replaced_in_two_heartbeats() -> None:
    talk = stable()
    talk.subscribe(pattern="ord.*")
    talk.answer(5)
    assert talk.subscribe(pattern="aud.*") == ["heartbeat epoch=5 pattern="]
    assert talk.answer(6) == ["publish epoch=6", "heartbeat epoch=6 pattern=aud.*"]


def test_a_pattern_is_taken_away_again_if_the_answer_to_that_is_lost() -> None:
    talk = stable()
    talk.subscribe(pattern="ord.*")
    talk.answer(5)
    talk.subscribe(pattern="aud.*")
    talk.lose_heartbeat()
    assert talk.wait(0.1) == ["heartbeat epoch=5 full timeout=300000 topics= pattern= owned=orders[0-1]"]
    assert talk.answer(6) == ["publish epoch=6", "heartbeat epoch=6 pattern=aud.*"]


def test_a_fenced_member_takes_its_pattern_away_first_for_the_coordinator_may_still_have_it() -> None:
    talk = stable()
    talk.subscribe(pattern="ord.*")
    talk.answer(5)
    talk.wait(5)
    talk.subscribe(pattern="aud.*")
    talk.refuse(ErrorCode.FENCED_MEMBER_EPOCH)
    assert talk.lost()[-1] == "heartbeat epoch=0 full timeout=300000 topics= pattern= owned=-"


def test_a_full_heartbeat_takes_away_a_pattern_that_was_ever_told() -> None:
    talk = stable()
    talk.subscribe(pattern="ord.*")
    talk.subscribe("orders")
    talk.lose_heartbeat()
    assert talk.wait(0.1) == ["heartbeat epoch=5 full timeout=300000 topics=orders pattern= owned=orders[0-1]"]


@pytest.mark.parametrize("code", [ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.TOPIC_AUTHORIZATION_FAILED])
def test_after_any_error_the_next_heartbeat_is_full(code: ErrorCode) -> None:
    talk = stable()
    talk.wait(5)
    talk.refuse(code)
    assert talk.wait(0.1) == [FULL]
    talk.answer(5, "orders[0-1]")
    assert talk.wait(5) == ["heartbeat epoch=5"]


def test_who_owns_nothing_says_everything_every_time() -> None:
    # Otherwise a first assignment whose answer was lost would never be told again.
    talk = stable(owned="-")
    everything = "heartbeat epoch=5 full timeout=300000 topics=audit,orders owned=-"
    assert talk.wait(5) == [everything]
    talk.answer(5, "-")
    assert talk.wait(5) == [everything]


def test_backoff_doubles_up_to_its_limit_and_starts_anew_after_an_answer() -> None:
    talk = stable()
    talk.wait(5)
    waits = []
    for _ in range(6):
        before = talk.now
        talk.lose_heartbeat()
        talk.wait_for_deadline()
        waits.append(round(talk.now - before, 3))
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.0, 1.0]
    talk.answer(5, "orders[0-1]")
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.member.deadline() == pytest.approx(talk.now + 0.1)


@pytest.mark.parametrize(("chance", "waits_s"), [(0.0, 0.08), (0.999, 0.12)])
def test_backoff_is_spread_by_chance(chance: float, waits_s: float) -> None:
    talk = joining()
    talk.says(HeartbeatLost(talk.asked[SendHeartbeat], "reset"), chance)
    assert talk.member.deadline() == pytest.approx(waits_s, abs=0.001)


def test_news_wait_for_the_backoff() -> None:
    talk = stable()
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.subscribe("orders") == []
    assert talk.wait(0.1) == [FULL.replace("audit,", "")]


def test_an_unsubscribed_member_sends_nothing() -> None:
    talk = Conversation()
    assert talk.member.deadline() is None
    assert talk.poll() == []


def test_what_is_being_assigned_is_not_reported_as_free() -> None:
    talk = joining()
    talk.answer(5, "orders[0-1]")
    talk.resolve("orders")
    assert talk.phase == "assigning"
    assert talk.wait(5) == ["heartbeat epoch=5"]
    talk.lose_heartbeat()
    assert talk.wait(0.1) == ["heartbeat epoch=5 full timeout=300000 topics=audit,orders owned=orders[0-1]"]


def test_what_could_not_be_assigned_is_not_reported_as_free() -> None:
    talk = joining()
    talk.answer(5, "orders[0-1]")
    talk.resolve("orders")
    talk.assigned(error="disk")
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.wait(0.1) == ["heartbeat epoch=5 full timeout=300000 topics=audit,orders owned=orders[0-1]"]


def test_what_is_about_to_be_assigned_is_not_reported_as_free() -> None:
    talk = joining()
    talk.answer(5, "orders[0-1]")
    assert talk.phase == "resolving"
    assert talk.subscribe("orders") == ["heartbeat epoch=5 topics=orders"]
    talk.lose_heartbeat()
    assert talk.wait(0.1) == ["heartbeat epoch=5 full timeout=300000 topics=orders owned=orders[0-1]"]


def test_a_newer_target_that_takes_it_away_does_not_free_what_is_about_to_be_assigned() -> None:
    talk = stable("audit[0]")
    talk.wait(5)
    talk.answer(5, "audit[0] orders[0-1]")
    talk.resolve("orders")
    talk.wait(5)
    talk.answer(5, "audit[0]")
    assert talk.phase == "assigning"
    talk.wait(5)
    talk.lose_heartbeat()
    assert talk.wait(0.1) == ["heartbeat epoch=5 full timeout=300000 topics=audit,orders owned=audit[0] orders[0-1]"]


def test_the_interval_counts_from_when_a_heartbeat_was_sent_not_from_its_answer() -> None:
    talk = stable()
    talk.wait(5)
    talk.wait(3)
    assert talk.answer(5, interval_ms=5000) == []
    assert talk.wait(1.9) == []
    assert talk.wait(0.2) == ["heartbeat epoch=5"]


def test_after_an_answer_that_took_longer_than_the_interval_the_next_heartbeat_goes_out_at_once() -> None:
    talk = stable()
    talk.wait(5)
    talk.wait(6)
    assert talk.answer(5, interval_ms=5000) == ["heartbeat epoch=5"]

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, FencedInstanceError, InstanceIdInUseError
from kafka_nextgen.membership.effects import RaiseToApplication, SendHeartbeat
from kafka_nextgen.membership.error_classes import error_class
from kafka_nextgen.membership.events import HeartbeatLost, HeartbeatRefused
from tests.membership.conversation import Conversation, joining, stable

# What a join and a heartbeat say, and when; the ordinary ways are told in ``tests/scenarios/member``.


@pytest.mark.parametrize(
    ("told_ms", "waits_s"),
    [(7_000, 7.0), (0, 5.0), (-1, 5.0), (1, 0.05), (3_600_000, 60.0)],
    ids=["sound", "none", "negative", "tiny", "huge"],
)
def test_the_interval_is_as_told_unless_it_would_flood_or_silence(told_ms: int, waits_s: float) -> None:
    talk = stable()
    talk.wait(5)
    talk.answer(5, interval_ms=told_ms)
    assert talk.member.deadline() == pytest.approx(talk.now + waits_s)


def test_a_negative_epoch_in_an_answer_is_ignored() -> None:
    talk = stable()
    talk.wait(5)
    assert talk.answer(-1) == []
    assert talk.member.member_epoch == 5


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


def test_a_member_joins_when_the_application_subscribes_and_says_everything() -> None:
    talk = Conversation(rack_id="r1", instance_id="i1", server_assignor="range", rebalance_timeout_ms=9000)
    assert talk.subscribe("orders") == [
        "heartbeat epoch=0 full rack=r1 instance=i1 timeout=9000 topics=orders pattern= assignor=range owned=-"
    ]
    assert talk.status == "joining"


def test_an_epoch_is_not_published_before_its_assignment_is_known() -> None:
    talk = joining()
    assert talk.answer(5, None) == []
    assert talk.status == "joining"
    assert talk.wait(5) == ["heartbeat epoch=5 full timeout=300000 topics=audit,orders owned=-"]
    assert talk.answer(5, "-")[0] == "publish epoch=5"


def test_subscribing_to_something_else_while_joining_is_said_once_the_join_is_answered() -> None:
    talk = joining()
    assert talk.subscribe("orders") == []
    assert talk.answer(5, "-")[-1] == "heartbeat epoch=5 full timeout=300000 topics=orders owned=-"


def test_an_error_nobody_has_heard_of_is_fatal() -> None:
    talk = joining()
    talk.says(HeartbeatRefused(talk.asked[SendHeartbeat], 9999, None))
    assert talk.status == "fatal"


def test_a_refusal_that_says_more_than_its_code_is_passed_on() -> None:
    talk = joining()
    talk.says(HeartbeatRefused(talk.asked[SendHeartbeat], ErrorCode.INVALID_REGULAR_EXPRESSION, "missing ]: [a"))
    told = [effect for effect in talk.effects if isinstance(effect, RaiseToApplication)]
    assert told == [RaiseToApplication(ErrorCode.INVALID_REGULAR_EXPRESSION, "missing ]: [a", fatal=True)]


def test_codes_have_the_errors_an_application_can_tell_apart() -> None:
    assert error_class(ErrorCode.FENCED_INSTANCE_ID) is FencedInstanceError
    assert error_class(ErrorCode.UNRELEASED_INSTANCE_ID) is InstanceIdInUseError
    assert error_class(9999) is BrokerError

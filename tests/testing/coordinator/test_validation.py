from __future__ import annotations

import sys

import pytest
from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing.coordinator.admission import refuse_malformed
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat
from kafka_nextgen.testing.coordinator.responses import ConsumerGroupHeartbeatAnswer
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings
from tests.testing.coordinator.stage import GROUP, JOIN, Stage

STAY = ConsumerGroupHeartbeat(GROUP, "A", 3)

#: Each breaks its own rule and all those below it of the same kind, so the order shows.
MALFORMED = [
    (evolve(JOIN, member_id="", group_id="", instance_id=""), "MemberId"),
    (evolve(STAY, member_id="", version=0), "MemberId"),
    (evolve(STAY, member_id="", member_epoch=-1, version=0), "MemberId"),
    (evolve(JOIN, group_id="", instance_id="", rack_id="", rebalance_timeout_ms=-1), "GroupId"),
    (evolve(JOIN, instance_id="", rack_id="", rebalance_timeout_ms=-1), "InstanceId"),
    (evolve(JOIN, rack_id="", rebalance_timeout_ms=-1, owned=None), "RackId"),
    (evolve(JOIN, rebalance_timeout_ms=-1, owned=None, subscribed_topics=None), "RebalanceTimeoutMs"),
    (evolve(JOIN, owned=None, subscribed_topics=None), "TopicPartitions"),
    (evolve(JOIN, subscribed_topics=None, server_assignor="sticky"), "SubscribedTopicNames"),
    (evolve(STAY, member_epoch=-2, server_assignor="sticky"), "InstanceId"),
    (evolve(STAY, member_epoch=-3, server_assignor="sticky"), "MemberEpoch"),
]


@pytest.mark.parametrize(("request_", "field"), MALFORMED, ids=lambda value: value if isinstance(value, str) else "")
def test_the_first_broken_rule_makes_the_answer(request_: ConsumerGroupHeartbeat, field: str) -> None:
    refusal = refuse_malformed(request_, CoordinatorSettings())
    assert refusal is not None
    assert refusal.error is ErrorCode.INVALID_REQUEST
    assert refusal.message.startswith(field)


@pytest.mark.parametrize(
    "request_",
    [
        JOIN,
        STAY,
        evolve(JOIN, subscribed_topics=frozenset()),
        evolve(JOIN, subscribed_topics=None, subscribed_pattern=""),
        evolve(JOIN, subscribed_pattern="foo.*"),
        evolve(JOIN, member_id="", version=0),
        evolve(JOIN, rebalance_timeout_ms=0),
        evolve(STAY, member_epoch=-2, instance_id="one"),
        evolve(STAY, server_assignor="range"),
    ],
)
def test_what_is_well_formed_passes(request_: ConsumerGroupHeartbeat) -> None:
    assert refuse_malformed(request_, CoordinatorSettings()) is None


def test_an_assignor_nobody_configured_is_named_with_those_there_are() -> None:
    refusal = refuse_malformed(evolve(STAY, server_assignor="sticky"), CoordinatorSettings())
    assert refusal is not None
    assert refusal.error is ErrorCode.UNSUPPORTED_ASSIGNOR
    assert "uniform, range" in refusal.message


def test_a_version_0_member_is_named_by_the_coordinator() -> None:
    assert Stage().join("", version=0, new_member_id="made-up").member_id == "made-up"


def _error(stage: Stage, request: ConsumerGroupHeartbeat) -> ErrorCode:
    outcome = stage.ask(request)
    assert isinstance(outcome.response, ConsumerGroupHeartbeatAnswer)
    assert not outcome.records
    assert not outcome.timers, "a refusal must not keep a session alive"
    return outcome.response.error


def test_who_is_let_in_is_asked_in_kafkas_order() -> None:
    stage = Stage(CoordinatorSettings(group_consumer_max_size=2, group_consumer_assignment_interval_ms=0))
    assert _error(stage, STAY) is ErrorCode.GROUP_ID_NOT_FOUND
    assert _error(stage, evolve(STAY, member_epoch=-1)) is ErrorCode.GROUP_ID_NOT_FOUND
    stage.ask(evolve(JOIN, instance_id="one"))
    assert _error(stage, evolve(STAY, member_id="B")) is ErrorCode.UNKNOWN_MEMBER_ID
    assert _error(stage, evolve(STAY, member_id="B", instance_id="two")) is ErrorCode.UNKNOWN_MEMBER_ID
    assert _error(stage, evolve(STAY, member_id="B", instance_id="one")) is ErrorCode.FENCED_INSTANCE_ID
    assert _error(stage, evolve(JOIN, member_id="B", instance_id="one")) is ErrorCode.UNRELEASED_INSTANCE_ID
    assert _error(stage, evolve(STAY, instance_id="one")) is ErrorCode.FENCED_MEMBER_EPOCH
    stage.ask(evolve(JOIN, member_id="C"))
    assert _error(stage, evolve(STAY, member_id="B")) is ErrorCode.GROUP_MAX_SIZE_REACHED


def test_a_bad_pattern_is_refused_after_everything_else() -> None:
    stage = Stage()
    stage.ask(JOIN)
    assert _error(stage, evolve(STAY, subscribed_pattern="(")) is ErrorCode.FENCED_MEMBER_EPOCH
    assert _error(stage, evolve(STAY, member_epoch=2, subscribed_pattern="(")) is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert _error(stage, evolve(STAY, member_epoch=2, subscribed_pattern=r"(a)\1")) is (
        ErrorCode.INVALID_REGULAR_EXPRESSION
    )


@pytest.mark.parametrize("pattern", [r"a\C", "(?P<n>a)(?P<n>b)", r"\p{Kawi}"])
def test_a_pattern_that_google_re2_takes_and_kafka_refuses_is_refused(pattern: str) -> None:
    """A single byte, one name for two groups, and a script that is newer than RE2/J's tables."""
    assert _error(Stage(), evolve(JOIN, subscribed_pattern=pattern)) is ErrorCode.INVALID_REGULAR_EXPRESSION


def test_a_pattern_that_kafka_takes_is_refused_if_google_re2_can_not_hold_it() -> None:
    answer = Stage().join("A", subscribed_pattern=r"((\w{1,20}){1,10}){1,6}")
    assert answer.error is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert "too large for google-re2" in (answer.message or "")


def test_a_broker_without_google_re2_refuses_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    answer = Stage().join("A", subscribed_pattern="orders.*")
    assert answer.error is ErrorCode.INVALID_REGULAR_EXPRESSION
    assert "can't be matched by this broker: google-re2 is not installed" in (answer.message or "")

from __future__ import annotations

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.classic.effects import SendJoinGroup
from kafka_nextgen.membership.classic.events import JoinRefused
from kafka_nextgen.membership.classic.failures import (
    COMMIT_REACTIONS,
    HEARTBEAT_REACTIONS,
    JOIN_REACTIONS,
    SYNC_REACTIONS,
    reaction_to,
)
from kafka_nextgen.membership.effects import RaiseToApplication
from tests.membership.classic.conversation import Conversation, completing, peer, stable

FIND, LOADING = ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
UNKNOWN, ILLEGAL = ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION
REBALANCE, FENCED = ErrorCode.REBALANCE_IN_PROGRESS, ErrorCode.FENCED_INSTANCE_ID
JOIN_AS_NEW = "join topics=orders reason='the coordinator answered UNKNOWN_MEMBER_ID'"


def joining(**settings: object) -> Conversation:
    talk = Conversation(**settings)  # type: ignore[arg-type]
    talk.subscribe("orders")
    return talk


@pytest.mark.parametrize("code", [FIND, ErrorCode.COORDINATOR_NOT_AVAILABLE])
def test_a_join_at_the_wrong_coordinator_is_repeated_after_a_while(code: ErrorCode) -> None:
    talk = joining()
    assert talk.refuse_join(code) == ["find coordinator"]
    assert talk.wait(0.1) == ["join topics=orders reason='subscribed'"]
    talk.refuse_join(code)
    assert talk.wait(0.1) == []
    assert talk.wait(0.1) == ["join topics=orders reason='subscribed'"]


def test_a_coordinator_that_loads_is_waited_for() -> None:
    talk = joining()
    assert talk.refuse_join(LOADING) == []
    assert talk.wait(0.1)[0].startswith("join")


def test_a_join_that_is_lost_is_repeated() -> None:
    talk = joining()
    assert talk.lose_join() == ["find coordinator"]
    assert talk.wait(0.1)[0].startswith("join")


def test_an_upgraded_group_asks_to_join_again() -> None:
    assert joining().refuse_join(REBALANCE)[0].startswith("join")


def test_a_join_of_an_unknown_member_costs_what_it_kept() -> None:
    talk = stable("orders[0-1]", "cooperative-sticky")
    talk.enforce("wished for")
    assert talk.refuse_join(UNKNOWN) == ["stop orders[0-1]", "publish epoch=-1", "on_lost orders[0-1]"]
    assert talk.lost() == ["apply - added=-", JOIN_AS_NEW]


def test_an_unknown_member_that_keeps_nothing_joins_at_once() -> None:
    talk = joining()
    talk.refuse_join(ErrorCode.MEMBER_ID_REQUIRED, "me")
    talk.join(1)
    assert talk.refuse_sync(UNKNOWN) == [JOIN_AS_NEW]


@pytest.mark.parametrize(
    "code",
    [
        FENCED,
        ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
        ErrorCode.INVALID_SESSION_TIMEOUT,
        ErrorCode.GROUP_MAX_SIZE_REACHED,
        ErrorCode.GROUP_AUTHORIZATION_FAILED,
        ErrorCode.INVALID_GROUP_ID,
    ],
)
def test_what_no_repetition_cures_is_fatal(code: ErrorCode) -> None:
    talk = joining()
    assert talk.refuse_join(code) == [f"raise {code.name} fatal"]
    assert talk.status == "fatal"
    assert talk.subscribe("audit") == []
    assert talk.close() == ["left"]


def test_a_refusal_that_says_more_than_its_code_is_passed_on() -> None:
    talk = joining()
    refusal = JoinRefused(talk.asked[SendJoinGroup], ErrorCode.UNSUPPORTED_VERSION, message="no static members")
    (effect,) = talk.member.handle(refusal, talk.now, 0.5)
    assert effect == RaiseToApplication(ErrorCode.UNSUPPORTED_VERSION, "no static members", fatal=True)


def test_the_error_is_raised_before_the_loss_is_heard_of() -> None:
    talk = stable("orders[0]")
    talk.wait(3)
    assert talk.refuse_heartbeat(FENCED) == [
        "raise FENCED_INSTANCE_ID fatal",
        "stop orders[0]",
        "publish epoch=-1",
        "on_lost orders[0]",
    ]
    assert talk.close() == []
    assert talk.lost() == ["apply - added=-", "left"]


def test_a_coordinator_that_moved_has_no_assignment_to_tell() -> None:
    talk = completing()
    assert talk.refuse_sync(FIND) == ["find coordinator"]
    assert talk.wait(0.1)[0].startswith("join id=me")


def test_a_sync_at_a_coordinator_that_loads_is_no_error() -> None:
    talk = completing()
    assert talk.refuse_sync(LOADING) == []
    assert talk.wait(0.1)[0].startswith("join id=me")


def test_a_sync_that_is_lost_means_joining_again() -> None:
    talk = completing()
    assert talk.lose_sync() == ["find coordinator"]
    assert talk.wait(0.1) == ["join id=me topics=orders reason='the assignment got lost'"]


def test_a_sync_in_an_old_generation_keeps_the_id() -> None:
    assert completing().refuse_sync(ILLEGAL) == [
        "join id=me topics=orders reason='the coordinator answered ILLEGAL_GENERATION'"
    ]


def test_a_sync_of_a_fenced_instance_is_fatal() -> None:
    assert completing(instance_id="one").refuse_sync(FENCED) == ["raise FENCED_INSTANCE_ID fatal"]


@pytest.mark.parametrize(("kind", "strategy"), [("connect", "range"), ("consumer", "roundrobin")])
def test_an_answer_of_another_protocol_is_fatal(kind: str, strategy: str) -> None:
    assert completing().sync("-", strategy, kind) == ["raise INCONSISTENT_GROUP_PROTOCOL fatal"]


def test_a_group_of_another_kind_is_fatal() -> None:
    assert joining().join(1, protocol_type="connect") == ["raise INCONSISTENT_GROUP_PROTOCOL fatal"]


def test_a_leader_of_an_assignor_it_did_not_offer_is_fatal() -> None:
    talk = joining()
    said = talk.join(1, peer("me", "orders"), leader="me", strategy="roundrobin")
    assert said == ["raise INCONSISTENT_GROUP_PROTOCOL fatal"]


# Heartbeats.


def beating(strategy: str = "range", **settings: object) -> Conversation:
    talk = stable("orders[0]", strategy, **settings)
    assert talk.wait(3) == ["heartbeat id=me generation=1"]
    return talk


def test_a_heartbeat_keeps_the_session_and_the_next_follows_after_the_interval() -> None:
    talk = beating()
    assert talk.keep_session() == []
    assert talk.wait(2.9) == []
    assert talk.wait(0.1) == ["heartbeat id=me generation=1"]


@pytest.mark.parametrize(("code", "reset"), [(UNKNOWN, ""), (ILLEGAL, "id=me ")])
def test_whoever_is_out_loses_everything_and_joins_when_that_is_known(code: ErrorCode, reset: str) -> None:
    talk = beating()
    assert talk.refuse_heartbeat(code) == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]
    assert talk.lost("it raised") == [
        "apply - added=-",
        f"join {reset}topics=orders reason='the coordinator answered {code.name}'",
    ]


def test_a_heartbeat_that_is_lost_is_repeated_after_a_while() -> None:
    talk = beating()
    assert talk.lose_heartbeat() == ["find coordinator"]
    assert talk.wait(0.1) == ["heartbeat id=me generation=1"]


def test_a_heartbeat_at_the_wrong_coordinator_is_repeated_at_once_but_not_for_ever() -> None:
    talk = beating()
    assert talk.refuse_heartbeat(FIND) == ["find coordinator", "heartbeat id=me generation=1"]
    assert talk.refuse_heartbeat(FIND) == ["find coordinator"]
    assert talk.wait(0.1) == ["heartbeat id=me generation=1"]
    assert talk.refuse_heartbeat(LOADING) == []


def test_silence_for_a_whole_session_means_another_coordinator_and_nothing_else() -> None:
    talk = beating()
    assert talk.wait(42) == ["find coordinator", "heartbeat id=me generation=1"]
    assert talk.status == "stable"


def test_a_rebalance_is_no_news_to_whoever_is_syncing() -> None:
    talk = completing()
    talk.wait(3)
    assert talk.refuse_heartbeat(REBALANCE) == []
    talk.sync("-")
    assert talk.assigned() == []


def test_whoever_is_syncing_can_be_thrown_out_by_a_heartbeat() -> None:
    talk = completing()
    talk.wait(3)
    assert talk.refuse_heartbeat(UNKNOWN) == [JOIN_AS_NEW]


def test_an_answer_from_before_the_join_costs_no_generation() -> None:
    talk = beating("cooperative-sticky")
    talk.enforce("wished for")
    assert talk.refuse_heartbeat(ILLEGAL) == []
    talk.join(2)
    assert talk.refuse_heartbeat(ILLEGAL) == []
    assert talk.status == "completing"


def test_a_callback_that_runs_returns_before_the_member_joins_again() -> None:
    talk = completing()
    talk.sync("-")
    talk.wait(3)
    assert talk.refuse_heartbeat(UNKNOWN) == ["publish epoch=-1"]
    assert talk.assigned() == ["apply - added=-", JOIN_AS_NEW]


def test_what_on_revoked_was_called_for_is_not_lost_on_top() -> None:
    talk = beating()
    talk.keep_session()
    talk.enforce("wished for")
    talk.poll()
    talk.wait(3)
    assert talk.refuse_heartbeat(UNKNOWN) == ["stop orders[0]", "publish epoch=-1"]
    assert talk.revoked() == ["apply - added=-", JOIN_AS_NEW]


# Commits.


@pytest.mark.parametrize(("code", "reset"), [(UNKNOWN, ""), (ILLEGAL, "id=me ")])
def test_a_commit_can_tell_that_the_member_is_out(code: ErrorCode, reset: str) -> None:
    talk = stable("orders[0]")
    assert talk.refuse_commit(code) == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]
    assert talk.lost()[1] == f"join {reset}topics=orders reason='the coordinator answered {code.name}'"


def test_a_member_without_partitions_joins_at_once_after_such_a_commit() -> None:
    assert stable("-").refuse_commit(UNKNOWN) == ["publish epoch=-1", JOIN_AS_NEW]


@pytest.mark.parametrize("code", [UNKNOWN, ILLEGAL, REBALANCE, FENCED])
def test_a_commit_of_an_earlier_generation_tells_nothing_of_this_one(code: ErrorCode) -> None:
    talk = stable("orders[0]", "cooperative-sticky")
    talk.enforce("wished for")
    assert talk.refuse_commit(code) == [], "the JoinGroup under way tells"
    talk.join(2)
    assert talk.refuse_commit(code) == []
    talk.sync("orders[0]")
    talk.assigned()
    assert talk.refuse_commit(code) == []
    assert talk.status == "stable"


def test_a_commit_can_tell_of_a_rebalance_before_a_heartbeat_does() -> None:
    talk = stable("-", "cooperative-sticky")
    rejoined = ["join id=me topics=orders generation=1 reason='the group is rebalancing'"]
    assert talk.refuse_commit(REBALANCE) == rejoined


def test_a_commit_of_a_fenced_instance_is_fatal() -> None:
    talk = stable("-", instance_id="one")
    assert talk.refuse_commit(FENCED) == ["raise FENCED_INSTANCE_ID fatal", "publish epoch=-1"]


@pytest.mark.parametrize(
    ("code", "said"),
    [(UNKNOWN, [JOIN_AS_NEW]), (REBALANCE, []), (FENCED, ["raise FENCED_INSTANCE_ID fatal"])],
)
def test_a_member_that_is_given_its_generation_again_can_learn_while_it_syncs(code: ErrorCode, said: list[str]) -> None:
    assert completing().refuse_commit(code) == said


def test_what_was_kept_is_lost_if_a_commit_says_so_while_syncing() -> None:
    talk = stable("orders[0]", "cooperative-sticky")
    talk.enforce("wished for")
    talk.join(1)
    assert talk.refuse_commit(ILLEGAL) == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]


def test_a_last_commit_that_is_refused_turns_giving_up_into_losing() -> None:
    talk = stable("orders[0]", auto_commit=True)
    talk.close()
    assert talk.refuse_commit(REBALANCE) == []
    assert talk.refuse_commit(ILLEGAL) == ["stop orders[0]", "publish epoch=-1", "on_lost orders[0]"]
    assert talk.committed("ILLEGAL_GENERATION") == []
    assert talk.lost()[1] == "leave id=me reason='the consumer is being closed'"


@pytest.mark.parametrize("code", [ErrorCode.OFFSET_METADATA_TOO_LARGE, LOADING])
def test_other_refusals_of_commits_are_none_of_the_members_business(code: ErrorCode) -> None:
    talk = stable("orders[0]")
    assert talk.refuse_commit(code) == []
    assert talk.status == "stable"


def test_the_tables_are_kafkas() -> None:
    assert set(COMMIT_REACTIONS) == {UNKNOWN, ILLEGAL, REBALANCE, FENCED}
    passing = {FIND, ErrorCode.COORDINATOR_NOT_AVAILABLE, LOADING, UNKNOWN, REBALANCE}
    assert set(JOIN_REACTIONS) == passing | {ErrorCode.MEMBER_ID_REQUIRED}
    assert set(SYNC_REACTIONS) == set(HEARTBEAT_REACTIONS) == passing | {ILLEGAL}
    assert reaction_to(HEARTBEAT_REACTIONS, 9999).value == "fail"

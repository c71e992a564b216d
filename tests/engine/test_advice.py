"""Errors and warnings say what to do, to whoever they reach."""

from __future__ import annotations

import pytest

from kafka_nextgen import CommitFailedError, GroupProtocol, RequestTimeoutError
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.member.identity import MemberIdentity
from kafka_nextgen.engine.offsets.errors import commit_error
from kafka_nextgen.membership.effects import RaiseToApplication
from kafka_nextgen.membership.offsets.effects import Refused
from kafka_nextgen.transport.failures import error_from_coordinator
from kafka_nextgen.wire.apis import CONSUMER_GROUP_HEARTBEAT, FIND_COORDINATOR
from tests.engine.stage import GROUP, ONE_ATTEMPT, Stage, no_coordinator, tp
from tests.support.waiting import GUARD_S

MEMBER = MemberIdentity(GROUP, None, "A", 7, belongs=True)
JOINING = MemberIdentity(GROUP, None, belongs=True)
STRANGER = MemberIdentity(GROUP, None)


@pytest.mark.parametrize(
    ("code", "who", "advice"),
    [
        (ErrorCode.UNKNOWN_MEMBER_ID, MEMBER, r"member A at epoch 7 could not commit .*; other members may own these"),
        (ErrorCode.UNKNOWN_MEMBER_ID, JOINING, r"has not joined its group .*poll\(\) until partitions are assigned"),
        (ErrorCode.UNKNOWN_MEMBER_ID, STRANGER, r"not a member .*subscribe\(\) to become a member"),
        (ErrorCode.REBALANCE_IN_PROGRESS, MEMBER, "continue with what poll"),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, MEMBER, "whether it was deleted"),
        (ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, MEMBER, "raise the timeout"),
        (ErrorCode.UNKNOWN_SERVER_ERROR, MEMBER, r"\(UNKNOWN_SERVER_ERROR\)$"),
    ],
)
def test_a_failed_commit_says_what_to_do(code: ErrorCode, who: MemberIdentity, advice: str) -> None:
    error = commit_error(Refused({tp(): code}, code, CommitFailedError), "orders[0]", who)
    with pytest.raises(CommitFailedError, match=advice):
        raise error


@pytest.mark.parametrize(
    ("protocol", "advice"),
    [
        (GroupProtocol.CONSUMER, "use group.protocol=classic or auto"),
        (GroupProtocol.CLASSIC, "use group.protocol=consumer"),
    ],
)
def test_nobody_is_told_to_use_the_protocol_that_was_refused(protocol: GroupProtocol, advice: str) -> None:
    refusal = RaiseToApplication(ErrorCode.UNSUPPORTED_VERSION, "the broker has no such API", fatal=True)
    assert str(error_from_coordinator(refusal, protocol, GROUP, "A", -1)).endswith(advice)


def test_an_instance_id_in_use_names_the_key_that_waits_longer() -> None:
    refusal = RaiseToApplication(ErrorCode.UNRELEASED_INSTANCE_ID, "held by B", fatal=True)
    error = error_from_coordinator(refusal, GroupProtocol.CONSUMER, GROUP, "A", -1)
    assert "instance.id.retry.timeout.ms" in str(error)


def test_a_commit_before_the_first_join_says_that_there_is_no_membership_yet(stage: Stage) -> None:
    stage.create()
    stage.never(CONSUMER_GROUP_HEARTBEAT)
    consumer = stage.subscribed()
    with pytest.raises(CommitFailedError, match="has not joined its group"):
        consumer.commit({tp(): 1})
    consumer.close(timeout=0)  # a join that may have been sent is never answered, nor is the leave


def test_a_lookup_without_time_says_so_once(stage: Stage) -> None:
    with stage.consumer() as consumer:
        with pytest.raises(RequestTimeoutError, match=r"timed out after 0 s$") as raised:
            consumer.committed([tp()], timeout=0)
        assert "the last failure" not in str(raised.value)


def test_a_lookup_out_of_time_says_what_kept_it(stage: Stage) -> None:
    stage.handle(FIND_COORDINATOR, no_coordinator)
    with stage.consumer(**ONE_ATTEMPT) as consumer:
        with pytest.raises(RequestTimeoutError, match="COORDINATOR_NOT_AVAILABLE") as raised:
            consumer.committed([tp()], timeout=GUARD_S)
        assert str(raised.value).count("timed out after") == 1


@pytest.mark.parametrize(("protocol", "told"), [("consumer", "its subscription"), ("auto", "does not know yet")])
def test_a_rebalance_that_can_t_be_enforced_says_why(stage: Stage, protocol: str, told: str) -> None:
    stage.create()
    stage.never(CONSUMER_GROUP_HEARTBEAT)
    consumer = stage.subscribed(group_protocol=protocol)
    with pytest.warns(UserWarning, match=told):
        consumer.enforce_rebalance()
    consumer.close(timeout=0)  # a join that may have been sent is never answered, nor is the leave

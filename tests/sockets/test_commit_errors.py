"""Every error code of OffsetCommit, met by a real consumer on real sockets: repeated, raised, or waited out.

``membership.offsets`` has the table. A member has read two partitions, its next commit is answered with the code, for
both or for one, and what comes of it is looked at: what ``commit`` raises, and what the coordinator has in the end.
"""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from kafka_nextgen import (
    BrokerError,
    CommitFailedError,
    Consumer,
    FencedInstanceError,
    GroupAuthorizationError,
    RequestTimeoutError,
    TopicAuthorizationError,
    UnsupportedProtocolError,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.membership.offsets.rules import RULES
from tests.engine.stage import TOPIC, Hears, Stage, poll_until, read, tp
from tests.sockets.script import Script
from tests.support.waiting import eventually

COORDINATOR_MOVED = [ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE, ErrorCode.REQUEST_TIMED_OUT]
TOPIC_UNKNOWN = [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID]
PASSING = [*COORDINATOR_MOVED, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, *TOPIC_UNKNOWN]
STALE = ErrorCode.STALE_MEMBER_EPOCH

#: Each code that is not repeated, and what ``commit`` raises.
RAISED: dict[ErrorCode, type[BrokerError]] = {
    ErrorCode.UNKNOWN_MEMBER_ID: CommitFailedError,
    ErrorCode.FENCED_MEMBER_EPOCH: CommitFailedError,
    ErrorCode.ILLEGAL_GENERATION: CommitFailedError,
    ErrorCode.GROUP_ID_NOT_FOUND: CommitFailedError,
    ErrorCode.INVALID_GROUP_ID: CommitFailedError,
    ErrorCode.INVALID_REQUEST: CommitFailedError,
    ErrorCode.INVALID_COMMIT_OFFSET_SIZE: CommitFailedError,
    ErrorCode.OFFSET_METADATA_TOO_LARGE: CommitFailedError,
    ErrorCode.UNKNOWN_SERVER_ERROR: CommitFailedError,
    ErrorCode.GROUP_AUTHORIZATION_FAILED: GroupAuthorizationError,
    ErrorCode.TOPIC_AUTHORIZATION_FAILED: TopicAuthorizationError,
    ErrorCode.FENCED_INSTANCE_ID: FencedInstanceError,
    ErrorCode.UNSUPPORTED_VERSION: UnsupportedProtocolError,
}

by_name = {"ids": lambda code: code.name}


def reading(stage: Stage, **more: object) -> Consumer:
    """Return a consumer that has read the 20 records of two partitions."""
    stage.create(partitions=2, records=10)
    consumer = stage.consumer(**more)
    consumer.subscribe([TOPIC])
    read(consumer, 20)
    return consumer


def epochs(script: Script) -> list[int]:
    """Return the epochs that commits came with."""
    messages = [request.message for request in script.came("commit")]
    return [message.generation_id_or_member_epoch for message in messages if message is not None]


def test_every_code_of_the_table_is_in_a_row_here() -> None:
    assert set(RULES.commit) == {*PASSING, STALE}
    assert not set(RULES.commit) & set(RAISED)


@pytest.mark.parametrize("code", PASSING, **by_name)
def test_what_passes_is_repeated_until_it_is_committed(script: Script, stage: Stage, code: ErrorCode) -> None:
    with reading(stage) as consumer:
        looked_up = len(script.came("find coordinator"))
        script.play(f"when commit, 3 times: answer error {code.name}")
        consumer.commit()
        assert len(script.came("commit")) == 4
        assert (len(script.came("find coordinator")) > looked_up) is (code in COORDINATOR_MOVED)
    assert stage.committed() == {0: 10, 1: 10}


@pytest.mark.parametrize("code", PASSING, **by_name)
def test_what_does_not_pass_in_time_is_raised_with_the_partitions(
    script: Script, stage: Stage, code: ErrorCode
) -> None:
    with reading(stage, retry_backoff_ms=10) as consumer:
        script.play(f"when commit, always: answer error {code.name}")
        with pytest.raises(
            CommitFailedError, match=rf"billing: member \S+ at epoch .*orders\[0-1\].*{code.name}"
        ) as caught:
            consumer.commit(timeout=0.5)
        error = caught.value
        assert (error.code, error.group, error.failed) == (code, "billing", {tp(0): code.name, tp(1): code.name})
        assert len(script.came("commit")) > 1
        script.stop()
        consumer.commit()
    assert stage.committed() == {0: 10, 1: 10}


@pytest.mark.parametrize("code", RAISED, **by_name)
def test_what_does_not_pass_is_raised_at_once(script: Script, stage: Stage, code: ErrorCode) -> None:
    with reading(stage) as consumer:
        script.play(f"when commit: answer error {code.name}")
        with pytest.raises(RAISED[code], match=rf"group billing.*orders\[0-1\].*{code.name}") as caught:
            consumer.commit()
        assert (type(caught.value), caught.value.code) == (RAISED[code], code)
        assert len(script.came("commit")) == 1
        consumer.commit()
    assert stage.committed() == {0: 10, 1: 10}


@pytest.mark.parametrize("code", [ErrorCode.OFFSET_METADATA_TOO_LARGE, ErrorCode.TOPIC_AUTHORIZATION_FAILED], **by_name)
def test_a_partition_that_is_refused_is_named_alone(script: Script, stage: Stage, code: ErrorCode) -> None:
    with reading(stage) as consumer:
        script.play(f"when commit: answer error {code.name} for orders[1]")
        with pytest.raises(RAISED[code], match=r"orders\[1\]"):
            consumer.commit()
        assert len(script.came("commit")) == 1


def test_only_the_partition_that_failed_is_committed_again(script: Script, stage: Stage) -> None:
    with reading(stage) as consumer:
        script.play("when commit: answer error UNKNOWN_TOPIC_OR_PARTITION for orders[1]")
        consumer.commit()
        first, second = (request.message for request in script.came("commit"))
        assert first is not None
        assert second is not None
        assert [one.partition_index for one in second.topics[0].partitions] == [1]


def test_what_was_refused_is_lost_if_the_member_is(script: Script, stage: Stage) -> None:
    heard = Hears()
    with reading(stage) as consumer:
        consumer.subscribe([TOPIC], listener=heard)
        script.play("when commit: answer error OFFSET_METADATA_TOO_LARGE for orders[1]")
        with pytest.raises(CommitFailedError, match="OFFSET_METADATA_TOO_LARGE"):
            consumer.commit()
        script.play("when heartbeat: answer error FENCED_MEMBER_EPOCH")
        eventually("it is lost", lambda: consumer.poll(timeout=0) is not None and "lost orders[0-1]" in heard.calls)
        with pytest.raises(CommitFailedError, match="read on from what was committed last") as caught:
            consumer.commit()
        assert set(caught.value.failed) == {tp(1)}


def test_an_error_of_an_earlier_commit_is_not_told_again(script: Script, stage: Stage) -> None:
    stage.create(records=10)
    with stage.consumer() as consumer:
        consumer.assign([tp()])
        read(consumer, 10)
        script.play("when commit: answer error NOT_COORDINATOR")
        script.play("when find coordinator: answer error GROUP_AUTHORIZATION_FAILED")
        with pytest.raises(GroupAuthorizationError):
            consumer.commit()
        script.play("when commit: answer error OFFSET_METADATA_TOO_LARGE")
        with pytest.raises(CommitFailedError, match="OFFSET_METADATA_TOO_LARGE"):
            consumer.commit()


def test_a_commit_that_gets_no_answer_says_so_when_its_time_is_over(script: Script, stage: Stage) -> None:
    with reading(stage, request_timeout_ms=200) as consumer:
        script.play("when commit, always: stay silent")
        with pytest.raises(RequestTimeoutError, match=r"group billing: commit of orders\[0-1\]: not done within 0.3 s"):
            consumer.commit(timeout=0.3)
        script.stop()
        consumer.commit()


# An epoch that is over.


def test_an_epoch_that_was_called_stale_although_it_is_not_delays_a_commit_by_a_pause(
    script: Script, stage: Stage
) -> None:
    with reading(stage) as consumer:
        script.play(f"when commit, 2 times: answer error {STALE.name}")
        consumer.commit(timeout=10.0)
        assert len(set(epochs(script))) == 1
        assert len(script.came("commit")) == 3
    assert stage.committed() == {0: 10, 1: 10}


def test_an_epoch_that_was_called_stale_although_it_is_not_holds_up_no_revocation(script: Script, stage: Stage) -> None:
    with reading(stage, enable_auto_commit=True, auto_commit_interval_ms=60_000) as first, stage.consumer() as second:
        script.play(f"when commit: answer error {STALE.name}")
        second.subscribe([TOPIC])
        poll_until(first, lambda: second.poll(timeout=0.05) is not None and len(second.assignment()) == 1)
        assert len(script.acted_on) == 1
        assert stage.committed() == {0: 10, 1: 10}


def under_way(script: Script, consumer: Consumer) -> Future[None]:
    """Begin a commit, and return it as soon as it was refused as stale, as every one is until the script stops."""
    script.play(f"when commit, always: answer error {STALE.name}")
    commit = consumer.commit_async()
    script.wait_for("commit")
    return commit


def test_a_commit_of_an_epoch_that_is_over_is_repeated_with_the_next_one(script: Script, stage: Stage) -> None:
    stage.cluster.create_topic("audit", 1)
    with reading(stage) as consumer:
        commit = under_way(script, consumer)
        (before, *_) = epochs(script)
        consumer.subscribe([TOPIC, "audit"])
        poll_until(consumer, lambda: consumer.group_metadata().member_epoch > before)
        script.stop()
        poll_until(consumer, commit.done)
        assert commit.result() is None
        assert epochs(script)[-1] > before
    assert stage.committed() == {0: 10, 1: 10}


def test_it_is_not_repeated_for_what_went_to_another_member_which_is_named(script: Script, stage: Stage) -> None:
    with reading(stage) as first, stage.consumer() as second:
        commit = under_way(script, first)
        second.subscribe([TOPIC])
        poll_until(first, lambda: len(second.poll(timeout=0.05)) > 0)
        script.stop()
        poll_until(first, commit.done)
        (gone,) = second.assignment()
        error = commit.exception()
        assert isinstance(error, CommitFailedError)
        assert set(error.failed) == {gone}
        assert stage.committed() == {1 - gone.partition: 10}


def test_a_commit_of_a_member_that_is_fenced_meanwhile_fails_and_sets_nothing_back(
    script: Script, stage: Stage
) -> None:
    heard = Hears()
    with reading(stage) as consumer:
        consumer.subscribe([TOPIC], listener=heard)
        commit = under_way(script, consumer)
        script.play("when heartbeat: answer error FENCED_MEMBER_EPOCH")
        poll_until(consumer, lambda: commit.done() and len(heard.calls) > 1)
        assert isinstance(commit.exception(), CommitFailedError)
        assert heard.calls[0] == "lost orders[0-1]"
    assert stage.committed() == {}


# Commits that nobody waits for.


@pytest.mark.parametrize("code", [*PASSING, *RAISED], **by_name)
def test_an_auto_commit_that_is_refused_holds_up_nobody_and_is_made_up_for(
    script: Script, stage: Stage, code: ErrorCode
) -> None:
    script.play(f"when commit: answer error {code.name}")
    with reading(stage, enable_auto_commit=True, auto_commit_interval_ms=50) as consumer:
        poll_until(consumer, lambda: len(script.came("commit")) > 1)
    assert stage.committed() == {0: 10, 1: 10}


@pytest.mark.parametrize("code", [*TOPIC_UNKNOWN, *RAISED], **by_name)
def test_a_commit_before_partitions_are_given_up_that_is_refused_does_not_keep_them(
    script: Script, stage: Stage, code: ErrorCode
) -> None:
    with reading(stage, enable_auto_commit=True, auto_commit_interval_ms=60_000) as first, stage.consumer() as second:
        script.play(f"when commit: answer error {code.name}")
        second.subscribe([TOPIC])
        poll_until(first, lambda: second.poll(timeout=0.05) is not None and len(second.assignment()) == 1)
        assert len(script.acted_on) == 1
        script.stop()

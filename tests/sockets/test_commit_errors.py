"""Errors of OffsetCommit, met by a real consumer on real sockets: repeated, raised, or waited out.

``tests/scenarios/test_arrows.py`` holds that a scenario meets every code. A member has read two partitions, its next
commit is answered with one, for both or for one, and what comes of it is looked at: what ``commit`` raises, what the
coordinator has in the end.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from kafka_nextgen import (
    BrokerError,
    CommitFailedError,
    Consumer,
    GroupAuthorizationError,
    RequestTimeoutError,
    TopicAuthorizationError,
)
from kafka_nextgen.codes import ErrorCode
from tests.engine.stage import TOPIC, Hears, Stage, poll_until, read, tp
from tests.sockets.script import Script
from tests.support.waiting import GUARD_S

STALE = "STALE_MEMBER_EPOCH"


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


@pytest.mark.parametrize(("code", "has_moved"), [("REQUEST_TIMED_OUT", True), ("UNKNOWN_TOPIC_ID", False)])
def test_what_passes_is_repeated_until_it_is_committed(
    script: Script, stage: Stage, code: str, has_moved: bool
) -> None:
    with reading(stage) as consumer:
        looked_up = len(script.came("find coordinator"))
        script.play(f"when commit, 3 times: answer error {code}")
        consumer.commit()
        assert len(script.came("commit")) == 4
        assert (len(script.came("find coordinator")) > looked_up) is has_moved
    assert stage.committed() == {0: 10, 1: 10}


def test_what_does_not_pass_in_time_is_raised_with_the_partitions(script: Script, turned_stage: Stage) -> None:
    code = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    with reading(turned_stage, retry_backoff_ms=10) as consumer, ThreadPoolExecutor() as pool:
        script.play(f"when commit, always: answer error {code.name}")
        committing = pool.submit(lambda: consumer.commit(timeout=10))
        script.wait_for("commit")
        turned_stage.cluster.advance(seconds=10)
        said = rf"billing: member \S+ at epoch .*orders\[0-1\].*{code.name}"
        with pytest.raises(CommitFailedError, match=said) as caught:
            committing.result(GUARD_S)
        error = caught.value
        assert (error.code, error.group, error.failed) == (code, "billing", {tp(0): code.name, tp(1): code.name})
        script.stop()
        consumer.commit()
    assert turned_stage.committed() == {0: 10, 1: 10}


@pytest.mark.parametrize(
    ("code", "kind"),
    [("UNKNOWN_MEMBER_ID", CommitFailedError), ("GROUP_AUTHORIZATION_FAILED", GroupAuthorizationError)],
)
def test_what_does_not_pass_is_raised_at_once(script: Script, stage: Stage, code: str, kind: type[BrokerError]) -> None:
    with reading(stage) as consumer:
        script.play(f"when commit: answer error {code}")
        with pytest.raises(kind, match=rf"group billing.*orders\[0-1\].*{code}"):
            consumer.commit()
        assert len(script.came("commit")) == 1
        consumer.commit()
    assert stage.committed() == {0: 10, 1: 10}


def test_a_partition_that_is_refused_is_named_alone_and_one_that_failed_is_committed_again_alone(
    script: Script, stage: Stage
) -> None:
    with reading(stage) as consumer:
        script.play("when commit: answer error TOPIC_AUTHORIZATION_FAILED for orders[1]")
        with pytest.raises(TopicAuthorizationError, match=r"orders\[1\]"):
            consumer.commit()
        assert len(script.came("commit")) == 1
        script.play("when commit: answer error UNKNOWN_TOPIC_OR_PARTITION for orders[1]")
        consumer.commit()
        again = script.came("commit")[-1].message
        assert again is not None
        assert [one.partition_index for one in again.topics[0].partitions] == [1]


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
        with pytest.raises(RequestTimeoutError, match=r"group billing: commit of orders\[0-1\]: timed out after 0.3 s"):
            consumer.commit(timeout=0.3)
        script.stop()
        consumer.commit()


# An epoch that is over.


def test_an_epoch_that_was_called_stale_although_it_is_not_delays_a_commit_by_a_pause(
    script: Script, stage: Stage
) -> None:
    with reading(stage) as consumer:
        script.play(f"when commit, 2 times: answer error {STALE}")
        consumer.commit(timeout=10.0)
        assert len(set(epochs(script))) == 1
        assert len(script.came("commit")) == 3
    assert stage.committed() == {0: 10, 1: 10}


def test_an_epoch_that_was_called_stale_although_it_is_not_holds_up_no_revocation(script: Script, stage: Stage) -> None:
    with reading(stage, enable_auto_commit=True, auto_commit_interval_ms=60_000) as first, stage.consumer() as second:
        script.play(f"when commit: answer error {STALE}")
        second.subscribe([TOPIC])
        poll_until(first, lambda: second.poll(timeout=0.05) is not None and len(second.assignment()) == 1)
        assert len(script.acted_on) == 1
        assert stage.committed() == {0: 10, 1: 10}


def under_way(script: Script, consumer: Consumer) -> Future[None]:
    """Begin a commit, and return it as soon as it was refused as stale, as every one is until the script stops."""
    script.play(f"when commit, always: answer error {STALE}")
    commit = consumer.commit_async()
    script.wait_for("commit")
    return commit


def test_a_commit_of_an_epoch_that_is_over_is_repeated_with_the_next_one(script: Script, stage: Stage) -> None:
    stage.cluster.create_topic("audit", 1)
    with reading(stage) as consumer:
        commit = under_way(script, consumer)
        (before, *_) = epochs(script)
        consumer.subscribe([TOPIC, "audit"])
        poll_until(consumer, lambda: epochs(script)[-1] > before)
        script.stop()
        poll_until(consumer, commit.done)
        assert commit.result() is None
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


REFUSALS = pytest.mark.parametrize("code", ["UNKNOWN_TOPIC_OR_PARTITION", "UNKNOWN_MEMBER_ID"])


@REFUSALS
def test_an_auto_commit_that_is_refused_holds_up_nobody_and_is_made_up_for(
    script: Script, stage: Stage, code: str
) -> None:
    script.play(f"when commit: answer error {code}")
    with reading(stage, enable_auto_commit=True, auto_commit_interval_ms=50) as consumer:
        poll_until(consumer, lambda: len(script.came("commit")) > 1)
    assert stage.committed() == {0: 10, 1: 10}


@REFUSALS
def test_a_commit_before_partitions_are_given_up_that_is_refused_does_not_keep_them(
    script: Script, stage: Stage, code: str
) -> None:
    with reading(stage, enable_auto_commit=True, auto_commit_interval_ms=60_000) as first, stage.consumer() as second:
        script.play(f"when commit: answer error {code}")
        second.subscribe([TOPIC])
        poll_until(first, lambda: second.poll(timeout=0.05) is not None and len(second.assignment()) == 1)
        assert len(script.acted_on) == 1
        script.stop()

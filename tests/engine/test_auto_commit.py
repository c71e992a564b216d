"""Auto-commit covers what was handed over before the last poll: not less, and never more."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from kafka_nextgen import CommitFailedError, Consumer
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.offsets.client import OffsetClient
from kafka_nextgen.membership.offsets.events import CommitAsked, Sought
from kafka_nextgen.wire.apis import OFFSET_COMMIT
from tests.engine.stage import Hears, Stage, poll_until, read, tp
from tests.support.waiting import GUARD_S

feed, feed_soon = OffsetClient.feed, OffsetClient._feed_soon
LATER: dict[str, object] = {"enable_auto_commit": True, "auto_commit_interval_ms": 3_600_000}


def test_on_an_interval_the_last_poll_is_left_out(stage: Stage) -> None:
    stage.create(records=10)
    with stage.subscribed(enable_auto_commit=True, auto_commit_interval_ms=10) as consumer:
        read(consumer, 4)
        list(consumer.poll(timeout=GUARD_S, max_records=3))
        committed: set[int] = set()
        while 4 not in committed:
            committed |= set(stage.committed().values())
        assert max(committed) == 4, "the last three may still be in work"
        poll_until(consumer, lambda: stage.committed() == {0: 10})


def test_a_revocation_commits_all_that_was_read_before(stage: Stage) -> None:
    def second_has() -> bool:
        return len(second.poll(timeout=0)) == 0 and len(second.assignment()) == 1

    with stage.after_reading(10, partitions=2, **LATER) as first, stage.subscribed(**LATER) as second:
        assert poll_until(first, second_has) == []
        assert stage.committed() == {0: 10, 1: 10}


def test_close_commits_all_that_was_read(stage: Stage) -> None:
    stage.create(records=10)
    with stage.subscribed(**LATER) as consumer:
        read(consumer, 7)
    assert stage.committed() == {0: 7}


def test_what_is_given_up_without_a_commit_is_told_in_the_log(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.refuse_commits(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    with caplog.at_level("WARNING", "kafka_nextgen.engine"):
        stage.after_reading(7, **LATER).close()
    (told,) = [record.message for record in caplog.records if "commit" in record.message]
    assert told == (
        "group billing: orders[0] is given up without a commit (UNKNOWN_TOPIC_OR_PARTITION): the next owner"
        " resumes at the last commit; check the topic's name and whether it was deleted"
    )


# ---- where the block ends with an error


def fail_at(stage: Stage, offset: int, work: Callable[[Consumer], object] = Consumer.assignment) -> list[int]:
    """Iterate, doing ``work`` at each record, and fail at this one; the offsets that came."""
    seen: list[int] = []

    def block() -> None:
        with stage.subscribed(**LATER) as consumer:
            for record in consumer:
                seen.append(record.offset)
                work(consumer)
                if record.offset == offset:
                    raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        block()
    return seen


LOOKS: dict[str, Callable[[Consumer], object]] = {
    "nothing": Consumer.assignment,
    "lag": Consumer.lag,
    "metrics": Consumer.metrics,
    "position": lambda consumer: consumer.position(tp()),
    "committed": lambda consumer: consumer.committed([tp()]),
    "commit of others": lambda consumer: consumer.commit({tp(1): 3}),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS.keys())
def test_an_error_in_the_loop_keeps_its_record_out_wherever_the_application_looked(
    stage: Stage, look: Callable[[Consumer], object]
) -> None:
    stage.create(partitions=2)
    stage.write(0, 20)
    fail_at(stage, 5, look)
    assert stage.committed()[0] == 5


def test_another_thread_that_looks_all_the_time_does_not_count_as_processing_either(stage: Stage) -> None:
    stage.create(records=200)
    ended = threading.Event()

    def watch(consumer: Consumer) -> None:
        if not monitors:
            monitors.append(threading.Thread(target=lambda: [consumer.lag() for _ in iter(ended.is_set, True)]))
            monitors[0].start()
        if consumer.position(tp()) == 151:
            ended.set()
            monitors[0].join()

    monitors: list[threading.Thread] = []
    assert fail_at(stage, 150, watch) == list(range(151)), "nothing is skipped"
    assert stage.committed() == {0: 150}


def test_what_the_application_committed_itself_is_not_taken_back(stage: Stage) -> None:
    stage.create(records=20)
    fail_at(stage, 5, Consumer.commit)
    assert stage.committed() == {0: 6}


def test_nor_is_what_it_committed_between_two_polls(stage: Stage) -> None:
    consumer = stage.after_reading(10, **LATER)
    consumer.commit()
    with pytest.raises(ZeroDivisionError), consumer:
        raise ZeroDivisionError
    assert stage.committed() == {0: 10}


def test_an_error_after_a_poll_keeps_its_records_out(stage: Stage) -> None:
    stage.create(records=10)
    consumer = stage.subscribed(**LATER)
    read(consumer, 4)
    consumer.poll(timeout=GUARD_S, max_records=3)
    with pytest.raises(KeyboardInterrupt), consumer:
        raise KeyboardInterrupt
    assert stage.committed() == {0: 4}
    assert stage.members() == 0


# ---- beside seeks and losses


def test_auto_commit_knows_where_the_application_sought_before_it_hears_of_the_next_commit(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[object] = []
    monkeypatch.setattr(OffsetClient, "feed", lambda self, event: (told.append(event), feed(self, event))[1])
    monkeypatch.setattr(OffsetClient, "_feed_soon", lambda self, event: (told.append(event), feed_soon(self, event))[1])
    with stage.after_reading(10, **LATER) as consumer:
        consumer.commit_async({tp(): 9})
        consumer.seek(tp(), 2)
        consumer.seek_to_beginning()
        consumer.commit({tp(): 1})
    wanted = [type(event) for event in told if isinstance(event, CommitAsked | Sought)]
    assert wanted == [CommitAsked, Sought, Sought, CommitAsked]


def test_nothing_is_committed_for_what_was_lost(stage: Stage) -> None:
    listener = Hears(on_lost=stage.committed)
    with stage.after_reading(10, listener, **LATER) as consumer:
        stage.fence(consumer)
        poll_until(consumer, lambda: bool(listener.lost))
    assert listener.lost == [{}]


def test_a_commit_under_way_does_not_live_on_in_the_next_membership(stage: Stage) -> None:
    listener, asked = Hears(), stage.busy(OFFSET_COMMIT)
    with stage.after_reading(10, listener) as consumer:
        commit = consumer.commit_async()
        assert asked.wait(GUARD_S)
        stage.fence(consumer)
        poll_until(consumer, lambda: bool(listener.lost))
        with pytest.raises(CommitFailedError, match="UNKNOWN_MEMBER_ID"):
            commit.result(GUARD_S)

"""What a task reads of a log that changes meanwhile, or has gaps: nothing twice, nothing of another topic, no gap."""

from __future__ import annotations

import logging
import threading

import pytest

from kafka_nextgen import LogTruncationError
from kafka_nextgen.spark.errors import DataLossError
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.endtoend.transacting import send, transactional_producer
from tests.engine.stage import TOPIC, Stage
from tests.spark.odd_tasks import RECORDS, first, held_back, reading, settings
from tests.support.waiting import GUARD_S


def test_a_leader_that_moves_amid_a_task_is_followed(stage: Stage) -> None:
    tasks = reading(5, 95, settings(stage))
    with held_back(stage, 30):
        assert first(15, tasks) == list(range(5, 20))
        leader = stage.cluster.leader_of(TOPIC, 0)
        stage.cluster.move_leader(TOPIC, 0, 1 if leader == 2 else 2)
    assert list(tasks) == list(range(20, 95))


@pytest.mark.whole
def test_brokers_that_are_away_for_longer_than_a_question_takes_are_waited_for(stage: Stage) -> None:
    tasks = reading(5, 95, settings(stage, default_api_timeout_ms="1000", request_timeout_ms="1000"))
    with held_back(stage, 30):
        assert first(25, tasks) == list(range(5, 30))
        for node in (1, 2):
            stage.cluster.stop_node(node)
    timer = threading.Timer(4.0, lambda: [stage.cluster.start_node(node) for node in (1, 2)])
    timer.start()
    assert list(tasks) == list(range(30, 95))


def remake(stage: Stage, records: int) -> None:
    stage.run(lambda: stage.cluster._broker._cluster.topics.delete(stage.topic()))
    stage.create(records=records)


@pytest.mark.parametrize("is_named", [True, False])
def test_a_topic_that_is_made_again_amid_a_task_is_a_loss_and_not_read(stage: Stage, is_named: bool) -> None:
    for lenient in (False, True):
        tasks = reading(5, 95, settings(stage, lenient=lenient), stage.topic().topic_id if is_named else None)
        with held_back(stage, 30):
            assert first(25, tasks) == list(range(5, 30))
            remake(stage, 2 * RECORDS)
        if lenient:
            assert list(tasks) == []
        else:
            with pytest.raises(DataLossError, match="was deleted, or its topic created again"):
                next(tasks)


def test_records_that_age_out_amid_a_task_are_a_loss_or_skipped(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    tasks, lenient = reading(5, 95, settings(stage)), reading(5, 95, settings(stage, lenient=True))
    with held_back(stage, 30):
        assert first(25, tasks) == first(25, lenient) == list(range(5, 30))
        stage.drop_batches(0)
    with pytest.raises(DataLossError, match=r"orders\[0\] was to be read from offset 30 and now begins at 90"):
        list(tasks)
    assert list(lenient) == list(range(90, 95))
    assert "offsets 30 to 89 are skipped; reading continues at 90" in caplog.text


@pytest.mark.parametrize("lenient", [False, True])
def test_a_log_that_is_cut_back_behind_what_was_read_fails_the_task(stage: Stage, lenient: bool) -> None:
    tasks = reading(5, 95, settings(stage, lenient=lenient))
    with held_back(stage, 30):
        assert first(25, tasks) == list(range(5, 30))
        stage.lose(0, keep=20)
        stage.write(0, RECORDS)
    with pytest.raises(LogTruncationError):
        list(tasks)
    assert list(reading(5, 95, settings(stage))) == list(range(5, 95)), "the next attempt reads it anew"


def test_a_log_that_is_cut_back_in_front_of_the_range_is_a_loss(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    stage.lose(0, keep=80)
    with pytest.raises(DataLossError, match=r"orders\[0\] ends at offset 80, before the planned end 95"):
        list(reading(90, 95, settings(stage)))
    with caplog.at_level(logging.WARNING):
        assert list(reading(90, 95, settings(stage, lenient=True))) == []
    assert "offsets 90 to 94 are skipped" in caplog.text


# ---- logs with gaps


@pytest.mark.parametrize(
    ("start", "end", "found"),
    [
        pytest.param(45, 55, range(45, 50), id="a batch that is gone at the end"),
        pytest.param(50, 60, range(0), id="a batch that is gone is all of it"),
        pytest.param(55, 65, range(60, 65), id="a batch that is gone at the start"),
        pytest.param(85, 95, [*range(85, 90), 90], id="records that are gone at the end"),
        pytest.param(91, 99, range(0), id="records that are gone are all of it"),
        pytest.param(91, 100, range(0), id="also at the end of the log"),
    ],
)
def test_what_compaction_took_is_no_loss(stage: Stage, start: int, end: int, found: range | list[int]) -> None:
    stored = stage._stored(0)
    stored[9] = encode_batch([NewRecord(b"90")], base_offset=90, last_offset_delta=9)
    stored[5], stored[6] = stored[6], b""  # nobody begins at 60 here
    assert list(reading(start, end, settings(stage))) == list(found)


def test_transactions_that_were_aborted_at_the_end_of_a_range_are_passed(stage: Stage) -> None:
    writer = transactional_producer(stage.cluster.bootstrap_servers, "writer")
    for is_kept in (True, False, False):
        writer.begin_transaction()
        send(writer, TOPIC, "one", "other")
        (writer.commit_transaction if is_kept else writer.abort_transaction)(GUARD_S)
    committed = settings(stage, isolation_level="read_committed")
    for end in range(100, 110):
        assert list(reading(95, end, committed)) == [*range(95, 100), *range(100, min(end, 102))]
    assert list(reading(103, 109, committed)) == []

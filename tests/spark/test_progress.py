"""The group of a streaming query shows what the checkpoint has, and never ends a query but at its start."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import Mock

import pytest

from kafka_nextgen import Consumer, GroupAdmin, GroupNotEmptyError, KafkaNextgenError, MisuseError
from kafka_nextgen.spark.options import parse_source_options
from kafka_nextgen.spark.progress import Progress
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

T0 = TopicPartition("t", 0)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster() as cluster:
        cluster.create_topic("t")
        yield cluster


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def progress_of(bootstrap_servers: str, clock: Clock, run: str = "1", **options: str) -> Progress:
    given = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": "t", **options}
    return Progress(parse_source_options(given, is_streaming=True), clock, run)


@contextmanager
def member_of(cluster: Cluster, group_id: str) -> Iterator[None]:
    settings = {"group_id": group_id, "group_protocol": "consumer", "enable_auto_commit": False}
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, **settings) as member:
        member.subscribe(["t"])
        while not member.assignment():
            member.poll(0.1)
        yield


def committed(cluster: Cluster, group_id: str) -> int | None:
    with Consumer(bootstrap_servers=cluster.bootstrap_servers, group_id=group_id) as consumer:
        offset = consumer.committed([T0])[T0]
    return None if offset is None else offset.offset


def test_what_is_shown_is_committed_to_a_group_that_stays_empty(cluster: Cluster) -> None:
    progress = progress_of(cluster.bootstrap_servers, Clock(), groupId="shown")
    progress.show({T0: 3})
    assert committed(cluster, "shown") == 3
    progress.show({T0: 1})
    assert committed(cluster, "shown") == 1, "the checkpoint is the truth, also if it goes back"
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        assert admin.describe(["shown"])["shown"].members == ()


def test_connections_are_closed_and_made_anew(cluster: Cluster) -> None:
    progress = progress_of(cluster.bootstrap_servers, Clock(), groupId="closed")
    progress.close()
    progress.show({T0: 3})
    before = progress._admin
    progress.close()
    with pytest.raises(MisuseError):
        before.list()
    progress.show({T0: 4})
    assert committed(cluster, "closed") == 4
    progress.close()


def test_the_progress_of_an_idle_query_is_committed_again_before_brokers_forget_it(cluster: Cluster) -> None:
    clock = Clock()
    progress = progress_of(cluster.bootstrap_servers, clock, groupId="idle")
    progress.show({T0: 3})
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.delete(["idle"])
    progress.show({T0: 3})
    assert committed(cluster, "idle") is None
    clock.now_s += 3600
    progress.show({T0: 3})
    assert committed(cluster, "idle") == 3
    progress.close()


def test_without_a_group_nothing_is_committed_nor_connected() -> None:
    progress_of("nowhere.invalid:9092", Clock()).show({T0: 3})


def test_a_group_with_members_refuses_a_query_at_its_start(cluster: Cluster) -> None:
    with member_of(cluster, "busy"), pytest.raises(GroupNotEmptyError, match='group "busy" is in use'):
        progress_of(cluster.bootstrap_servers, Clock(), groupId="busy").show({T0: 3})


def test_of_two_queries_on_a_partition_the_group_shows_the_younger_one(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    older, younger = (progress_of(cluster.bootstrap_servers, Clock(), run, groupId="two") for run in "12")
    older.show({T0: 1})
    younger.show({T0: 5})
    for end in (2, 3):
        older.show({T0: end})
        assert committed(cluster, "two") == 5
    younger.show({T0: 6})
    assert committed(cluster, "two") == 6
    (told,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert 'group "two" no longer shows the progress of this query' in told.getMessage()
    assert "another query commits offsets of t[0]" in told.getMessage()


def test_a_run_is_not_disturbed_by_the_last_commit_of_the_one_it_replaces(cluster: Cluster) -> None:
    older, younger = (progress_of(cluster.bootstrap_servers, Clock(), run, groupId="replaced") for run in "12")
    for end, run in enumerate((younger, older, younger, older), 1):
        run.show({T0: end})
    assert committed(cluster, "replaced") == 3


def test_queries_share_a_group_if_they_read_different_partitions(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    cluster.create_topic("u")
    other = TopicPartition("u", 0)
    older, younger = (progress_of(cluster.bootstrap_servers, Clock(), run, groupId="shared") for run in "12")
    older.show({T0: 1})
    younger.show({other: 5})
    older.show({T0: 2})
    assert committed(cluster, "shared") == 2
    assert not caplog.records


def test_an_offset_that_a_tool_set_is_no_query(cluster: Cluster) -> None:
    progress = progress_of(cluster.bootstrap_servers, Clock(), groupId="tool")
    progress.show({T0: 1})
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        admin.alter_offsets("tool", {T0: OffsetAndMetadata(0, metadata="reset")})
    progress.show({T0: 2})
    assert committed(cluster, "tool") == 2


def test_members_that_come_later_are_logged_and_tried_again_after_a_pause(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    progress = progress_of(cluster.bootstrap_servers, clock, groupId="later")
    progress.show({T0: 1})
    with member_of(cluster, "later"):
        with caplog.at_level(logging.WARNING):
            progress.show({T0: 2})
        assert '"later" is in use' in caplog.text
        assert "next attempt in 2 s" in caplog.text
    progress.show({T0: 2})
    assert committed(cluster, "later") == 1, "the pause is not over"
    clock.now_s += 2
    progress.show({T0: 2})
    assert committed(cluster, "later") == 2


def attempts_of(progress: Progress, *failures: KafkaNextgenError | None) -> Mock:
    """Have attempts to commit fail like this, one after the other; None is a success."""
    results = [Mock(failed={} if failure is None else {T0: failure}) for failure in failures]
    alter_offsets = Mock(side_effect=results)
    progress.__dict__["_admin"] = Mock(alter_offsets=alter_offsets, offsets=Mock(return_value={}))
    return alter_offsets


def test_without_a_partition_nothing_is_committed() -> None:
    progress = progress_of("nowhere.invalid:9092", Clock(), groupId="g")
    attempts = attempts_of(progress)
    progress.show({})
    assert attempts.call_count == 0


def test_a_failure_of_the_first_commit_does_not_end_the_query_and_is_repaired_later() -> None:
    clock = Clock()
    progress = progress_of("nowhere.invalid:9092", clock, groupId="g")
    attempts = attempts_of(progress, KafkaNextgenError("no coordinator"), None)
    progress.show({T0: 3})
    clock.now_s += 2
    progress.show({T0: 3})
    assert attempts.call_count == 2, "nothing was committed by the first"
    attempts.assert_called_with("g", {T0: OffsetAndMetadata(3, metadata="kafka_nextgen on Spark, run 1")}, 5.0)
    progress.show({T0: 3})
    assert attempts.call_count == 2


def test_a_pause_grows_to_a_minute_however_many_failures_there_are(caplog: pytest.LogCaptureFixture) -> None:
    clock, failure = Clock(), KafkaNextgenError("not authorized")
    progress = progress_of("nowhere.invalid:9092", clock, groupId="g")
    attempts_of(progress, *[failure] * 1_100)  # 18 hours
    for _ in range(1_100):
        progress.show({T0: 3})
        clock.now_s += 60
    pauses = [text.partition("next attempt in ")[2].partition(" s:")[0] for text in caplog.messages]
    assert pauses == ["2", "4", "8", "16", "32", *["60"] * 1_095]


def test_a_success_ends_a_series_of_failures(caplog: pytest.LogCaptureFixture) -> None:
    clock, failure = Clock(), KafkaNextgenError("no coordinator")
    progress = progress_of("nowhere.invalid:9092", clock, groupId="g")
    attempts_of(progress, failure, failure, None, failure)
    for end in range(4):
        progress.show({T0: end})
        clock.now_s += 60
    assert ["next attempt in 2 s" in text for text in caplog.messages] == [True, False, True]

"""What a streaming query plans from trigger to trigger: a start that stays, progress, limits, losses."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar
from unittest.mock import Mock, call
from uuid import UUID

import pytest
from attrs import define, field

from kafka_nextgen.spark.admission import TriggerLimits
from kafka_nextgen.spark.errors import AvailableNowError, DataLossError
from kafka_nextgen.spark.limits import OffsetLimit
from kafka_nextgen.spark.offsets import offsets_document
from kafka_nextgen.spark.options import parse_source_options
from kafka_nextgen.spark.stream_planner import StreamPlanner
from kafka_nextgen.spark.values import ClusterOffsets, PartitionOffsets, TopicIds
from kafka_nextgen.types import TopicId, TopicPartition

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
FIRST_ID, SECOND_ID = UUID(int=1), UUID(int=2)
UNLIMITED = TriggerLimits()

T = TypeVar("T")


@define
class Log:
    begin: int
    end: int
    topic_id: TopicId = FIRST_ID


@define
class FakeCluster:
    """Answers from logs that a test changes."""

    logs: dict[TopicPartition, Log]
    committed: dict[TopicPartition, int | None] = field(factory=dict)
    known: list[object] = field(factory=list)  # what was said to be known, question by question
    is_closed: bool = False

    def partitions(self, known: Collection[TopicPartition] = ()) -> TopicIds:
        self.known.append(set(known))
        return {tp: log.topic_id for tp, log in self.logs.items()}

    def earliest(self, partitions: Collection[TopicPartition]) -> PartitionOffsets:
        return {tp: self.logs[tp].begin for tp in partitions}

    def latest(self, partitions: Collection[TopicPartition], known: PartitionOffsets | None = None) -> PartitionOffsets:
        self.known.append(known)
        return {tp: self.logs[tp].end for tp in partitions}

    def offsets(self, partitions: TopicIds, known: PartitionOffsets | None = None) -> ClusterOffsets:
        return ClusterOffsets(self.earliest(partitions), self.latest(partitions, known), partitions)

    def find_offsets(
        self, limit: OffsetLimit, partitions: Collection[TopicPartition]
    ) -> dict[TopicPartition, int | None]:
        return self.committed

    def retry_unknown_topics(self, ask: Callable[[], T]) -> T:
        return ask()

    def close(self) -> None:
        self.is_closed = True


class Query:
    """A query on a topic, as Spark drives it."""

    def __init__(self, cluster: FakeCluster, **options: str) -> None:
        given = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "t", **options}
        self.progress = Mock()
        parsed = parse_source_options(given, is_streaming=True)
        self.planner = StreamPlanner(parsed, cluster, self.progress, clock=lambda: 0.0)

    def batch(
        self, start: dict[str, dict[str, int]], limits: TriggerLimits = UNLIMITED
    ) -> tuple[dict[str, dict[str, int]], list[str]]:
        """The end of the next batch, and its ranges."""
        end = self.planner.latest_offset(start, limits)
        return end, [str(planned) for task in self.planner.plan(start, end) for planned in task]


def at(*offsets: int) -> dict[str, dict[str, int]]:
    return offsets_document({TopicPartition("t", number): offset for number, offset in enumerate(offsets)})


def test_a_stream_from_the_earliest_offset_reads_batch_by_batch() -> None:
    cluster = FakeCluster({T0: Log(0, 5), T1: Log(0, 3)})
    query = Query(cluster, startingOffsets="earliest")
    assert query.planner.initial_offset() == at(0, 0)
    assert query.batch(at(0, 0)) == (at(5, 3), ["t[0] 0..5", "t[1] 0..3"])
    cluster.logs[T1].end = 4
    assert query.batch(at(5, 3)) == (at(5, 4), ["t[1] 3..4"])
    assert query.progress.show.call_args_list == [call({T0: 0, T1: 0}), call({T0: 5, T1: 3})]
    assert query.planner.reported_latest() == at(5, 4)


@pytest.mark.parametrize("start", ["latest", '{"t":{"0":-1}}', '{"t":"latest"}'])
def test_a_start_that_moves_is_the_end_of_an_empty_first_batch(start: str) -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query = Query(cluster, startingOffsets=start)
    assert query.planner.initial_offset() == at(5)
    cluster.logs[T0].end = 7
    assert query.planner.initial_offset() == at(5), "it stays"
    assert query.batch(at(5)) == (at(5), [])
    assert query.batch(at(5)) == (at(7), ["t[0] 5..7"])


def test_a_start_at_the_earliest_offsets_of_a_topic_may_have_moved_when_the_first_batch_is_repeated() -> None:
    query = Query(FakeCluster({T0: Log(4, 9)}), startingOffsets='{"t":"earliest"}')
    assert query.planner.initial_offset() == at(4), "it was 0 when the first batch was planned"
    assert query.planner.plan(at(4), at(3)) == ()


def test_a_first_batch_that_is_repeated_after_a_crash_is_empty_again_and_no_other_one_is() -> None:
    cluster = FakeCluster({T0: Log(0, 9)})
    query = Query(cluster, startingOffsets="latest")
    assert query.planner.initial_offset() == at(9), "it was 5 when the first batch was planned"
    assert query.planner.plan(at(9), at(5)) == ()
    assert query.batch(at(5)) == (at(9), ["t[0] 5..9"])
    cluster.logs[T0].end = 12
    assert query.batch(at(9)) == (at(12), ["t[0] 9..12"]), "it got there by reading"


def test_a_start_by_time_is_the_end_of_an_empty_first_batch() -> None:
    query = Query(FakeCluster({T0: Log(0, 5)}, committed={T0: 3}), startingTimestamp="1700000000000")
    assert query.planner.initial_offset() == at(3)
    assert query.batch(at(3)) == (at(3), [])
    assert query.batch(at(3)) == (at(5), ["t[0] 3..5"])


def test_a_planner_closes_all_it_asks() -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query = Query(cluster)
    query.planner.close()
    query.progress.close.assert_called_once_with()
    assert cluster.is_closed


def test_what_is_known_is_told_to_the_cluster_which_asks_again_for_what_went_backwards() -> None:
    """Else a broker that is late makes a partition new, which is read twice, or makes its end a loss."""
    cluster = FakeCluster({T0: Log(0, 5)})
    query = Query(cluster, startingOffsets="earliest")
    end = query.planner.latest_offset(at(3), UNLIMITED)
    assert cluster.known == [{T0}, {T0: 3}]
    cluster.known.clear()
    query.planner.plan(at(3), end)
    assert cluster.known == [{T0}, {T0: 5}]
    cluster.known.clear()
    cluster.logs[T0] = Log(0, 2, SECOND_ID)
    query.planner.latest_offset(at(5), UNLIMITED)
    assert cluster.known == [{T0}, {}], "where another topic ended is no measure"


def test_offsets_that_do_not_move_need_no_empty_batch() -> None:
    query = Query(FakeCluster({T0: Log(0, 5)}), startingOffsets='{"t":{"0":2}}')
    assert query.batch(query.planner.initial_offset()) == (at(5), ["t[0] 2..5"])


def test_the_start_of_a_group_is_committed_with_its_fallback() -> None:
    cluster = FakeCluster({T0: Log(0, 5), T1: Log(1, 3)}, committed={T0: 4, T1: None})
    query = Query(cluster, startingOffsets="group", groupId="g", groupFallback="earliest")
    assert query.planner.initial_offset() == at(4, 1)
    query.progress.commit.assert_called_once_with({T0: 4, T1: 1})
    assert query.batch(at(4, 1)) == (at(5, 3), ["t[0] 4..5", "t[1] 1..3"])


def test_an_available_now_run_ends_where_the_log_ended_at_its_first_batch() -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query = Query(cluster, startingOffsets="earliest")
    query.planner.prepare_for_available_now()
    limits = TriggerLimits(max_offsets=3, min_offsets=3)
    assert query.batch(at(0), limits) == (at(3), ["t[0] 0..3"])
    cluster.logs[T0].end = 9
    assert query.batch(at(3), limits) == (at(5), ["t[0] 3..5"]), "also a remainder below the minimum"
    assert query.batch(at(5), limits) == (at(5), [])


def test_a_backlog_below_the_minimum_waits_after_the_first_batch_of_a_run() -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query, limits = Query(cluster, startingOffsets="earliest"), TriggerLimits(min_offsets=10)
    assert query.batch(at(0), limits) == (at(5), ["t[0] 0..5"])
    cluster.logs[T0].end = 7
    assert query.batch(at(5), limits) == (at(5), []), "the last batch was just now"
    cluster.logs[T0].end = 15
    assert query.batch(at(5), limits) == (at(15), ["t[0] 5..15"])


def test_an_available_now_run_reads_a_topic_that_was_made_again_from_its_beginning() -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query, limits = Query(cluster, startingOffsets="earliest", failOnDataLoss="false"), TriggerLimits(max_offsets=3)
    query.planner.prepare_for_available_now()
    assert query.batch(at(0), limits) == (at(3), ["t[0] 0..3"])
    cluster.logs[T0] = Log(0, 8, SECOND_ID)
    assert query.batch(at(3), limits) == (at(0), [])
    assert query.batch(at(0), limits) == (at(3), ["t[0] 0..3"])


def test_an_available_now_run_that_found_no_topic_does_not_read_one_that_comes_later() -> None:
    cluster = FakeCluster({})
    query = Query(cluster, startingOffsets="earliest")
    query.planner.prepare_for_available_now()
    assert query.planner.latest_offset(at(), UNLIMITED) == at()
    cluster.logs[T0] = Log(0, 5)
    assert query.planner.latest_offset(at(), UNLIMITED) == at()


def test_a_batch_that_a_restart_repeats_is_not_checked_against_what_was_there_later() -> None:
    query = Query(FakeCluster({T0: Log(0, 9), T1: Log(0, 5)}), startingOffsets="earliest")
    query.planner.prepare_for_available_now()
    query.planner.latest_offset(at(3), UNLIMITED)
    assert [str(planned) for (planned,) in query.planner.plan(at(0), at(3))] == ["t[0] 0..3"], "t[1] came behind it"


def test_an_available_now_run_ends_with_an_error_if_the_partitions_change() -> None:
    cluster = FakeCluster({T0: Log(0, 5), T1: Log(0, 5)})
    query = Query(cluster, startingOffsets="earliest")
    query.planner.prepare_for_available_now()
    end = query.planner.latest_offset(at(0, 0), UNLIMITED)
    del cluster.logs[T1]
    with pytest.raises(AvailableNowError, match=r"t\[1\] were deleted"):
        query.planner.plan(at(0, 0), end)


def test_a_new_partition_is_read_from_its_first_record() -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query = Query(cluster, startingOffsets="earliest")
    cluster.logs[T1] = Log(0, 2)
    assert query.batch(at(5)) == (at(5, 2), ["t[1] 0..2"])


def test_a_limit_counts_a_new_partition_from_its_first_record() -> None:
    cluster = FakeCluster({T0: Log(0, 5), T1: Log(100, 110)})
    query = Query(cluster, startingOffsets="earliest", failOnDataLoss="false")
    assert query.batch(at(5), TriggerLimits(max_offsets=6)) == (at(5, 106), ["t[1] 100..106"])


@pytest.mark.parametrize("size", [3, 5, 8])
@pytest.mark.parametrize("limits", [UNLIMITED, TriggerLimits(max_offsets=5)])
def test_a_topic_that_was_made_again_is_read_from_its_beginning(size: int, limits: TriggerLimits) -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query = Query(cluster, startingOffsets="earliest", failOnDataLoss="false")
    assert query.batch(at(0)) == (at(5), ["t[0] 0..5"])
    cluster.logs[T0] = Log(0, size, SECOND_ID)
    assert query.batch(at(5), limits) == (at(0), []), "Spark runs it, for its end is another"
    first = min(size, limits.max_offsets or size)
    assert query.batch(at(0), limits) == (at(first), [f"t[0] 0..{first}"])


def test_a_topic_that_was_made_again_before_anything_was_read_is_known_by_its_id_at_the_start() -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query = Query(cluster, startingOffsets="latest", failOnDataLoss="false")
    assert query.batch(query.planner.initial_offset()) == (at(5), [])
    cluster.logs[T0] = Log(0, 8, SECOND_ID)
    assert query.batch(at(5)) == (at(0), [])
    assert query.batch(at(0)) == (at(8), ["t[0] 0..8"])


def test_a_run_after_one_that_noticed_a_topic_made_again_reads_it_from_its_beginning() -> None:
    cluster = FakeCluster({T0: Log(0, 8, SECOND_ID)})
    with pytest.raises(DataLossError, match=r"t\[0\] was read up to offset 5 and now ends at 0"):
        Query(cluster, startingOffsets="earliest").planner.plan(at(5), at(0))
    query = Query(cluster, startingOffsets="earliest", failOnDataLoss="false")
    assert query.planner.plan(at(5), at(0)) == ()
    assert query.batch(at(0)) == (at(8), ["t[0] 0..8"])


def test_a_topic_that_was_made_again_ends_a_query_that_may_lose_nothing() -> None:
    cluster = FakeCluster({T0: Log(0, 5)})
    query = Query(cluster, startingOffsets="earliest")
    query.batch(at(0))
    cluster.logs[T0] = Log(0, 8, SECOND_ID)
    with pytest.raises(DataLossError, match="its topic was created again"):
        query.batch(at(5))


def test_a_task_is_told_which_topic_is_meant_also_if_that_is_gone_or_made_again_before_the_batch_is_planned() -> None:
    cluster = FakeCluster({T0: Log(0, 5), T1: Log(0, 5)})
    query = Query(cluster, startingOffsets="earliest")
    end = query.planner.latest_offset(at(0, 0), UNLIMITED)
    del cluster.logs[T1]
    cluster.logs[T0] = Log(0, 8, SECOND_ID)
    assert [planned.topic_id for task in query.planner.plan(at(0, 0), end) for planned in task] == [FIRST_ID, FIRST_ID]


def test_records_that_aged_out_before_they_were_read_are_told() -> None:
    query = Query(FakeCluster({T0: Log(4, 9)}), startingOffsets="earliest")
    with pytest.raises(DataLossError, match=r"t\[0\] was to be read from offset 2"):
        query.batch(at(2))


@pytest.mark.parametrize("start", ["earliest", '{"t":{"0":-2}}'])
def test_a_start_that_aged_out_before_the_first_batch_was_done_is_no_error_yet(start: str) -> None:
    query = Query(FakeCluster({T0: Log(7, 9)}), startingOffsets=start)
    assert query.planner.initial_offset() == at(7), "it was 0, and the first batch ended at 5"
    assert query.planner.plan(at(7), at(5)) == ()


def test_a_partition_that_is_deleted_before_the_first_batch_is_planned_is_a_loss() -> None:
    cluster = FakeCluster({T0: Log(0, 5), T1: Log(0, 5)})
    query = Query(cluster, startingOffsets="earliest")
    start = query.planner.initial_offset()
    del cluster.logs[T1]
    with pytest.raises(DataLossError, match=r"t\[1\] no longer exists"):
        query.batch(start)


@pytest.mark.parametrize("start", [{"startingOffsets": '{"t":{"0":9}}'}, {"startingOffsets": "group", "groupId": "g"}])
def test_a_start_beyond_the_log_is_a_loss_also_if_its_batch_is_repeated(start: dict[str, str]) -> None:
    cluster = FakeCluster({T0: Log(0, 5)}, committed={T0: 9})
    for repeated in (False, True):
        query = Query(cluster, **start)
        assert query.planner.initial_offset() == at(9)
        if not repeated:
            assert query.planner.latest_offset(at(9), UNLIMITED) == at(5)
        with pytest.raises(DataLossError, match=r"t\[0\] was read up to offset 9 and now ends at 5"):
            query.planner.plan(at(9), at(5))


@pytest.mark.parametrize("start", ["earliest", "latest"])
def test_a_partition_that_came_before_a_first_batch_is_repeated_waits_for_the_next(start: str) -> None:
    query = Query(FakeCluster({T0: Log(0, 5), T1: Log(0, 2)}), startingOffsets=start)
    query.planner.initial_offset()
    begin = at(0, 0) if start == "earliest" else at(5, 2)
    assert [str(planned) for (planned,) in query.planner.plan(begin, at(4))] == ["t[0] 0..4"] * (start == "earliest")
    assert query.batch(at(4)) == (at(5, 2), ["t[0] 4..5", "t[1] 0..2"])

"""Which options are refused when a query is loaded, before it is known to be a batch or a stream; and its tasks."""

from __future__ import annotations

import pickle

import pytest

pytest.importorskip("pyspark")

from kafka_nextgen.spark.errors import StartBeyondEndError
from kafka_nextgen.spark.source import batch_reader, schema_of
from kafka_nextgen.testing import Cluster
from tests.spark.tasks import close_kept_consumers, offsets
from tests.support.clients import produce

OPTIONS = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "t"}


def test_a_start_that_only_a_stream_can_have_is_taken() -> None:
    assert "headers" not in schema_of({**OPTIONS, "startingOffsets": "latest"}).names


def test_headers_are_a_column_if_they_are_asked_for() -> None:
    assert "headers" in schema_of({**OPTIONS, "includeHeaders": "true"}).names


def test_what_is_wrong_with_a_batch_is_said_of_a_query_with_an_end() -> None:
    beyond = {"startingOffsets": '{"t":{"0":5}}', "endingOffsets": '{"t":{"0":2}}'}
    with pytest.raises(StartBeyondEndError, match=r"5 > 2"):
        schema_of({**OPTIONS, **beyond})


@pytest.mark.parametrize(("least", "tasks"), [({}, 1), ({"minRecordsPerPartition": "1"}, 3)])
def test_tasks_read_what_was_planned_in_another_process(least: dict[str, str], tasks: int) -> None:
    with Cluster() as cluster:
        cluster.create_topic("t", 3)
        produce(cluster.bootstrap_servers, "t", 30, partitions=3)
        options = {"kafka.bootstrap.servers": cluster.bootstrap_servers, "subscribe": "t", **least}
        reader = batch_reader(options, schema_of(options))
        planned = pickle.loads(pickle.dumps(reader.partitions()))
        copy = pickle.loads(pickle.dumps(reader))
        found = [offset for each in planned for offset in offsets(copy.read(each))]
        close_kept_consumers()
    assert len(planned) == tasks
    assert sorted(found) == sorted([*range(10)] * 3)

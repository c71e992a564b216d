"""One checkpoint, read on by either source in turn: no record is lost, none comes twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pyspark.checkpoints import batches_done, ends_of_batches, forget_last_commit
from tests.pyspark.sources import BUILT_IN, OURS, Format, Sources, assert_same_rows
from tests.pyspark.topics import write
from tests.support.clients import create_topic
from tests.support.kafka_server import KafkaServer

PARTITIONS = 3
A_RUN = 40


@pytest.fixture
def topic(newest_kafka: KafkaServer) -> str:
    return create_topic(newest_kafka.bootstrap_servers, "handed-over", PARTITIONS)


def add_records(servers: str, topic: str, count: int = A_RUN) -> None:
    for partition in range(PARTITIONS):
        values = [b"%d of %d" % (number, partition) for number in range(count)]
        write(servers, topic, values, partition)


@pytest.mark.oldest_spark
@pytest.mark.parametrize("turns", [(BUILT_IN, OURS, BUILT_IN), (OURS, BUILT_IN, OURS)], ids="-".join)
def test_a_checkpoint_is_handed_over_and_back(
    sources: Sources, topic: str, tmp_path: Path, turns: tuple[Format, ...]
) -> None:
    checkpoint, output = tmp_path / "checkpoint", tmp_path / "rows"
    for number, format in enumerate(turns, 1):
        add_records(sources.bootstrap_servers, topic)
        options = {"subscribe": topic, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 90}
        sources.run(format, checkpoint, output, **options)
        assert ends_of_batches(checkpoint)[-1] == {topic: {str(p): A_RUN * number for p in range(PARTITIONS)}}
    assert len(batches_done(checkpoint)) >= 2 * len(turns)
    expected = sources.batch(BUILT_IN, subscribe=topic)
    assert_same_rows(expected, sources.written(output), A_RUN * PARTITIONS * len(turns))


@pytest.mark.parametrize("turns", [(BUILT_IN, OURS), (OURS, BUILT_IN)], ids="-".join)
def test_a_batch_that_one_planned_is_read_by_the_other(
    sources: Sources, topic: str, tmp_path: Path, turns: tuple[Format, Format]
) -> None:
    first, second = turns
    checkpoint = tmp_path / "checkpoint"
    add_records(sources.bootstrap_servers, topic)
    options = {"subscribe": topic, "startingOffsets": "earliest", "maxOffsetsPerTrigger": 60}
    sources.run(first, checkpoint, tmp_path / "first", **options)
    forget_last_commit(checkpoint)
    add_records(sources.bootstrap_servers, topic, 5)
    sources.run(second, checkpoint, tmp_path / "second", **options)
    first_end, second_end = (ends_of_batches(checkpoint)[index][topic]["0"] for index in (0, -1))
    assert (first_end, second_end) == (20, A_RUN + 5)
    expected = sources.batch(BUILT_IN, subscribe=topic).where(f"offset >= {first_end}")
    assert_same_rows(expected, sources.written_since(tmp_path / "second"), (second_end - first_end) * PARTITIONS)

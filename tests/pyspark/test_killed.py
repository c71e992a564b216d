"""A streaming query that is killed (SIGKILL) and started again writes each record once; its group is never ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from kafka_nextgen.testing.real_kafka.maven import find_java
from tests.conftest import or_skip
from tests.pyspark.killing.judging import ahead, differences, gone_back, unequal
from tests.pyspark.killing.kills import Kill, draw_kills
from tests.pyspark.killing.places import Place, Stage, end_of_batch, place_of
from tests.pyspark.killing.processes import Target
from tests.pyspark.killing.run import run_kills
from tests.support.kafka_server import KafkaServer
from tests.support.spark_connector import spark_connector_jars

#: One of each target; the long form is ``python -m tests.pyspark.killing``.
KILLS = (
    Kill(Target.WORKER, Stage.READING, delay_s=0.0),
    Kill(Target.DRIVER, Stage.WRITTEN, delay_s=0.7),
    Kill(Target.PLANNER, Stage.READING, delay_s=0.4),
)

EXPECTED = {(0, 0): b"a", (0, 1): b"b", (2, 5): b"c"}


@pytest.fixture
def bootstrap_servers(newest_kafka: KafkaServer) -> str:
    """Where Kafka is, if Spark can be started, too."""
    or_skip(find_java)
    or_skip(spark_connector_jars)
    return newest_kafka.bootstrap_servers


@pytest.mark.timeout(600)
def test_a_query_that_is_killed_writes_each_record_once(
    bootstrap_servers: str, tmp_path: Path, figures: Callable[[str], None]
) -> None:
    summary = run_kills(bootstrap_servers, tmp_path, KILLS, figures)
    assert list(summary.findings) == [], f"the log of the drivers is in {tmp_path}"
    assert [(killed.kill.target, killed.place.stage) for killed in summary.killed] == [
        (kill.target, kill.stage) for kill in KILLS
    ]
    assert summary.rows == summary.records > 0
    assert summary.looks > len(KILLS)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([(0, 0, b"a"), (2, 5, b"c"), (0, 1, b"b")], []),
        ([(0, 0, b"a"), (2, 5, b"c")], ["1 rows are missing, first partition 0 offset 1"]),
        (
            [(0, 0, b"a"), (0, 1, b"b"), (0, 1, b"b"), (2, 5, b"c")],
            ["1 rows are there more than once, first partition 0 offset 1"],
        ),
        (
            [(0, 0, b"a"), (0, 1, b"b"), (1, 0, b"aborted"), (2, 5, b"c")],
            ["1 rows are there, and no committed record, first partition 1 offset 0"],
        ),
        (
            [(0, 0, b"a"), (0, 1, b"x"), (2, 5, b"c")],
            ["1 rows are there with another value, first partition 0 offset 1"],
        ),
    ],
)
def test_rows_are_compared_with_records(rows: list[tuple[int, int, bytes]], told: list[str]) -> None:
    assert list(differences(EXPECTED, rows)) == told


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (ahead({}, {}), []),
        (ahead({0: 0}, {}), []),
        (ahead({0: 4, 1: 3}, {0: 4, 1: 5}), []),
        (ahead({0: 1}, {}), ["the group is at 1 of partition 0, and 0 is done"]),
        (ahead({0: 4, 1: 6}, {0: 4, 1: 5}), ["the group is at 6 of partition 1, and 5 is done"]),
        (gone_back({0: 4}, {}), []),
        (gone_back({0: 4, 1: 1}, {0: 4}), []),
        (gone_back({0: 3}, {0: 4}), ["the group went back from 4 to 3 of partition 0"]),
        (gone_back({}, {0: 4}), ["the group went back from 4 to None of partition 0"]),
        (unequal({0: 4}, {0: 4}), []),
        (unequal({0: 4}, {0: 5}), ["the group ends at {0: 4}, the last batch at {0: 5}"]),
    ],
)
def test_a_group_is_compared_with_a_checkpoint(found: Iterable[str], told: list[str]) -> None:
    assert list(found) == told


@pytest.mark.parametrize(
    ("files", "place", "stage"),
    [
        ([], Place(-1, -1, -1), Stage.BEGINNING),
        (["checkpoint/offsets/0"], Place(0, -1, -1), Stage.READING),
        (["checkpoint/offsets/0", "rows/_spark_metadata/0"], Place(0, 0, -1), Stage.WRITTEN),
        (["checkpoint/offsets/0", "rows/_spark_metadata/0", "checkpoint/commits/0"], Place(0, 0, 0), Stage.PLANNING),
        (
            [
                "checkpoint/offsets/9",
                "checkpoint/offsets/10",
                "checkpoint/offsets/.11.crc",
                "rows/_spark_metadata/9.compact",
                "checkpoint/commits/9",
            ],
            Place(10, 9, 9),
            Stage.READING,
        ),
    ],
)
def test_files_say_where_a_query_is(tmp_path: Path, files: list[str], place: Place, stage: Stage) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text('v1\n{}\n{"orders":{"0":7,"1":9}}')
    assert place_of(tmp_path) == place
    assert place.stage is stage
    assert end_of_batch(tmp_path, place.planned) == ({} if place.planned < 0 else {0: 7, 1: 9})


def test_kills_are_drawn_from_a_seed() -> None:
    kills = draw_kills(20, 1)
    assert kills == draw_kills(20, 1) != draw_kills(20, 2)
    assert {kill.target for kill in kills} == set(Target)
    assert len(kills) == 20

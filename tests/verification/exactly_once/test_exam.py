"""The exam itself: what its judge notices, and a short run of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.kafka_server import KafkaServer
from tests.verification.exactly_once.exam import run_exam
from tests.verification.exactly_once.judging import judge


@pytest.mark.parametrize(
    ("read", "finding"),
    [
        ({0: [0, 2, 4], 1: [1, 3]}, []),
        ({0: [0, 4], 1: [1, 3]}, ["partition 0: 1 lost, such as 2"]),
        ({0: [0, 2, 4], 1: [1, 1, 3]}, ["partition 1: 1 doubled, such as 1"]),
        ({0: [0, 2, 4, 6], 1: [1, 3]}, ["partition 0: 1 of no input, such as 6"]),
        ({0: [2, 0, 4], 1: [1, 3]}, ["partition 0: not in order"]),
    ],
)
def test_the_judge_sees_what_is_lost_doubled_foreign_or_out_of_order(
    read: dict[int, list[int]], finding: list[str]
) -> None:
    assert judge(read, 5) == finding


@pytest.mark.whole
@pytest.mark.parametrize("kind", ["confluent-kafka", "kafka-python"])
def test_a_short_exam_finds_nothing(
    kafka: KafkaServer, tmp_path: Path, figures: Callable[[str], None], kind: str
) -> None:
    summary = run_exam(
        kafka.bootstrap_servers, tmp_path, seed=1, kills=5, kind=kind, say=figures, size=3, per_second=200
    )
    assert summary.findings == [], (tmp_path / "workers.log").read_text()[-4000:]
    assert summary.kills == 5
    figures(f"{kind}: {summary}")

"""Writes values to the stage's topic, which is created if it is not there."""

from __future__ import annotations

from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.engine.stage import TOPIC, Stage

Headers = list[tuple[str, bytes]]


def write(stage: Stage, *values: bytes | None, headers: Headers = []) -> None:  # noqa: B006
    if stage.cluster._broker._cluster.topics.named(TOPIC) is None:
        stage.create()
    stage.append(0, encode_batch([NewRecord(value, headers=tuple(headers)) for value in values]))

"""``commit_async(callback=...)``: called where the application polls, and not on the I/O thread."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest

from kafka_nextgen import OffsetAndMetadata, TopicPartition
from tests.engine.stage import Stage, poll_until, read, tp

Heard = list[tuple[dict[TopicPartition, int], str | None, str]]


class Hears:
    """Keeps the offsets, what went wrong, and on which thread it heard of it."""

    def __init__(self) -> None:
        self.calls: Heard = []

    def __call__(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], error: BaseException | None) -> None:
        at = {partition: offset.offset for partition, offset in offsets.items()}
        self.calls.append((at, None if error is None else type(error).__name__, threading.current_thread().name))


ME = threading.current_thread().name


def test_it_hears_what_was_committed_where_the_application_polls(stage: Stage) -> None:
    stage.create(1, records=10)
    heard = Hears()
    with stage.subscribed(enable_auto_commit=False) as consumer:
        read(consumer, 10)
        consumer.commit_async(callback=heard).result(10)
        assert heard.calls == []
        poll_until(consumer, lambda: bool(heard.calls))
    assert heard.calls == [({tp(): 10}, None, ME)]
    assert stage.committed() == {0: 10}


def test_it_hears_of_the_last_ones_while_the_consumer_closes(stage: Stage) -> None:
    stage.create(1, records=10)
    heard = Hears()
    with stage.subscribed(enable_auto_commit=False) as consumer:
        read(consumer, 10)
        for offset in range(1, 4):
            consumer.commit_async({tp(): offset}, heard)
    assert heard.calls == [({tp(): offset}, None, ME) for offset in range(1, 4)]


def test_it_hears_what_went_wrong(stage: Stage) -> None:
    stage.create(1, records=10)
    heard = Hears()
    with stage.subscribed(enable_auto_commit=False) as consumer:
        read(consumer, 10)
        consumer.commit_async({tp(): OffsetAndMetadata(1, metadata="too long" * 1000)}, heard)
        poll_until(consumer, lambda: bool(heard.calls))
    assert heard.calls == [({tp(): 1}, "CommitFailedError", ME)]


def test_what_it_raises_is_raised_there(stage: Stage) -> None:
    stage.create(1, records=10)

    def fail(_offsets: object, _error: object) -> None:
        raise ZeroDivisionError("mine")

    with stage.subscribed(enable_auto_commit=False) as consumer:
        read(consumer, 10)
        consumer.commit_async(callback=fail)
        with pytest.raises(ZeroDivisionError, match="mine"):
            poll_until(consumer, lambda: False)

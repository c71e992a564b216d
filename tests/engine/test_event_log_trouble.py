"""An event log that can't write, or is not closed: the consumer goes on, and loses no record."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kafka_nextgen import EventLog, FileSink, Hooks
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.log_reader import Problems, read_log
from kafka_nextgen.history.queued_sink import DeliveryResult, QueuedSink
from tests.collecting.members import Kept
from tests.engine.event_logs import LIFE, kinds
from tests.engine.stage import TOPIC, Stage, read, values
from tests.support.waiting import eventually

WRITES = "kafka_nextgen.history.queued_sink"


class Stuck:
    """A disk that does not answer."""

    def __init__(self) -> None:
        self.is_asked = threading.Event()
        self.answers = threading.Event()

    def deliver(self, events: Sequence[Event]) -> DeliveryResult:
        self.is_asked.set()
        self.answers.wait()
        return DeliveryResult(len(events))

    def interrupt(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def read_all(stage: Stage) -> Callable[..., None]:
    """Read and commit a topic with these hooks, and miss nothing."""

    def run(*hooks: Hooks) -> None:
        with stage.consumer() as consumer:
            for each in hooks:
                consumer.hooks.add(each)
            consumer.subscribe([TOPIC])
            for upto in (10, 20):
                assert values(read(consumer, 10)) == list(range(upto - 10, upto))
                consumer.commit()
        assert stage.committed() == {0: 20}

    stage.create(records=20)
    return run


@pytest.mark.parametrize("place", ["/dev/full", "gone/log.jsonl", "file/log.jsonl"])
def test_what_can_t_be_written_is_told_once(
    read_all: Callable[..., None], tmp_path: Path, caplog: pytest.LogCaptureFixture, place: str
) -> None:
    (tmp_path / "file").touch()
    sink = FileSink(tmp_path / place)  # an absolute path stays what it is
    with caplog.at_level(logging.WARNING):
        read_all(EventLog(sink))
        eventually("all is given up", lambda: sink.dropped >= 5)
    told = [record for record in caplog.records if record.name == WRITES]
    assert len(told) == 1, caplog.messages
    assert "events can't be written, and are tried again" in told[0].getMessage()
    assert sink.written == 0
    assert caplog.records == told


def test_a_disk_that_does_not_answer_keeps_nothing_waiting(read_all: Callable[..., None]) -> None:
    target = Stuck()
    sink = QueuedSink(target, "stuck", capacity=2)
    read_all(EventLog(sink))  # the I/O thread tells of a join, commits and the end, and has waited for none of it
    assert target.is_asked.is_set()
    assert sink.written == 0
    assert sink.dropped >= 2
    target.answers.set()


def test_close_takes_no_longer_than_it_may_for_a_disk_that_does_not_answer(stage: Stage) -> None:
    target, timeouts = Stuck(), list[float]()

    class Noting(QueuedSink):
        def close(self, timeout_s: float = 5.0) -> None:
            timeouts.append(timeout_s)
            super().close(timeout_s)

    stage.create(records=1)
    consumer = stage.consumer()
    consumer.hooks.add(EventLog(Noting(target, "stuck")))
    consumer.subscribe([TOPIC])
    read(consumer, 1)
    consumer.close(timeout=2)
    assert len(timeouts) == 1
    assert 0 < timeouts[0] <= 2
    target.answers.set()


def test_a_log_is_rotated_and_complete(stage: Stage, tmp_path: Path) -> None:
    stage.create(records=20)
    sink = FileSink(tmp_path / "log.jsonl", max_bytes=1)
    with stage.consumer() as consumer:
        consumer.hooks.add(EventLog(sink))
        consumer.subscribe([TOPIC])
        for _ in range(4):
            read(consumer, 5)
            written = sink.written
            consumer.commit()
            eventually("it is written", lambda before=written: sink.written > before)  # type: ignore[misc]
    assert len(list(tmp_path.iterdir())) > 2
    assert kinds(tmp_path) == LIFE
    committed = [event.offset for event in read_log([tmp_path], Problems()) if event.kind is EventKind.COMMITTED]
    assert sorted(offset or 0 for offset in committed) == [5, 10, 15, 20]


class Broken(Hooks):
    """Raises whatever it is told."""

    def __getattribute__(self, name: str) -> object:
        if name in vars(Hooks) and name != "processing" and not name.startswith("_"):
            raise ZeroDivisionError(name)
        return super().__getattribute__(name)


class Refuses(Kept):
    """A sink that breaks its promise."""

    def write(self, event: Event) -> None:
        raise ZeroDivisionError("write")


def test_hooks_that_raise_are_logged_and_harm_no_other(
    read_all: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    kept = Kept()
    with caplog.at_level(logging.ERROR, "kafka_nextgen.hooks"):
        read_all(Broken(), EventLog(Refuses()), EventLog(kept))
    lasting = [event.kind.value for event in kept.events if event.kind is not EventKind.COMMITTED]
    assert lasting == LIFE
    assert kept.is_closed
    assert {record.getMessage().split()[0] for record in caplog.records} == {"Broken", "EventLog"}


def test_hooks_that_are_removed_are_told_once(stage: Stage) -> None:
    kept = Kept()
    log = EventLog(kept)
    stage.create(records=1)
    with stage.consumer() as consumer:
        consumer.hooks.add(log)
        consumer.hooks.remove(log)
        assert kept.is_closed
        kept.is_closed = False
        consumer.hooks.remove(log)
        consumer.subscribe([TOPIC])
        read(consumer, 1)
    assert not kept.is_closed
    assert kept.events == []

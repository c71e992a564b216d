"""How an event log ends, with its consumer, however that ends; and one that can't write: the consumer goes on."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, EventLog, FileSink, Hooks, MisuseError
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.log_reader import Problems, read_log
from kafka_nextgen.history.queued_sink import DeliveryResult, QueuedSink
from tests.collecting.members import Kept
from tests.engine.stage import TOPIC, Stage, poll_until, read, read_async, values
from tests.support.forking import in_forked_process
from tests.support.waiting import eventually

WRITES = "kafka_nextgen.history.queued_sink"
#: All that a member tells that comes, stays alone, and leaves.
LIFE = ["joined", "assigned", "revoked", "left"]


def events_in(path: Path) -> list[Event]:
    """What the logs there tell; every line can be read."""
    problems = Problems()
    events = sorted(read_log([path], problems), key=lambda event: event.seq)
    assert not problems
    return events


def kinds(path: Path) -> list[str]:
    return [event.kind.value for event in events_in(path) if event.kind is not EventKind.COMMITTED]


def committed(path: Path) -> list[int | None]:
    return [event.offset for event in events_in(path) if event.kind is EventKind.COMMITTED]


def threads_of_logs() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("kafka_nextgen history")]


# ---- endings


def test_a_consumer_that_is_dropped_closes_its_log(stage: Stage, tmp_path: Path) -> None:
    stage.create(records=1)
    consumer = stage.subscribed(history_log_dir=str(tmp_path))
    poll_until(consumer, lambda consumer=consumer: bool(consumer.rebalances()))  # type: ignore[misc]
    with pytest.warns(ResourceWarning, match="without close"):
        del consumer
    eventually("its thread ends", lambda: not threads_of_logs())
    assert kinds(tmp_path) == ["joined", "assigned"]


def test_a_consumer_that_can_t_be_made_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("kafka_nextgen.engine.engine.Membership", None)
        with pytest.raises(TypeError):
            Consumer(bootstrap_servers="localhost:1", group_id="g", history_log_dir=str(tmp_path))
    eventually("all have ended", lambda: set(threading.enumerate()) <= before)


_READS = """
import sys
from kafka_nextgen import Consumer, Hooks
ended = []
class Ended(Hooks):  # called after the log's hooks, which have enqueued the event by then
    def rebalanced(self, rebalance):
        ended.append(rebalance)
consumer = Consumer(bootstrap_servers=sys.argv[1], group_id="billing", history_log_dir=sys.argv[2])
consumer.hooks.add(Ended())
consumer.subscribe(["orders"])
while not ended:
    consumer.poll(0.1)
raise SystemExit("not closed")
"""


def test_what_waits_is_written_when_the_interpreter_exits(stage: Stage, tmp_path: Path) -> None:
    stage.create()
    command = [sys.executable, "-c", _READS, stage.cluster.bootstrap_servers, str(tmp_path)]
    ended = subprocess.run(command, check=False, capture_output=True)
    assert (ended.returncode, ended.stderr) == (1, b"not closed\n")
    assert kinds(tmp_path) == ["joined", "assigned"]


def test_a_forked_child_neither_writes_nor_closes_its_parents_log(stage: Stage, tmp_path: Path) -> None:
    stage.create(records=2)
    with stage.subscribed(history_log_dir=str(tmp_path)) as consumer:
        read(consumer, 1)

        def poll_and_close_in_child() -> None:
            with pytest.raises(MisuseError):
                consumer.poll(0)
            consumer.close()

        in_forked_process(poll_and_close_in_child)
        read(consumer, 1)
    assert kinds(tmp_path) == LIFE
    assert not threads_of_logs()


async def test_an_awaited_consumer_closes_its_log_beside_the_loop(stage: Stage, tmp_path: Path) -> None:
    stage.create(records=3)
    async with AsyncConsumer(**stage.config(history_log_dir=str(tmp_path))) as consumer:
        await consumer.subscribe([TOPIC])
        assert values(await read_async(consumer, 3)) == [0, 1, 2]
        await consumer.commit()
    assert kinds(tmp_path) == LIFE
    assert committed(tmp_path) == [3]
    assert not threads_of_logs()


@pytest.mark.parametrize("again", ["stop", "each"])
def test_a_close_that_is_interrupted_is_finished_by_the_next(
    stage: Stage, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(argument: object) -> None:
        if threading.current_thread() is not threading.main_thread():
            original(argument)  # hooks of the I/O thread
            return
        monkeypatch.undo()
        raise KeyboardInterrupt

    kept = Kept()
    consumer = stage.after_reading(1)
    consumer.hooks.add(EventLog(kept))
    owner = consumer._core.engine.thread if again == "stop" else consumer.hooks
    original = getattr(owner, again)
    monkeypatch.setattr(owner, again, interrupted)
    with pytest.raises(KeyboardInterrupt):
        consumer.close()
    consumer.close()
    assert kept.is_closed
    assert stage.members() == 0


def test_a_log_is_rotated_and_complete(stage: Stage, tmp_path: Path) -> None:
    stage.create(records=20)
    sink = FileSink(tmp_path / "log.jsonl", max_bytes=1)
    with stage.subscribed(hooks=[EventLog(sink)]) as consumer:
        for _ in range(4):
            read(consumer, 5)
            written = sink.written
            consumer.commit()
            eventually("it is written", lambda before=written: sink.written > before)  # type: ignore[misc]
    assert len(list(tmp_path.iterdir())) > 2
    assert kinds(tmp_path) == LIFE
    assert committed(tmp_path) == [5, 10, 15, 20]


# ---- trouble


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
        with stage.subscribed(hooks=hooks) as consumer:
            for upto in (10, 20):
                assert values(read(consumer, 10)) == list(range(upto - 10, upto))
                consumer.commit()
        assert stage.committed() == {0: 20}

    stage.create(records=20)
    return run


def test_what_can_t_be_written_is_told_once(
    read_all: Callable[..., None], tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kafka_nextgen.event_log.CLOSE_TIMEOUT_S", 0.1)  # a few attempts
    (tmp_path / "file").touch()
    sinks = [FileSink(tmp_path / place) for place in ("/dev/full", "gone/log.jsonl", "file/log.jsonl")]
    with caplog.at_level(logging.WARNING):
        read_all(*map(EventLog, sinks))
        eventually("all is given up", lambda: all(sink.dropped >= 5 for sink in sinks))
    told = [record for record in caplog.records if record.name == WRITES]
    assert len(told) == 3, caplog.messages
    assert all("events can't be written; retrying" in record.getMessage() for record in told)
    assert [sink.written for sink in sinks] == [0, 0, 0]
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

    consumer = stage.after_reading(1)
    consumer.hooks.add(EventLog(Noting(target, "stuck")))
    consumer.close(timeout=0.5)
    assert len(timeouts) == 1
    assert 0 <= timeouts[0] <= 0.5
    target.answers.set()


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
    assert [event.kind.value for event in kept.events if event.kind is not EventKind.COMMITTED] == LIFE
    assert kept.is_closed
    assert {record.getMessage().split()[0] for record in caplog.records} == {"Broken", "EventLog"}
    told = {str(record.exc_info[1]) for record in caplog.records if record.exc_info}
    assert {"received", "committed", "rebalanced", "write"} <= told


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

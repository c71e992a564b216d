"""What a sink promises, with a target that does what the test says."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from attrs import define, field

from kafka_nextgen.history.events import EVENTS_DROPPED, Event, EventKind
from kafka_nextgen.history.queued_sink import DeliveryResult, QueuedSink
from tests.history.making import event
from tests.support.forking import in_forked_process
from tests.support.waiting import GUARD_S, eventually


@define
class FakeTarget:
    """Keeps events; ``error`` makes it fail, a cleared ``gate`` makes it block, ``poison`` is refused."""

    kept: list[Event] = field(factory=list)
    error: Exception | None = None
    gate: threading.Event = field(factory=threading.Event)
    asked: int = 0
    is_closed: bool = False
    poison: frozenset[int] = frozenset()

    def deliver(self, events: Sequence[Event]) -> DeliveryResult:
        self.asked += 1
        assert self.gate.wait(GUARD_S)
        if self.error is not None:
            return DeliveryResult(0, 0, self.error)
        for number, each in enumerate(events):
            if each.seq in self.poison and each.kind is not EventKind.ERROR:
                return DeliveryResult(number, 1)
            self.kept.append(each)
        return DeliveryResult(len(events))

    def interrupt(self) -> None:
        self.gate.set()

    def close(self) -> None:
        self.is_closed = True


def open_target() -> FakeTarget:
    target = FakeTarget()
    target.gate.set()
    return target


def sink_on(target: FakeTarget, capacity: int = 100_000) -> QueuedSink:
    return QueuedSink(target, "fake", capacity=capacity, linger_s=0.0, retry_s=0.01)


def test_events_of_many_threads_all_arrive_in_each_thread_s_order() -> None:
    target = open_target()
    sink = sink_on(target)

    def write(name: str) -> None:
        for seq in range(2_000):
            sink.write(event(seq, source=name))

    threads = [threading.Thread(target=write, args=(f"consumer:{number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sink.close(GUARD_S)
    by_source = defaultdict(list)
    for each in target.kept:
        by_source[each.source].append(each.seq)
    assert dict(by_source) == {f"consumer:{number}": list(range(2_000)) for number in range(8)}
    assert (sink.written, sink.dropped, target.is_closed) == (16_000, 0, True)


def test_what_finds_the_queue_full_is_dropped_and_told_once_for_each_group() -> None:
    target = FakeTarget()  # its gate is shut
    sink = sink_on(target, capacity=3)
    sink.write(event(0))
    eventually("the first event is taken", lambda: target.asked == 1)
    for seq in range(1, 7):
        sink.write(event(seq))
    sink.write(event(7, group="other"))
    assert sink.dropped == 4
    target.gate.set()
    sink.close(GUARD_S)
    told = [each for each in target.kept if each.kind is EventKind.ERROR]
    assert [each.seq for each in target.kept if each.kind is EventKind.LAG] == [0, 1, 2, 3]
    assert [(each.group, each.seq, each.cause) for each in told] == [
        ("billing", 6, EVENTS_DROPPED),
        ("other", 7, EVENTS_DROPPED),
    ]
    assert told[0].reason == "3 events of this source were dropped before this point"
    assert (sink.written, sink.dropped) == (6, 4)


def test_a_failure_is_logged_once_and_what_waited_is_written_when_it_is_over(caplog: pytest.LogCaptureFixture) -> None:
    target = open_target()
    target.error = OSError("disk full")
    sink = sink_on(target)
    with caplog.at_level(logging.WARNING):
        sink.write(event(1))
        eventually("it was tried again and again", lambda: target.asked > 5)
        target.error = None
        eventually("it is written", lambda: [each.seq for each in target.kept] == [1])
        sink.close()
    assert [record.getMessage() for record in caplog.records] == [
        "fake: events can't be written; retrying: disk full",
        "fake: writing events works again; 0 were dropped so far",
    ]


def test_what_can_never_be_written_is_dropped_and_the_rest_is_written() -> None:
    target = open_target()
    target.poison = frozenset({2, 3})
    sink = sink_on(target)
    for seq in range(5):
        sink.write(event(seq))
    sink.close(GUARD_S)
    assert [each.seq for each in target.kept if each.kind is EventKind.LAG] == [0, 1, 4]
    assert sink.dropped == 2


def test_a_defect_of_the_target_costs_its_batch_only(caplog: pytest.LogCaptureFixture) -> None:
    target = open_target()
    sink = sink_on(target)
    target.poison = None  # type: ignore[assignment]  # so it raises
    sink.write(event(1))
    eventually("the event is lost", lambda: sink.dropped == 1)
    target.poison = frozenset()
    sink.write(event(2))
    sink.close(GUARD_S)
    assert 2 in [each.seq for each in target.kept]
    assert "events are lost" in caplog.text


def test_close_gives_up_in_time_and_counts_what_was_not_written() -> None:
    target = open_target()
    target.error = OSError("gone")
    sink = sink_on(target)
    for seq in range(10):
        sink.write(event(seq))
    sink.close(0.1)
    eventually("it has given up", lambda: target.is_closed)
    assert (sink.written, sink.dropped) == (0, 10)
    sink.write(event(11))
    sink.close()
    assert (sink.written, sink.dropped) == (0, 11)


def test_close_interrupts_a_target_that_hangs() -> None:
    target = FakeTarget(error=OSError("gone"))  # its gate is shut
    sink = sink_on(target)
    sink.write(event(1))
    eventually("the event is taken", lambda: target.asked == 1)
    sink.write(event(2))
    sink.close(0.1)
    eventually("it has given up", lambda: target.is_closed)
    assert (sink.written, sink.dropped) == (0, 2)


def test_what_is_no_event_never_raises() -> None:
    target = FakeTarget()
    sink = sink_on(target, capacity=1)
    for _ in range(3):
        sink.write(None)  # type: ignore[arg-type]
    sink.write(event(1))
    target.gate.set()
    sink.close(GUARD_S)
    assert sink.dropped > 0


def test_a_signal_handler_may_write_at_any_moment() -> None:
    target = open_target()
    sink = sink_on(target, capacity=50)  # so small that writes and drops both happen
    handled = 0

    def handle(number: int, frame: object) -> None:
        nonlocal handled
        sink.write(event(handled, source="consumer:handler"))
        handled += 1

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
    try:
        written = 0
        while handled < 200:
            sink.write(event(written))
            written += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    sink.close(GUARD_S)
    told = sum(each.kind is EventKind.ERROR for each in target.kept)
    assert sink.written - told + sink.dropped == written + handled
    assert sink.written == len(target.kept)


def test_a_forked_process_writes_nothing_and_waits_for_nothing() -> None:
    target = open_target()
    sink = sink_on(target)

    def write_in_child() -> None:
        sink.write(event(1))
        sink.close()
        assert sink.dropped == 1

    in_forked_process(write_in_child)
    sink.write(event(2))
    sink.close(GUARD_S)
    assert [each.seq for each in target.kept] == [2]


def test_a_sink_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="capacity must be 1 or more"):
        sink_on(open_target(), capacity=0)


_WRITES = """
import sys
from tests.history.making import event
from kafka_nextgen.history.file_sink import FileSink
sink = FileSink(sys.argv[1])
for seq in range(5000):
    sink.write(event(seq))
if sys.argv[2] == "raise":
    raise SystemExit("not closed")
"""


@pytest.mark.parametrize("how", ["end", "raise"])
def test_what_was_written_before_the_interpreter_exits_is_in_the_file(tmp_path: Path, how: str) -> None:
    path = tmp_path / "log.jsonl"
    subprocess.run([sys.executable, "-c", _WRITES, str(path), how], timeout=GUARD_S, check=False)
    assert path.read_text().count("\n") == 5000

"""How an event log ends: with its consumer, however that ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kafka_nextgen import AsyncConsumer, Consumer, EventLog, MisuseError, Record
from kafka_nextgen.history.events import EventKind
from kafka_nextgen.history.log_reader import Problems, read_log
from tests.collecting.members import Kept
from tests.engine.event_logs import LIFE, kinds
from tests.engine.stage import TOPIC, Stage, read, values
from tests.support.waiting import eventually


def threads_of_logs() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("kafka_nextgen history")]


def test_a_consumer_that_is_dropped_closes_its_log(stage: Stage, tmp_path: Path) -> None:
    stage.create(records=1)
    consumer = stage.consumer(history_log_dir=str(tmp_path))
    consumer.subscribe([TOPIC])
    while not consumer.rebalances():
        consumer.poll(0.1)
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
from kafka_nextgen import Consumer
consumer = Consumer(bootstrap_servers=sys.argv[1], group_id="billing", auto_offset_reset="earliest",
                    history_log_dir=sys.argv[2])
consumer.subscribe([sys.argv[3]])
while not consumer.rebalances():
    consumer.poll(0.1)
if sys.argv[4] == "raise":
    raise SystemExit("not closed")
if sys.argv[4] == "close":
    consumer.close()
"""


@pytest.mark.parametrize("how", ["end", "raise", "close"])
def test_what_waits_is_written_when_the_interpreter_exits(stage: Stage, tmp_path: Path, how: str) -> None:
    stage.create(records=1)
    arguments = [stage.cluster.bootstrap_servers, str(tmp_path), TOPIC, how]
    ended = subprocess.run([sys.executable, "-c", _READS, *arguments], timeout=60, check=False, capture_output=True)
    assert (ended.returncode, ended.stderr) == ((1, b"not closed\n") if how == "raise" else (0, b""))
    assert kinds(tmp_path) == (LIFE if how == "close" else ["joined", "assigned"])


def test_a_forked_child_neither_writes_nor_closes_its_parents_log(stage: Stage, tmp_path: Path) -> None:
    stage.create(records=2)
    with stage.subscribed(history_log_dir=str(tmp_path)) as consumer:
        read(consumer, 1)
        child = os.fork()
        if child == 0:
            try:
                consumer.poll(0)
            except MisuseError:
                consumer.close()
                os._exit(0)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        read(consumer, 1)
    assert kinds(tmp_path) == LIFE
    assert not threads_of_logs()


def test_an_awaited_consumer_closes_its_log_beside_the_loop(stage: Stage, tmp_path: Path) -> None:
    stage.create(records=3)

    async def run() -> None:
        async with AsyncConsumer(**stage.config(history_log_dir=str(tmp_path))) as consumer:
            await consumer.subscribe([TOPIC])
            seen = [record async for record in take(consumer, 3)]
            assert values(seen) == [0, 1, 2]
            await consumer.commit()

    async def take(consumer: AsyncConsumer, count: int) -> AsyncIterator[Record]:
        while count:
            for record in await consumer.poll(0.1, max_records=count):
                count -= 1
                yield record

    asyncio.run(run())
    assert kinds(tmp_path) == LIFE
    committed = [event.offset for event in read_log([tmp_path], Problems()) if event.kind is EventKind.COMMITTED]
    assert committed == [3]
    assert not threads_of_logs()


@pytest.mark.parametrize("again", ["stop", "each"])
def test_a_close_that_is_interrupted_is_finished_by_the_next(
    stage: Stage, again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept()
    stage.create(records=1)
    consumer = stage.consumer()
    consumer.hooks.add(EventLog(kept))
    consumer.subscribe([TOPIC])
    read(consumer, 1)
    owner = consumer._core.engine.thread if again == "stop" else consumer.hooks
    original = getattr(owner, again)

    def interrupted(argument: object) -> None:
        if threading.current_thread() is not threading.main_thread():
            original(argument)  # hooks of the I/O thread
            return
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, again, interrupted)
    with pytest.raises(KeyboardInterrupt):
        consumer.close()
    consumer.close()
    assert kept.is_closed
    assert stage.members() == 0

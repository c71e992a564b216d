"""A consumer that is dropped without close: it says so, ends its thread, and its group takes it for crashed."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

import pytest

from kafka_nextgen import AsyncConsumer, Consumer
from kafka_nextgen.engine.application import core
from kafka_nextgen.engine.engine import Engine
from tests.engine.stage import TOPIC, Stage
from tests.support.descriptors import open_descriptors
from tests.support.waiting import GUARD_S, eventually

UNCLOSED = (
    "import logging; logging.disable(); "  # which warns of the broker that is not there
    "from kafka_nextgen import *; c = Consumer(bootstrap_servers='127.0.0.1:1', group_id='g'); c.subscribe(['t'])"
)


def io_thread_of(consumer: Consumer | AsyncConsumer) -> threading.Thread:
    return consumer._core.engine.thread._thread


def drop(use: Callable[[], threading.Thread]) -> None:
    """Use a consumer and forget it; returns when its thread has ended."""

    def drop_now() -> threading.Thread:
        thread = use()
        gc.collect()
        return thread

    with pytest.warns(ResourceWarning, match=r"group billing.*close\(\)"):
        thread = drop_now()
    thread.join(GUARD_S)
    assert not thread.is_alive()


def sockets() -> int:
    return sum(target.startswith("socket:") for target in open_descriptors().values())


def test_a_dropped_consumer_warns_and_ends_its_thread_without_leaving(stage: Stage) -> None:
    before = sockets()
    drop(lambda: io_thread_of(stage.after_reading(5, enable_auto_commit=True)))
    assert stage.members() == 1
    assert stage.committed() == {}
    eventually("no socket is left, of the broker, which is in this process too", lambda: sockets() <= before)


def test_so_does_one_for_asyncio(stage: Stage) -> None:
    stage.create()

    async def main() -> threading.Thread:
        consumer = AsyncConsumer(**stage.config())
        await consumer.subscribe([TOPIC])
        await consumer.poll(timeout=0)
        return io_thread_of(consumer)

    drop(lambda: asyncio.run(main()))


def test_one_that_was_closed_goes_in_silence(stage: Stage) -> None:
    stage.create()
    gc.collect()  # what other tests have left
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        consumer = stage.subscribed()
        consumer.close()
        del consumer
        gc.collect()


def test_a_process_may_end_with_a_consumer_open() -> None:
    ended = subprocess.run([sys.executable, "-c", UNCLOSED], capture_output=True, text=True, check=True)
    assert ended.stderr == ""


def test_a_consumer_that_is_interrupted_before_it_is_complete_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Engine] = []

    def interrupt(config: object, engine: Engine, *_: object) -> None:
        begun.append(engine)
        raise KeyboardInterrupt

    def begin() -> None:
        with pytest.raises(KeyboardInterrupt):
            Consumer(bootstrap_servers="localhost:1")
        gc.collect()

    monkeypatch.setattr(core, "ConsumerCore", interrupt)
    with pytest.warns(ResourceWarning, match="without close"):
        begin()
    thread = begun[0].thread._thread
    thread.join(GUARD_S)
    assert not thread.is_alive()

"""Consumers that are closed while the interpreter ends, when daemon threads have stopped: nothing waits for these."""

from __future__ import annotations

import asyncio
import sys

import pytest

from kafka_nextgen import AsyncConsumer, MisuseError
from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.testing import Cluster
from tests.engine.stage import TOPIC, Stage
from tests.processes.programs import run

CLOSES_AT_THE_END = """
import sys
from kafka_nextgen import Consumer, MisuseError

class Application:
    def __init__(self):
        self.consumer = Consumer({"bootstrap.servers": sys.argv[1], "group.id": "billing"})
        self.consumer.subscribe(["orders"])
        while not self.consumer.assignment():
            self.consumer.poll()

    def __del__(self):
        try:
            self.consumer.commit()
        except MisuseError as error:
            print(error)
        self.consumer.close()
        self.consumer.close()
        print("closed")

application = Application()
"""

CLOSES_AT_EXIT = (
    CLOSES_AT_THE_END.replace("application = Application()", "")
    + """
import atexit
del Application.__del__
atexit.register(Application().consumer.close)
"""
)


def test_close_in_a_del_at_the_end_returns_and_logs_what_it_leaves(stage: Stage) -> None:
    stage.create()
    ended = run(CLOSES_AT_THE_END, stage.cluster.bootstrap_servers)
    told = "the interpreter is shutting down, which stops the I/O thread of this consumer"
    assert (ended.returncode, ended.stdout) == (0, f"{told}\nclosed\n")
    assert (
        ended.stderr.count("a consumer of group billing was not closed before the interpreter began to shut down") == 1
    )
    assert "nothing is committed, and its member stays in the group until its session ends" in ended.stderr
    assert stage.members() == 1


def test_an_atexit_function_is_early_enough(stage: Stage) -> None:
    stage.create()
    ended = run(CLOSES_AT_EXIT, stage.cluster.bootstrap_servers)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert stage.members() == 0


def test_nothing_else_that_has_a_thread_waits_for_it_then(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    async def close() -> AsyncConsumer:
        consumer = AsyncConsumer(**stage.config())
        with monkeypatch.context() as ending:
            ending.setattr(sys, "is_finalizing", lambda: True)
            await consumer.close()
            with pytest.raises(MisuseError, match="interpreter is shutting down"):
                await consumer.subscribe([TOPIC])
        return consumer

    consumer, admin, cluster = asyncio.run(close()), GroupAdmin(stage.config()), Cluster()
    cluster.__enter__()
    with monkeypatch.context() as ending:
        ending.setattr(sys, "is_finalizing", lambda: True)
        admin.close()
        cluster.__exit__(None, None, None)
    consumer._core.engine.thread.stop(10)
    admin.close()
    cluster.__exit__(None, None, None)

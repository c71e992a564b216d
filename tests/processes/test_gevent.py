"""Applications that gevent patches: with green threads a consumer is refused by a true reason, else it works."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from kafka_nextgen import MisuseError
from kafka_nextgen.testing import Cluster
from tests.engine.stage import Stage
from tests.processes.programs import READS, run

pytest.importorskip("gevent")

GREEN_THREADS = """
from gevent import monkey
monkey.patch_all()
import asyncio, sys
from kafka_nextgen import AsyncConsumer, Consumer, MisuseError
from kafka_nextgen.admin import GroupAdmin
for client in (Consumer, GroupAdmin, AsyncConsumer):
    try:
        client({"bootstrap.servers": sys.argv[1], "group.id": "billing"})
    except MisuseError as error:
        print(error)
asyncio.run(asyncio.sleep(0))
"""

NATIVE_THREADS = (
    "from gevent import monkey; monkey.patch_all(thread=False)\n"
    + READS
    + """
import asyncio, gevent
read("first")
read("second")
ticks = []
def tick():
    while True:
        ticks.append(1)
        gevent.sleep(0)
ticking = gevent.spawn(tick)
gevent.get_hub().threadpool.apply(read, ("in gevent's thread pool",))
assert ticks
ticking.kill()
asyncio.run(asyncio.sleep(0))
"""
)


def test_with_green_threads_every_client_says_why_not(stage: Stage) -> None:
    ended = run(GREEN_THREADS, stage.cluster.bootstrap_servers)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.count("gevent has replaced this process's threads with greenlets") == 3
    assert ended.stdout.count("gevent.monkey.patch_all(thread=False)") == 3


def test_with_native_threads_everything_works(stage: Stage) -> None:
    stage.create(records=20)
    ended = run(NATIVE_THREADS, stage.cluster.bootstrap_servers)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "first 20\nsecond 20\nin gevent's thread pool 20\n"


def test_eventlets_green_threads_are_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    patcher = SimpleNamespace(is_monkey_patched=lambda module: module == "thread")
    monkeypatch.setitem(sys.modules, "eventlet.patcher", patcher)
    with pytest.raises(MisuseError, match="eventlet has replaced this process's threads"), Cluster():
        pass

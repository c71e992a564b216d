"""Brokers that several processes of one test run use: who asks for one first starts it, and stops it when nobody does.

The processes leave notes for each other in a folder: the address of each broker that runs, and who uses it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from attrs import define, field
from filelock import FileLock

from kafka_nextgen.testing.real_kafka.single_node import NoKafkaError
from tests.support.kafka_server import KafkaServer, KafkaStartError
from tests.support.waiting import TEST_S, eventually

Start = Callable[[str], KafkaServer]


@define
class SharedServers:
    """What this process uses of the brokers of a run, by kind, and which of them it started."""

    folder: Path
    start: Start
    me: int = field(factory=os.getpid)
    patience_s: float = TEST_S  # processes of a run end within its longest test of each other
    _used: set[str] = field(factory=set)
    _own: dict[str, KafkaServer] = field(factory=dict)

    def get(self, kind: str) -> KafkaServer:
        with self._lock(kind):
            address = self._address(kind)
            if not address.exists():
                self._own[kind] = self._start(kind)
                address.write_text(self._own[kind].bootstrap_servers)
            self._users(kind).mkdir(exist_ok=True)
            self._mark(kind).touch()
            self._used.add(kind)
            return KafkaServer(address.read_text(), kind)

    def _start(self, kind: str) -> KafkaServer:
        """Start it, and leave a note for the others if that fails: they don't try again."""
        if self._failure(kind).exists():
            raise KafkaStartError(self._failure(kind).read_text())
        try:
            return self.start(kind)
        except NoKafkaError:
            raise
        except Exception:
            self._failure(kind).write_text(f"process {self.me} of this run could not start it, and says why")
            raise

    def leave(self) -> None:
        """Use none any more, and stop the own ones when the others do the same: none of them can."""
        while self._used:
            self._mark(self._used.pop()).unlink(missing_ok=True)
        while self._own:
            kind, server = self._own.popitem()
            eventually(f"nobody uses Kafka {kind} any more", partial(self._stop_unused, kind, server), self.patience_s)

    def _stop_unused(self, kind: str, server: KafkaServer) -> bool:
        with self._lock(kind):
            if any(_lives(int(mark.name)) for mark in self._users(kind).iterdir()):
                return False
            self._address(kind).unlink()  # or who comes late would take it for one that runs
            server.stop()
        return True

    def _lock(self, kind: str) -> FileLock:
        return FileLock(self.folder / f"{kind}.lock")

    def _address(self, kind: str) -> Path:
        return self.folder / f"{kind}.address"

    def _failure(self, kind: str) -> Path:
        return self.folder / f"{kind}.failed"

    def _users(self, kind: str) -> Path:
        return self.folder / f"{kind}.users"

    def _mark(self, kind: str) -> Path:
        return self._users(kind) / str(self.me)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True

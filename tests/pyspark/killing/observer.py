"""Looks at the group and at the checkpoint all the time, from outside."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.errors import GroupNotFoundError
from tests.pyspark.killing.judging import ahead, gone_back
from tests.pyspark.killing.places import end_of_batch, place_of

PAUSE_S = 0.1


class Observer:
    """Looks in a thread until ``stop``, and whenever it is asked to; ``findings`` has what was wrong."""

    def __init__(self, bootstrap_servers: str, group: str, home: Path) -> None:
        self.findings: list[str] = []
        self.looks = 0
        self.group: dict[int, int] = {}
        self._admin = GroupAdmin(bootstrap_servers=bootstrap_servers)
        self._group_id = group
        self._home = home
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._threads = ThreadPoolExecutor(1)
        self._looked: Future[None] = self._threads.submit(self._run)

    def stop(self) -> None:
        """Look no more. Raises what ended the looking before."""
        self._is_over.set()
        self._threads.shutdown()
        self._admin.close()
        self._looked.result()

    def look(self) -> None:
        """Compare the group with the checkpoint.

        The group is read first. The checkpoint only ever goes on, so a group that is ahead of what the checkpoint says
        afterwards was ahead of it. In the other order, a batch that ends between the two reads would look like that.
        """
        with self._lock:
            group = self._offsets()
            done = end_of_batch(self._home, place_of(self._home).done)
            self.findings += [*ahead(group, done), *gone_back(group, self.group)]
            self.group = group
            self.looks += 1

    def _run(self) -> None:
        while not self._is_over.wait(PAUSE_S):
            self.look()

    def _offsets(self) -> dict[int, int]:
        try:
            found = self._admin.offsets(self._group_id)
        except GroupNotFoundError:
            return {}
        return {tp.partition: offset.committed.offset for tp, offset in found.items() if offset.committed is not None}

"""A member of a group as a process of its own, so that no two clients share an interpreter.

Run as ``python -m benchmarks.gap.member CLIENT BOOTSTRAP GROUP TOPIC CALLBACK_MS``. It obeys lines on stdin: ``join``
makes a consumer and reads, ``leave`` closes it, and the end of the input ends the process, which then tells its gaps.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable

from benchmarks.gap.clients import READERS
from benchmarks.gap.report import Callback, Gap, dump_gaps

#: Shorter gaps (seconds) are what the producer's rhythm makes.
SHORTEST_GAP_S = 0.001


class Log:
    """What happened to one member; the clients call it."""

    def __init__(self, callback_s: float) -> None:
        self.gaps: list[Gap] = []
        self._callback_s = callback_s
        self._last: dict[int, float] = {}

    def delivered(self, partitions: Iterable[int]) -> None:
        now = time.monotonic()
        for partition in partitions:
            before = self._last.get(partition, now)
            self._last[partition] = now
            if now - before >= SHORTEST_GAP_S:
                self.gaps.append(Gap(partition, before, now))

    def call_back(self, what: str, partitions: Iterable[int]) -> None:
        """Take as long as an application's callback does, if there is something to do."""
        begin, moved = time.monotonic(), frozenset(partitions)
        if moved:
            time.sleep(self._callback_s)
        for partition in moved:
            self._last.pop(partition, None)
        print(Callback(what, begin, time.monotonic(), moved).dump(), flush=True)


def main(client: str, bootstrap_servers: str, group: str, topic: str, callback_ms: str) -> None:
    log = Log(int(callback_ms) / 1000)
    stopped = threading.Event()
    reading: threading.Thread | None = None
    for line in sys.stdin:
        if line.strip() == "join":
            stopped.clear()
            reading = threading.Thread(target=READERS[client], args=(bootstrap_servers, group, topic, log, stopped))
            reading.start()
        elif reading is not None:
            stopped.set()
            reading.join()
    print(dump_gaps(log.gaps), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

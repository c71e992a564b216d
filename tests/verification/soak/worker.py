"""One member with a ``Consumer``: ``python -m tests.verification.soak.worker SPECIFICATION``, a JSON object.

``mode`` is how it reads (``poll``, ``iterate``, ``batches``, ``run``), ``commits`` how it commits (``sync``,
``async``, ``explicit``, ``auto``). It always commits before it gives partitions up. SIGUSR1 and, unless it runs
handlers, SIGINT raise in the middle of the call that is under way; the program goes on. SIGTERM has it close and end.
SIGALRM does either until a pause that is over has been ended, or reading has: no record may come that would.
"""

from __future__ import annotations

import random
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType

from kafka_nextgen import KafkaNextgenError, MisuseError, Record, StopHandle
from tests.verification.soak.places import places_of
from tests.verification.soak.telling import Book, Command, Interrupted, Orders, is_in_callback, tell
from tests.verification.soak.told import ToldConsumer, commit, on_committed, report_vitals

POLLS_PER_COMMIT = 4
WORK_S = 0.002
MOST_FAILURES = 50
PRESSES_EVERY_S = 0.2
SHARE_OF_FLAKY_CALLS = 0.01


class Worker:
    """Reads until it is stopped, and does what it is told meanwhile."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.orders = Orders()
        self.chance = random.Random(book.specification["seed"])
        self.mode: str = book.specification["mode"]
        self.is_inside = False
        self.is_subscribed = self.mode == "run"  # which does it itself
        self.handle = StopHandle()
        self.failures = 0  # in a row
        self.slow_s = 0.0
        self.resume_at: float | None = None
        self.consumer = ToldConsumer(book.config())
        self.consumer.book = book

    # ---- signals

    def listen_to_signals(self) -> None:
        signal.signal(signal.SIGUSR1, self._interrupt)
        if self.mode != "run":
            signal.signal(signal.SIGINT, self._interrupt)
            signal.signal(signal.SIGTERM, self._stop)
            signal.signal(signal.SIGALRM, self._press)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.is_inside and not is_in_callback(frame):
            self.is_inside = False
            raise Interrupted

    def _stop(self, number: int, frame: FrameType | None) -> None:
        if not self.orders.is_stopped:
            self.orders.is_stopped = True
            self._press(number, frame)

    def _press(self, number: int, frame: FrameType | None) -> None:
        """Interrupt until all is done: a callback is not interrupted, and the program may just be about to wait."""
        if self.orders.is_stopped or self.resume_at is not None:
            signal.setitimer(signal.ITIMER_REAL, PRESSES_EVERY_S)
            self._interrupt(number, frame)

    # ---- reading

    def work(self) -> None:
        """Read, and go on after whatever is raised; too many failures in a row end the process."""
        step = {"poll": self._poll, "iterate": self._iterate, "batches": self._batches, "run": self._run}[self.mode]
        while not self.orders.is_stopped:
            with suppress(Interrupted):
                self._work_until_failure(step)
            self.is_inside = False

    def _work_until_failure(self, step: Callable[[], None]) -> None:
        before = self.book.records
        try:
            self._subscribe()
            self._end_pause()
            step()
        except KafkaNextgenError as error:
            self.is_inside = False
            tell("trouble", note=repr(error))
            self.failures = self.failures + 1 if self.book.records == before else 0
            if self.failures > MOST_FAILURES:
                raise
            time.sleep(0.1)

    def _subscribe(self) -> None:
        """Subscribe, again if that failed: a process that was stopped meanwhile finds its time over."""
        if not self.is_subscribed:
            self.consumer.subscribe(self.book.topics())
            self.is_subscribed = True

    def _poll(self) -> None:
        for _ in range(POLLS_PER_COMMIT):
            self.is_inside = True
            records = self.consumer.poll(timeout=0.3)
            self.is_inside = False
            self.book.deliver(records)
            self._process(len(records))
            self._obey()
        self._commit()

    def _batches(self) -> None:
        self.is_inside = True
        for count, records in enumerate(self.consumer.batches(20), 1):
            self.is_inside = False
            self.book.deliver(records)
            self._process(len(records))
            self._obey()
            if count % POLLS_PER_COMMIT == 0:
                self._commit()
            self.is_inside = True
            if self.orders.is_stopped:
                return

    def _iterate(self) -> None:
        self.is_inside = True
        for count, record in enumerate(self.consumer, 1):
            self.is_inside = False
            self.book.deliver([record])
            self._process(1)
            self._obey()
            if count % (POLLS_PER_COMMIT * 5) == 0:
                self._commit()
            self.is_inside = True
            if self.orders.is_stopped:
                return

    def _run(self) -> None:
        self.is_inside = True
        self.consumer.run(self._handle, self.book.topics(), concurrency=3, attempts=1_000_000, stop=self.handle)
        self.is_inside = False
        self.orders.is_stopped = True

    def _handle(self, record: Record) -> None:
        command = self.orders.next()
        if command is not None and command.verb == "slow":
            time.sleep(command.amount)
        if self.chance.random() < SHARE_OF_FLAKY_CALLS:
            raise ValueError("this call fails, the next one will not")
        self.book.deliver([record])

    def _process(self, count: int) -> None:
        time.sleep(WORK_S * count + self.slow_s)
        self.slow_s = 0.0

    # ---- commits

    def _commit(self) -> None:
        self.is_inside = True
        if self.book.commits == "sync":
            commit(self.consumer, self.book)
        elif self.book.commits == "explicit":
            keys = sorted(self.book.processed)
            commit(self.consumer, self.book, self.chance.sample(keys, (len(keys) + 1) // 2))
        elif self.book.commits == "async":
            told, since = dict(self.book.processed), time.monotonic()
            self.consumer.commit_async(callback=partial(on_committed, told, since))
        self.is_inside = False

    # ---- being told

    def _obey(self) -> None:
        command = self.orders.next()
        if command is not None:
            {"slow": self._be_slow, "pause": self._pause, "seek": self._seek}[command.verb](command)
        self._end_pause()

    def _end_pause(self) -> None:
        if self.resume_at is not None and time.monotonic() > self.resume_at:
            self.resume_at = None
            paused = self.consumer.paused()
            self.consumer.resume(paused)
            tell("resumed", partitions=places_of(paused))

    def _be_slow(self, command: Command) -> None:
        self.slow_s = command.amount

    def _pause(self, command: Command) -> None:
        owned = sorted(self.consumer.assignment())
        some = [at for at in owned if self.chance.random() < 0.5]
        if len(some) == len(owned):
            some = some[1:]  # it looks at its orders as records come
        try:
            self.consumer.pause(some)
        except MisuseError:  # one of them has gone meanwhile
            return
        tell("paused", partitions=places_of(some))
        self.resume_at = time.monotonic() + command.amount
        signal.setitimer(signal.ITIMER_REAL, command.amount)

    def _seek(self, command: Command) -> None:
        for at in self.consumer.assignment():
            key = self.book.key_of(at)
            if key is not None and self.chance.random() < 0.5:
                target = max(0, self.book.processed[key] - int(command.amount))
                tell("sought", offsets={key: target})
                try:
                    self.consumer.seek(at, target)
                except MisuseError as error:
                    tell("trouble", note=f"seek: {error!r}")
                else:
                    self.book.processed[key] = target

    # ---- the end

    def close(self) -> None:
        """Close, again if a signal cuts it short."""
        signal.signal(signal.SIGALRM, signal.SIG_IGN)  # reading has ended
        while True:
            try:
                self.is_inside = True
                self.consumer.close()
                self.is_inside = False
                return
            except Interrupted:
                continue


def main() -> None:
    book = Book.of_arguments()
    worker = Worker(book)
    worker.listen_to_signals()
    every_s = book.specification.get("vitals_s")
    if every_s:
        threading.Thread(target=report_vitals, args=([worker.consumer], book, every_s), daemon=True).start()
    tell("started")
    try:
        worker.work()
    finally:
        book.leave()
        worker.close()
    tell("closed")


if __name__ == "__main__":
    main()

"""Records that are produced at an even rate, and what the broker acknowledged of them.

Each incarnation of a topic has an idempotent producer of its own, and record ``n`` of a partition has to get the offset
``n``. ``ends`` says how many records of each key were acknowledged. The first record of a partition may fail, for its
leader may not know the topic yet. It is written again, before others that would take its offset.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from functools import partial

from attrs import define, field
from confluent_kafka import KafkaError, Message, Producer

from tests.support.waiting import eventually
from tests.verification.soak.places import key_at, value_of


@define(eq=False)
class Source:
    """The producer of one incarnation of a topic, whose places are ``first`` and those that follow it."""

    topic: str
    first: int
    incarnation: int
    partitions: int
    producer: Producer
    sent: dict[int, int] = field(factory=dict)

    def key(self, partition: int) -> int:
        return key_at(self.first + partition, self.incarnation)


class Ledger:
    """Writes ``per_second`` records to all sources together, in a thread; leaving the context stops it."""

    def __init__(self, bootstrap_servers: str, per_second: float) -> None:
        self.ends: dict[int, int] = {}
        self.wrong: list[str] = []
        self._servers = bootstrap_servers
        self._period_s = 1 / per_second
        self._sources: dict[str, Source] = {}
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Ledger:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Write nothing more, and return once everything is acknowledged or 30 seconds are over."""
        self._is_over.set()
        self._thread.join()
        for topic in list(self._sources):
            self.end(topic)

    def begin(self, topic: str, first: int, incarnation: int, partitions: int) -> None:
        settings = {"bootstrap.servers": self._servers, "enable.idempotence": True, "linger.ms": 5, "log_level": 0}
        source = Source(topic, first, incarnation, partitions, Producer(settings))
        self._write_first(source, range(partitions))
        with self._lock:
            self._sources[topic] = source

    def grow(self, topic: str, partitions: int) -> None:
        source = self._sources[topic]
        self._write_first(source, range(source.partitions, partitions))
        with self._lock:
            source.partitions = partitions

    def end(self, topic: str) -> None:
        with self._lock:
            source = self._sources.pop(topic, None)
        if source is not None and source.producer.flush(30):
            self.wrong.append(f"{topic}: records were not acknowledged within 30 s")

    def snapshot(self) -> dict[int, int]:
        with self._lock:
            return dict(self.ends)

    def _run(self) -> None:
        due, turn = time.monotonic(), 0
        while not self._is_over.is_set():
            due += self._period_s
            with self._lock:
                for source in self._sources.values():
                    source.producer.poll(0)
                places = [(source, number) for source in self._sources.values() for number in range(source.partitions)]
                if places:
                    turn += 1
                    self._send(*places[turn % len(places)])
            self._is_over.wait(max(0.0, due - time.monotonic()))

    def _write_first(self, source: Source, partitions: Iterable[int]) -> None:
        eventually(f"the producer knows {source.topic}", lambda: _known(source).issuperset(partitions))
        for partition in partitions:
            name = f"{source.topic}[{partition}]"
            eventually(f"{name} has a first record", partial(self._wrote_first, source, partition))

    def _wrote_first(self, source: Source, partition: int) -> bool:
        key, is_told = source.key(partition), threading.Event()

        def note(error: KafkaError | None, message: Message) -> None:
            if error is None:
                self._note(key, error, message)
            is_told.set()

        source.producer.produce(source.topic, value_of(key, 0), partition=partition, on_delivery=note)
        source.producer.flush(30)
        is_told.wait(30)  # another thread, which polls, may be in the callback still
        source.sent[key] = self.ends.get(key, 0)
        return source.sent[key] == 1

    def _send(self, source: Source, partition: int) -> None:
        key = source.key(partition)
        offset = source.sent.get(key, 0)
        note = partial(self._note, key)
        source.producer.produce(source.topic, value_of(key, offset), partition=partition, on_delivery=note)
        source.sent[key] = offset + 1

    def _note(self, key: int, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self.wrong.append(f"{message.value()!r} was not written: {error}")
        elif message.offset() != int((message.value() or b"").partition(b"/")[2]):
            self.wrong.append(f"{message.value()!r} is at offset {message.offset()}")
        else:
            self.ends[key] = message.offset() + 1


def _known(source: Source) -> set[int]:
    return set(source.producer.list_topics(source.topic, timeout=10).topics[source.topic].partitions)

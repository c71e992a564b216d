"""Members of a group in threads, which commit after every poll and note what they read and what was acknowledged."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping

from kafka_nextgen import Consumer, TopicPartition


class Reader:
    """One member: the offsets it was given, by partition, and the position that was last acknowledged."""

    def __init__(self, config: Mapping[str, object], topic: str) -> None:
        self.read: dict[int, list[int]] = defaultdict(list)
        self.committed: dict[int, int] = {}
        self.failure: BaseException | None = None
        self._config, self._topic = config, topic
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        try:
            with Consumer(dict(self._config)) as consumer:
                consumer.subscribe([self._topic])
                while not self._stopped.is_set():
                    self._work(consumer)
        except BaseException as error:
            self.failure = error

    def _work(self, consumer: Consumer) -> None:
        positions: dict[int, int] = {}
        for record in consumer.poll(timeout=0.2):
            self.read[record.partition].append(record.offset)
            positions[record.partition] = record.offset + 1
        if positions:
            consumer.commit()
            self.committed.update(positions)


class Readers:
    """A group that reads ``topic``, some of its members static; leaving the context ends them."""

    def __init__(
        self, bootstrap_servers: str, group: str, topic: str, dynamic: int, static: int, protocol: str = "consumer"
    ) -> None:
        config = {
            "bootstrap.servers": bootstrap_servers,
            "group.id": group,
            "group.protocol": protocol,
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "reconnect.backoff.ms": 50,
            "reconnect.backoff.max.ms": 200,
        }
        instances = [{"group.instance.id": f"static-{number}"} for number in range(static)]
        self.all = [Reader({**config, **more}, topic) for more in [*instances, *({},) * dynamic]]
        self._topic = topic

    def __enter__(self) -> Readers:
        for reader in self.all:
            reader.start()
        return self

    def __exit__(self, *exception: object) -> None:
        for reader in self.all:
            reader.stop()
        for reader in self.all:
            reader.join()

    def failures(self) -> list[BaseException]:
        return [reader.failure for reader in self.all if reader.failure is not None]

    def read(self) -> dict[int, list[int]]:
        """The offsets that were read by anybody, by partition, each member's in its order."""
        together: dict[int, list[int]] = defaultdict(list)
        for reader in self.all:
            for partition, offsets in tuple(reader.read.items()):
                together[partition] += tuple(offsets)
        return together

    def count(self) -> int:
        return sum(map(len, self.read().values()))

    def committed(self) -> dict[TopicPartition, int]:
        """The highest position of each partition whose commit was acknowledged."""
        highest: dict[TopicPartition, int] = {}
        for reader in self.all:
            for partition, position in tuple(reader.committed.items()):
                at = TopicPartition(self._topic, partition)
                highest[at] = max(position, highest.get(at, 0))
        return highest

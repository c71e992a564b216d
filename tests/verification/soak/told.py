"""A ``Consumer`` that tells of what it goes through, for all programs of the soak that have one."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence

from kafka_nextgen import (
    AsyncConsumer,
    CommitFailedError,
    Consumer,
    KafkaNextgenError,
    RebalanceConsumer,
    RebalanceListener,
    TopicPartition,
)
from tests.verification.soak.places import partition_at
from tests.verification.soak.telling import Book, tell
from tests.verification.soak.vitals import read_vitals


class Telling(RebalanceListener):
    """Tells of callbacks around those of another listener, if there is one, and else commits what is given up."""

    def __init__(self, book: Book, inner: RebalanceListener | None = None) -> None:
        self._book, self._inner = book, inner

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._book.took(partitions)
        if self._inner is not None:
            self._inner.on_partitions_assigned(consumer, partitions)

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        if self._inner is not None:
            self._inner.on_partitions_revoked(consumer, partitions)
        elif self._book.commits not in ("auto", "run"):
            commit(consumer, self._book)
        self._book.gave_up("revoked", partitions)

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        if self._inner is not None:
            self._inner.on_partitions_lost(consumer, partitions)
        self._book.gave_up("lost", partitions)


class ToldConsumer(Consumer):
    book: Book

    def subscribe(self, topics: object, listener: RebalanceListener | None = None) -> None:
        super().subscribe(topics, Telling(self.book, listener))  # type: ignore[arg-type]


def commit(consumer: Consumer | RebalanceConsumer, book: Book, offsets: Iterable[int] | None = None) -> None:
    """Commit all that was handed over, or the positions of these keys, and tell of it."""
    told = {key: book.processed[key] for key in (book.processed if offsets is None else offsets)}
    since = time.monotonic()
    try:
        consumer.commit(None if offsets is None else book.offsets(told))
    except KafkaNextgenError as error:
        tell_of_failure(error, book, told, since)
    else:
        tell("committed", offsets=told, since=since)


def tell_of_failure(error: KafkaNextgenError, book: Book, told: Mapping[int, int], since: float) -> None:
    tell("trouble", note=f"commit: {error!r}")
    if isinstance(error, CommitFailedError):
        done = {key: offset for key, offset in told.items() if partition_at(book.prefix, key) not in error.failed}
        tell("committed", offsets=done, since=since)


def on_committed(told: dict[int, int], since: float, offsets: object, error: BaseException | None) -> None:
    if error is None:
        tell("committed", offsets=told, since=since)
    else:
        tell("trouble", note=f"commit_async: {error!r}")


def report_vitals(consumers: Iterable[Consumer | AsyncConsumer], book: Book, every_s: float) -> None:
    while True:
        time.sleep(every_s)
        vitals = read_vitals(list(consumers), book.rebalances, book.records)
        tell("vitals", note=json.dumps(vitals.as_dict()))

"""Consumers that a Python worker keeps for its next tasks. A new consumer has to find the brokers and log in again.

Spark gives a worker one task at a time, and many tasks of the same query. A worker therefore keeps one consumer for
each of a few configurations. A task borrows the consumer, and returns it after reading its ranges to the end. The
consumer is closed after an error, or if the query stops early.

A task reads one partition, or small parts of several, and a batch never has records from two fetches. Small fetches
would produce many small batches, so consumers fetch more in one request than by default, unless the query sets
``kafka.max.partition.fetch.bytes``.

Spark runs the garbage collector after each task. With everything that a worker has imported, that takes 50 ms, as long
as a small task. The worker's second task therefore freezes the objects that exist by then.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from kafka_nextgen.consumer import Consumer
from kafka_nextgen.spark.kafka_options import KafkaOptions

__all__ = ["kept_consumer"]

_AT_MOST = 4
_CLOSING_S = 5.0
_PARTITION_BYTES = 4 * 1024 * 1024

#: By process and configuration, because a forked process can't use the consumers of its parent.
_KEPT: dict[tuple[int, KafkaOptions], Consumer] = {}


@contextmanager
def kept_consumer(config: KafkaOptions) -> Iterator[Consumer]:
    """Lend a consumer with this configuration, without a group. Raises ``ConfigError`` if a store can't be read."""
    key = os.getpid(), config
    consumer = _KEPT.pop(key, None)
    if consumer is None:
        consumer = _new_consumer(config)
    elif not gc.get_freeze_count():
        gc.freeze()  # Spark has collected garbage after the last task
    try:
        yield consumer
    except BaseException:
        consumer.close(_CLOSING_S)
        raise
    _KEPT[key] = consumer  # now the most recently used
    while len(_KEPT) > _AT_MOST:
        _KEPT.pop(next(iter(_KEPT))).close(_CLOSING_S)


def _new_consumer(config: KafkaOptions) -> Consumer:
    is_set = "max.partition.fetch.bytes" in dict(config.settings)
    sizes = {} if is_set else {"max_partition_fetch_bytes": _PARTITION_BYTES}
    return Consumer(config.consumer_config(auto_offset_reset="none", **sizes))

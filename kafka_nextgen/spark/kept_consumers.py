"""Consumers that a Python worker keeps from one task to the next: a new one has to find the brokers and log in again.

Spark gives a worker one task at a time, and many of the same query. So there is one consumer for each configuration,
and a few configurations. A consumer is taken out while a task reads, and put back when its ranges are read to the end.
After an error, or if the query wanted no more, it is closed.

A task reads one partition, or little of several, and what was fetched at once is what its batches are cut from. So more
is fetched at once than ``Consumer`` does by itself, unless the query has ``kafka.max.partition.fetch.bytes``: small
fetches make many small batches.

Spark collects garbage after each task, in all that the worker has imported: 50 ms, as much as a small task. So what is
there at a worker's second task is left out from then on. Consumers of later configurations are not.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager

from kafka_nextgen.consumer import Consumer
from kafka_nextgen.spark.java_config import JavaConfig

__all__ = ["kept_consumer"]

_AT_MOST = 4
_CLOSING_S = 5.0
_PARTITION_BYTES = 4 * 1024 * 1024

#: By process and configuration: the copy that a process forked off finds can't be used there.
_KEPT: dict[tuple[int, JavaConfig], Consumer] = {}


@contextmanager
def kept_consumer(config: JavaConfig) -> Iterator[Consumer]:
    """A consumer of this configuration that belongs to no group. Raises ``ConfigError`` if a store can't be read."""
    key = os.getpid(), config
    consumer = _KEPT.pop(key, None)
    if consumer is None:
        consumer = _new_consumer(config)
    elif not gc.get_freeze_count():
        gc.freeze()  # garbage was collected after the task before
    try:
        yield consumer
    except BaseException:
        consumer.close(_CLOSING_S)
        raise
    _KEPT[key] = consumer  # as the newest
    while len(_KEPT) > _AT_MOST:
        _KEPT.pop(next(iter(_KEPT))).close(_CLOSING_S)


def _new_consumer(config: JavaConfig) -> Consumer:
    is_said = "max.partition.fetch.bytes" in dict(config.settings)
    sizes = {} if is_said else {"max_partition_fetch_bytes": _PARTITION_BYTES}
    return Consumer(config.consumer_config(auto_offset_reset="none", **sizes))

"""Reads ranges to their ends, and fails if no broker answers for a partition.

A consumer waits for a leader without a limit, because new records can arrive at any time. A scan has an end, so it
fails if it can't reach it. It continues if the partition has a new leader within ``default.api.timeout.ms``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kafka_nextgen.consumer import Consumer
from kafka_nextgen.engine.application.records import Records
from kafka_nextgen.errors import RequestTimeoutError
from kafka_nextgen.types import format_partitions

__all__ = ["batches"]

#: How long (seconds) a poll waits for records before the scan checks whether brokers still answer.
POLL_S = 1.0


def batches(consumer: Consumer[Any, Any], max_records: int) -> Iterator[Records[Any, Any]]:
    """Yield the records of the assigned ranges, at most ``max_records`` at a time.

    Raises RequestTimeoutError if no fetch of a partition was answered for ``default.api.timeout.ms``, and the errors of
    ``Consumer.poll``.
    """
    waited_s = 0.0
    while True:
        records = consumer.poll(POLL_S, max_records)
        if records:
            waited_s = 0.0
            yield records
        elif consumer.finished() == consumer.assignment():
            return
        else:
            waited_s += POLL_S
            _check_answers(consumer, waited_s)


def _check_answers(consumer: Consumer[Any, Any], waited_s: float) -> None:
    """Raise RequestTimeoutError if brokers were silent about a partition while this scan waited.

    Silence alone is not enough: nothing is fetched while a slow reader leaves the buffers full.
    """
    limit_s = consumer.config.default_api_timeout_ms / 1000
    if waited_s < limit_s:
        return
    silence_s, finished = consumer.health().silence_s, consumer.finished()
    silent = [tp for tp, silent_s in silence_s.items() if silent_s >= limit_s and tp not in finished]
    if silent:
        raise RequestTimeoutError(
            f"no fetch of {format_partitions(silent)} was answered for {limit_s:g} seconds (default.api.timeout.ms): a "
            "partition may have no leader. Read again once it has one, from the positions of this scan"
        )

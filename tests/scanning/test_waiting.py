"""When a scan gives up waiting: polls without records add up, and only silent partitions count that are not read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from kafka_nextgen import RequestTimeoutError, TopicPartition
from kafka_nextgen.scanning.waiting import batches

READ, SILENT = TopicPartition("orders", 0), TopicPartition("orders", 1)


class Scripted:
    """A consumer with these results of ``poll``, after which both partitions are read to their ends."""

    def __init__(self, polls: Sequence[list[int]], silent: Collection[TopicPartition]) -> None:
        self._polls, self._silent = list(polls), silent
        self.config = SimpleNamespace(default_api_timeout_ms=2000)

    def poll(self, timeout_s: float, max_records: int) -> list[int]:
        return self._polls.pop(0) if self._polls else []

    def assignment(self) -> set[TopicPartition]:
        return {READ, SILENT}

    def finished(self) -> set[TopicPartition]:
        return {READ} if self._polls else {READ, SILENT}

    def health(self) -> Any:
        return SimpleNamespace(silence_s=dict.fromkeys(self._silent, 100.0))


def read(polls: Sequence[list[int]], silent: Collection[TopicPartition]) -> list[Any]:
    consumer: Any = Scripted(polls, silent)
    return list(batches(consumer, 10))


def test_polls_without_records_add_up_only_if_none_between_them_has_records() -> None:
    assert read([[], [1], [], [2], [], [3]], {SILENT}) == [[1], [2], [3]]
    with pytest.raises(RequestTimeoutError, match=r"no fetch of orders\[1\] was answered for 2 seconds"):
        read([[1], [], [], [2]], {SILENT})


def test_a_partition_that_was_read_to_its_end_may_be_silent() -> None:
    assert read([[], [], [], [1]], {READ}) == [[1]]
    with pytest.raises(RequestTimeoutError, match=r"no fetch of orders\[1\] was answered"):
        read([[], [], [1]], {READ, SILENT})

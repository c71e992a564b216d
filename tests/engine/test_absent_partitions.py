"""Which partitions of a refused commit the cluster does not have: a few answers in a row have to lack them."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.offsets.requests import OffsetRequests
from kafka_nextgen.types import TopicPartition

ORDERS, ORDRES = TopicPartition("orders", 0), TopicPartition("ordres", 0)


class Scripted:
    """A cluster whose metadata answers lack these topics, one set after the other; and the assigned partitions."""

    def __init__(self, *answers: Collection[str], assigned: Collection[TopicPartition] = ()) -> None:
        self._answers = list(answers)
        self._assigned = frozenset(assigned)
        self._lacks: Collection[str] = ()
        self.metadata = self

    def assignment(self) -> frozenset[TopicPartition]:
        return self._assigned

    async def refresh_metadata(self, topics: Collection[str], timeout_s: float) -> None:
        self._lacks = self._answers.pop(0)

    def why_missing(self, partition: TopicPartition) -> str | None:
        return "no such topic" if partition.topic in self._lacks else None


def absent_after(script: Scripted, *partitions: TopicPartition, refusals: int) -> list[frozenset[TopicPartition]]:
    """What is absent after each of so many refused commits of these partitions."""
    cluster: Any = script
    requests = OffsetRequests(cluster, "billing", cluster)
    codes = dict.fromkeys(partitions, int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))

    async def refused() -> list[frozenset[TopicPartition]]:
        return [await requests._absent(codes, 0.0) for _ in range(refusals)]

    return asyncio.run(refused())


NONE: frozenset[TopicPartition] = frozenset()


def test_a_topic_is_absent_once_three_answers_in_a_row_lack_it() -> None:
    lacks = ["ordres"]
    assert absent_after(Scripted(lacks, lacks, lacks), ORDRES, refusals=3) == [NONE, NONE, {ORDRES}]
    known_once = Scripted(lacks, lacks, [], lacks, lacks)
    assert absent_after(known_once, ORDRES, refusals=5) == [NONE] * 5, "another broker knows it"


def test_each_partition_counts_for_itself() -> None:
    lacks = ["ordres"]
    assert absent_after(Scripted(lacks, lacks, lacks), ORDERS, ORDRES, refusals=3)[-1] == {ORDRES}


def test_assigned_partitions_are_not_even_looked_up() -> None:
    assert absent_after(Scripted(assigned=[ORDERS]), ORDERS, refusals=5) == [NONE] * 5


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.GROUP_AUTHORIZATION_FAILED])
def test_other_answers_look_nothing_up(code: ErrorCode) -> None:
    cluster: Any = Scripted()
    requests = OffsetRequests(cluster, "billing", cluster)
    assert asyncio.run(requests._absent({ORDRES: int(code)}, 0.0)) == NONE

"""Where batch queries start and end, and which partitions they read: as the built-in source, option by option.

The topic's records are numbered; number n is in partition n % 3 and was written n * 997 ms after the first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.pyspark.sources import Sources, assert_same_rows
from tests.pyspark.topics import STEP_MS, T0_MS, Topic

KIND = "nulls and headers"
AFTER_50 = T0_MS + 50 * STEP_MS + 1


def by_partition(topic: str, *numbers: int) -> str:
    return json.dumps({topic: {str(partition): number for partition, number in enumerate(numbers)}})


#: The options of a query of a topic, and how many of its 125 records it reads: 42, 42 and 41 by partition.
QUERIES: dict[str, tuple[Callable[[str], Mapping[str, Any]], int]] = {
    "earliest": (lambda topic: {"subscribe": topic, "startingOffsets": "earliest"}, 125),
    "offsets": (
        lambda topic: {
            "subscribe": topic,
            "startingOffsets": by_partition(topic, 5, -2, 10),
            "endingOffsets": by_partition(topic, 30, -1, 10),
        },
        25 + 42 + 0,
    ),
    "a timestamp": (
        lambda topic: {
            "subscribe": topic,
            "startingTimestamp": AFTER_50,
            "endingTimestamp": T0_MS + 80 * STEP_MS,
        },
        80 - 51,
    ),
    "timestamps": (
        lambda topic: {
            "subscribe": topic,
            "startingOffsetsByTimestamp": by_partition(topic, AFTER_50, 0, AFTER_50),
            "endingOffsetsByTimestamp": by_partition(topic, AFTER_50, AFTER_50, 2 * T0_MS),
        },
        0 + 17 + 24,
    ),
    "a timestamp in the future": (
        lambda topic: {
            "subscribe": topic,
            "startingTimestamp": 2 * T0_MS,
            "startingOffsetsByTimestampStrategy": "latest",
        },
        0,
    ),
    "assigned": (lambda topic: {"assign": json.dumps({topic: [0, 2]})}, 42 + 41),
    "assigned with offsets": (
        lambda topic: {"assign": json.dumps({topic: [1]}), "startingOffsets": json.dumps({topic: {"1": 40}})},
        2,
    ),
    "a pattern": (lambda topic: {"subscribePattern": f"^{topic[:-1]}[{topic[-1]}]$"}, 125),
    "a pattern within the name": (lambda topic: {"subscribePattern": topic[2:] + "$"}, 125),
}


@pytest.mark.parametrize("name", QUERIES)
def test_the_same_is_read(sources: Sources, topics: Mapping[str, Topic], name: str) -> None:
    options, count = QUERIES[name]
    built_in, ours = sources.both(includeHeaders=True, **options(topics[KIND].name))
    assert_same_rows(built_in, ours, count)

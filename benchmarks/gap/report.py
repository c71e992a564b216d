"""What a member tells about itself: one JSON object a line. Times are of the machine's monotonic clock, in seconds.

* ``assigned``, ``revoked``: told when the callback has returned, with when it began;
* ``gaps``: told at the end: every time in which a partition that the member had brought nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from attrs import frozen

__all__ = ["Callback", "Gap", "dump_gaps", "load"]


@frozen
class Callback:
    """A rebalance callback: ``what`` is assigned or revoked."""

    what: str
    begin: float
    end: float
    partitions: frozenset[int]

    def dump(self) -> str:
        return json.dumps([self.what, self.begin, self.end, sorted(self.partitions)])


@frozen
class Gap:
    """The time between two deliveries of one partition."""

    partition: int
    begin: float
    end: float

    @property
    def length_s(self) -> float:
        return self.end - self.begin


def dump_gaps(gaps: Iterable[Gap]) -> str:
    return json.dumps(["gaps", *([gap.partition, gap.begin, gap.end] for gap in gaps)])


def load(text: str) -> Callback | list[Gap]:
    what, *rest = json.loads(text)
    values: list[Any] = rest
    if what == "gaps":
        return [Gap(*value) for value in values]
    begin, end, partitions = values
    return Callback(what, begin, end, frozenset(partitions))

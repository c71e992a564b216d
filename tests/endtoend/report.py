"""What a worker tells about itself: one JSON object a line, flushed before anything follows from it.

* ``delivered``: ``poll`` returned these records, as runs of consecutive offsets; told before they are processed;
* ``assigned``: told when ``on_partitions_assigned`` begins;
* ``revoked`` and ``lost``: told when the callback is about to return, after its commit: until then it owns them;
* ``committed``: the broker acknowledged these positions;
* ``misplaced``: records whose value does not belong to their partition and offset.

Programs of other tests have more kinds, and put words into ``note``; ``since`` is when began what a line tells of.

``at`` is the machine's monotonic clock in seconds, which all processes share.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import field, frozen


@frozen
class Run:
    """Consecutive records of one partition, ``last`` included."""

    partition: int
    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first + 1


@frozen
class Line:
    """One line; only what belongs to its kind is filled in."""

    at: float
    what: str
    runs: tuple[Run, ...] = ()
    partitions: tuple[int, ...] = ()
    offsets: Mapping[int, int] = field(factory=dict)
    since: float | None = None
    note: str = ""

    def dump(self) -> str:
        runs = [[run.partition, run.first, run.last] for run in self.runs]
        told = {
            "runs": runs,
            "partitions": list(self.partitions),
            "offsets": dict(self.offsets),
            "since": self.since,
            "note": self.note,
        }
        return json.dumps({"at": self.at, "what": self.what, **{name: value for name, value in told.items() if value}})

    @classmethod
    def load(cls, text: str) -> Line:
        told: dict[str, Any] = json.loads(text)
        return cls(
            at=told["at"],
            what=told["what"],
            runs=tuple(Run(*run) for run in told.get("runs", ())),
            partitions=tuple(told.get("partitions", ())),
            offsets={int(partition): offset for partition, offset in told.get("offsets", {}).items()},
            since=told.get("since"),
            note=told.get("note", ""),
        )

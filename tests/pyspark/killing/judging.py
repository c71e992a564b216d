"""The rules for a query that is killed and started again. The functions return what breaks them.

- The group is never ahead of the end of the last batch that is done, and never goes back.
- In the end, the rows are the committed records of the topic, each (partition, offset) once, with its value.
- In the end, every planned batch is done, and the group is where the last one ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from tests.pyspark.killing.writer import Records

#: Partition, offset and value.
Row = tuple[int, int, bytes]

_SHOWN = 5


def ahead(group: Mapping[int, int], done: Mapping[int, int]) -> Iterator[str]:
    """Where the group is beyond what is done; before the first batch is done, a query is at offset 0."""
    for partition, offset in group.items():
        if offset > done.get(partition, 0):
            yield f"the group is at {offset} of partition {partition}, and {done.get(partition, 0)} is done"


def gone_back(group: Mapping[int, int], before: Mapping[int, int]) -> Iterator[str]:
    """Where the group is behind where it was."""
    for partition, offset in before.items():
        if group.get(partition, 0) < offset:
            yield f"the group went back from {offset} to {group.get(partition)} of partition {partition}"


def unequal(group: Mapping[int, int], end: Mapping[int, int]) -> Iterator[str]:
    """Whether the group is not where the last batch ends."""
    if group != end:
        yield f"the group ends at {dict(group)}, the last batch at {dict(end)}"


def differences(expected: Records, rows: Iterable[Row]) -> Iterator[str]:
    """What the rows lack, have twice, have in addition, or have with another value."""
    found = list(rows)
    values = {(partition, offset): value for partition, offset, value in found}
    times = Counter((partition, offset) for partition, offset, _ in found)
    both = expected.keys() & values.keys()
    yield from _told("missing", expected.keys() - values.keys())
    yield from _told("there more than once", [at for at, count in times.items() if count > 1])
    yield from _told("there, and no committed record", values.keys() - expected.keys())
    yield from _told("there with another value", [at for at in both if values[at] != expected[at]])


def _told(what: str, places: Collection[tuple[int, int]]) -> Iterator[str]:
    if places:
        first = ", ".join(f"partition {partition} offset {offset}" for partition, offset in sorted(places)[:_SHOWN])
        yield f"{len(places)} rows are {what}, first {first}"

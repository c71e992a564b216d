"""Events and lines of logs for tests, as Arrow batches."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence

import pyarrow as pa

from kafka_nextgen.history.events import BEGINS_IN_THE_MIDDLE, Event, EventKind
from kafka_nextgen.history.facts import CLOCKS_DISAGREE, MEMBERS_ALONE
from kafka_nextgen.spark.history.decoding import event_columns
from kafka_nextgen.spark.history.schemas import LINES, MARKED_EVENTS, arrow_schema
from tests.history.story import story

#: A member hands half of its partitions to another, and is put out later; as its coordinator and both members saw it.
TWO_MEMBERS = """
    1.0 coordinator:1 group_epoch A @1 cause=member_joined
    1.0 coordinator:1 joined A @1
    1.1 consumer:a assigned A @1 orders[0-3]
    1.5 poller:p lag orders[0] offset=10 end=30
    2.0 coordinator:1 group_epoch B @2 cause=member_joined
    2.0 coordinator:1 joined B @2
    2.1 consumer:a callback A @2 ms=80 cause=revoked
    2.2 consumer:a revoked A @2 orders[2,3]
    2.3 coordinator:1 assigned B @2 orders[2,3]
    2.5 consumer:b assigned B @2 orders[2,3]
    3.0 poller:p lag orders[2] offset=5 end=40
    8.0 coordinator:1 fenced A @2 cause=poll_timeout
    8.0 coordinator:1 group_epoch @3 cause=member_fenced
    8.4 consumer:b assigned B @3 orders[0,1]
    9.0 consumer:a lost A @2 orders[0] offset=25
"""


def stories() -> list[Event]:
    """The story of several groups; in one of them a member's clock is an hour ahead, in one it begins in the middle."""
    events = [event for group in ("billing", "007") for event in story(TWO_MEMBERS, "c1", group)]
    events += story(TWO_MEMBERS, "c2", "billing")
    events += story(TWO_MEMBERS.replace(" consumer:b", " consumer:a"), "", "unknown cluster")
    of_members = "\n".join(line for line in TWO_MEMBERS.splitlines() if "consumer:" in line)
    events += story(of_members, "c1", "members alone")
    hour_ahead = TWO_MEMBERS.replace("2.5 consumer:b", "3602.5 consumer:b").replace(
        "8.4 consumer:b", "3608.4 consumer:b"
    )
    events += story(hour_ahead, "c1", "clocks")
    events += story("\n".join(TWO_MEMBERS.strip().splitlines()[7:]), "c1", "middle")
    return events


def random_events(seed: int, count: int) -> list[Event]:
    """Events that make little sense: of several sources, groups and clusters, some with a clock an hour ahead."""
    chance = random.Random(seed)
    sources = ["consumer:A", "consumer:B", "coordinator:1", "offsets:4", "poller:p"]
    return [
        Event(
            at=chance.randrange(40_000) + 3_600_000 * (number % 5 == 1),
            seq=100_000 * seed + number,
            source=sources[number % 5],
            cluster=chance.choice(["", "c"]),
            group=chance.choice(["g", "h", "G"]),
            kind=chance.choice(list(EventKind)),
            member=chance.choice([None, "A", "B", "C"]),
            epoch=chance.choice([None, *range(8)]),
            topic=chance.choice([None, "t"]),
            partitions=chance.choice([None, (), (0,), (1, 2)]),
            offset=chance.choice([None, chance.randrange(50)]),
            end=chance.choice([None, chance.randrange(50)]),
            ms=chance.choice([None, chance.randrange(5_000)]),
            cause=chance.choice([None, "poll timeout", BEGINS_IN_THE_MIDDLE]),
        )
        for number in range(count)
    ]


def line_batch(lines: Sequence[bytes | None], problem: str | None = None) -> pa.RecordBatch:
    """Lines of a file as a batch of ``LINES``."""
    rows = {"origin": ["file"] * len(lines), "line": list(lines), "problem": [problem] * len(lines)}
    return pa.RecordBatch.from_pydict(rows, schema=arrow_schema(LINES))


def marked_batches(events: Iterable[Event], rows: int, marks: Collection[str] = ()) -> list[pa.RecordBatch]:
    """Events of a group with these marks as batches of ``MARKED_EVENTS`` of so many rows."""
    every = list(events)
    doubts = [mark in marks for mark in (CLOCKS_DISAGREE, MEMBERS_ALONE)]
    return [
        pa.RecordBatch.from_arrays(
            [*event_columns(part), *(pa.array([doubt] * len(part)) for doubt in doubts)],
            schema=arrow_schema(MARKED_EVENTS),
        )
        for part in (every[start : start + rows] for start in range(0, len(every), rows))
    ]

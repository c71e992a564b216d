"""Events for tests: one by its fields, and any."""

from __future__ import annotations

import gzip
from pathlib import Path

from hypothesis import strategies as st

from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.history.json_lines import decode_event


def events_in(log: Path) -> list[Event]:
    """The events of a log's whole lines: the last one may be on its way. Nothing else may be in them."""
    data = log.read_bytes() if log.exists() else b""
    found = [decode_event(line) for line in (gzip.decompress(data) if log.suffix == ".gz" else data).split(b"\n")[:-1]]
    assert all(isinstance(each, Event) for each in found), found
    return found


def event(seq: int, source: str = "consumer:one", group: str = "billing", **more: object) -> Event:
    fields = {"at": 1_000 + seq, "cluster": "c1", "kind": EventKind.LAG, **more}
    return Event(seq=seq, source=source, group=group, **fields)  # type: ignore[arg-type]


EVENTS = st.lists(
    st.builds(
        Event,
        at=st.integers(0, 20_000),
        seq=st.integers(0, 1000),
        source=st.sampled_from(["consumer:A", "consumer:B", "coordinator:1", "offsets:4", "poller:p"]),
        cluster=st.just("c"),
        group=st.just("g"),
        kind=st.sampled_from(EventKind),
        member=st.sampled_from([None, "A", "B", "C"]),
        epoch=st.none() | st.integers(-2, 6),
        topic=st.none() | st.just("t"),
        partitions=st.none() | st.lists(st.integers(0, 2), max_size=2).map(tuple),
        offset=st.none() | st.integers(0, 50),
        end=st.none() | st.integers(0, 50),
        ms=st.none() | st.integers(0, 5_000),
        cause=st.none() | st.sampled_from(["poll timeout", "session timeout"]),
    ),
    max_size=40,
)

"""Events for tests."""

from __future__ import annotations

from kafka_nextgen.history.events import Event, EventKind

__all__ = ["event"]


def event(seq: int, source: str = "consumer:one", group: str = "billing", **more: object) -> Event:
    fields = {"at": 1_000 + seq, "cluster": "c1", "kind": EventKind.LAG, **more}
    return Event(seq=seq, source=source, group=group, **fields)  # type: ignore[arg-type]

"""What the event logs of consumers tell."""

from __future__ import annotations

from pathlib import Path

from kafka_nextgen.history.events import EventKind
from kafka_nextgen.history.log_reader import Problems, read_log

__all__ = ["LIFE", "kinds"]

#: All that a member tells that comes, stays alone, and leaves.
LIFE = ["joined", "assigned", "revoked", "left"]


def kinds(path: Path) -> list[str]:
    """What the logs there tell, without commits; every line can be read."""
    problems = Problems()
    events = [event for event in read_log([path], problems) if event.kind is not EventKind.COMMITTED]
    assert not problems
    return [event.kind.value for event in sorted(events, key=lambda event: event.seq)]

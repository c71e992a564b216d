"""One member of a group, and its activities."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from attrs import Factory

from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.lazy_attrs import define

__all__ = ["POLL_TIMEOUT", "Member", "busy_ms"]

#: The cause of ``fenced`` and ``lost`` if the application did not poll within ``max.poll.interval.ms``.
POLL_TIMEOUT = "poll timeout"
#: The activities of a member, the most specific first: a commit inside a callback counts as a commit.
_BUSY_KINDS = ("commit", "callback", "processing")

_BUSY_BY_EVENT_KIND = {EventKind.COMMITTED: "commit", EventKind.CALLBACK: "callback", EventKind.POLL_GAP: "processing"}
_MAX_BUSY_SPANS = 1_000


@define
class Member:
    """The state of one member."""

    member: str
    first: int
    last: int
    is_active: bool = False
    epoch: int = -1
    joined_at: int | None = None  # None if the log has no ``joined`` event
    latest_epoch: int = -1  # the latest reported epoch, which may have no assignment
    left_epoch: int = -1
    left_at: int | None = None
    returned_at: int | None = None  # when it acted again after leaving without joining
    instance: str | None = None
    client: str | None = None
    host: str | None = None
    joined: int = 0
    left: int = 0
    fenced: int = 0
    poll_timeouts: int = 0
    is_timed_out: bool = False  # since it joined
    is_reported_left: bool = False
    longest_poll_gap_ms: int = 0
    callback_ms: int = 0
    errors: int = 0
    busy_spans: deque[tuple[str, int, int]] = Factory(lambda: deque(maxlen=_MAX_BUSY_SPANS))  # kind, start, end

    def update(self, event: Event) -> None:
        """Update the state with an event of this member, of any kind."""
        self.last = max(self.last, event.at)
        self.instance = event.instance or self.instance
        self.client = event.client or self.client
        self.host = event.host or self.host
        if event.ms is not None and event.kind in _BUSY_BY_EVENT_KIND:
            span = (_BUSY_BY_EVENT_KIND[event.kind], event.at - event.ms, event.at)
            if not self.busy_spans or self.busy_spans[-1] != span:  # a commit has an event for each partition
                self.busy_spans.append(span)
        if event.kind is EventKind.POLL_GAP:
            self.longest_poll_gap_ms = max(self.longest_poll_gap_ms, event.ms or 0)
        elif event.kind is EventKind.CALLBACK:
            self.callback_ms += event.ms or 0
        elif event.kind is EventKind.ERROR:
            self.errors += 1


def busy_ms(busy_spans: Iterable[tuple[str, int, int]], began: int, ended: int) -> dict[str, int]:
    """Return the milliseconds between ``began`` and ``ended`` for each activity of the member.

    Time covered by several spans counts only for the first of ``_BUSY_KINDS``.
    """
    taken: list[tuple[int, int]] = []
    spent: dict[str, int] = {}
    of_each = list(busy_spans)
    for busy in _BUSY_KINDS:
        own = [(max(start, began), min(end, ended)) for what, start, end in of_each if what == busy]
        both = _union([*taken, *((start, end) for start, end in own if start < end)])
        spent[busy] = _length(both) - _length(taken)
        taken = both
    return spent


def _union(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _length(spans: list[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)

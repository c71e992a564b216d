"""Report to a listener, as events of the history log, what happens to groups.

An event is reported once its record is stored and applied, and not when a log is read again. So each event is reported
once, by the coordinator that wrote the record, even across a fail-over. A new coordinator also reads its log into a
``RecordStory``, to know the earlier state. ``seq`` is derived from offsets, so it keeps increasing across a fail-over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.groups.leaving import LeaveGroup
from kafka_nextgen.groups.records import Record
from kafka_nextgen.history.events import Event, EventKind
from kafka_nextgen.logs import logger_of
from kafka_nextgen.offsets_topic import LoggedBatch
from kafka_nextgen.offsets_topic.events import Departure, Known, RecordStory, Row
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.draft import Outcome
from kafka_nextgen.testing.coordinator.requests import ConsumerGroupHeartbeat, OffsetCommit, Request
from kafka_nextgen.testing.coordinator.topics import Topics

__all__ = ["Chronicle", "Listener", "ReportingChronicle"]

_log = logger_of(__name__)

_LEFT = Departure(EventKind.LEFT, "member left")
_EXPIRED = Departure(EventKind.FENCED, "member expired")
#: The requests that may remove members of a classic group; None means a timer.
_MAY_REMOVE = (JoinGroup, LeaveGroup, SyncGroup, type(None))


class Listener:
    """The receiver of events, called on the event loop. Its exceptions are counted, and the first is logged."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self._tell = tell
        self.failures = 0

    def tell(self, events: Iterable[Event]) -> None:
        """Report these events."""
        for event in events:
            with self.guarded():
                self._tell(event)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Suppress any exception of the block, so that the groups are not affected."""
        try:
            yield
        except Exception:
            self.failures += 1
            if self.failures == 1:
                _log.exception("the history listener failed; further failures are only counted")


class Chronicle:
    """The reports of one coordinator. This class reports nothing."""

    def know(self, topics: Topics) -> None:
        """The topics have changed; these are the current ones."""

    def read(self, batch: LoggedBatch, *, is_new: bool) -> None:
        """A batch was read from the log; ``is_new`` if it was written after the coordinator started."""

    def note(self, outcome: Outcome, request: Request | None, offset: int, at: int) -> None:
        """An outcome was applied. Its records are in the log from ``offset`` on; ``at`` is in milliseconds."""

    def end_transaction(self, request: EndTransaction, offset: int, at: int) -> None:
        """A transaction ended, and its marker is in the log."""


class ReportingChronicle(Chronicle):
    """Reports to a listener. ``source`` is the coordinator's name, ``cluster`` the cluster's id."""

    def __init__(self, source: str, cluster: str, listener: Listener) -> None:
        self._story = RecordStory(source, cluster)
        self._listener = listener

    def know(self, topics: Topics) -> None:
        """These are the current topics. The names of deleted topics are kept."""
        self._story.know({topic_id: topic.name for topic_id, topic in topics.by_id.items()})

    def read(self, batch: LoggedBatch, *, is_new: bool) -> None:
        """Restore the earlier state. A transaction that has ended since is new: no other coordinator reports it."""
        offset, at = batch.header.base_offset, batch.header.max_timestamp
        with self._listener.guarded():
            events = self._story.tell(_rows(batch.records, offset, at))
            if batch.end is not None:
                events += self._story.end_transaction(batch.end.producer_id, batch.end.is_commit, offset, at)
            if is_new:
                self._listener.tell(events)

    def note(self, outcome: Outcome, request: Request | None, offset: int, at: int) -> None:
        """Report the events of an outcome."""
        with self._listener.guarded():
            if isinstance(request, _MAY_REMOVE):
                self._note_gone(outcome, request)
            if outcome.records:
                known = Known(_departure(request), _committer(request))
                self._listener.tell(self._story.tell(_rows(outcome.records, offset, at), known))

    def _note_gone(self, outcome: Outcome, request: Request | None) -> None:
        """Note which members of classic groups are gone: no record says so until the next generation."""
        how = _departure(request)
        if how is None:
            return
        for group in outcome.classic:
            for member_id in self._story.members(group.group_id) - group.members.keys():
                self._story.note_gone(group.group_id, member_id, how)

    def end_transaction(self, request: EndTransaction, offset: int, at: int) -> None:
        """Report the offsets that the transaction committed, if it did."""
        with self._listener.guarded():
            self._listener.tell(self._story.end_transaction(request.producer_id, request.is_commit, offset, at))


def _rows(records: Sequence[Record], offset: int, at: int) -> list[Row]:
    return [Row(offset + index, at, record) for index, record in enumerate(records)]


def _departure(request: Request | None) -> Departure | None:
    """How the members removed by this request or a timer leave, unless the outcome records a cause."""
    if request is None:
        return _EXPIRED
    is_leaving = isinstance(request, ConsumerGroupHeartbeat) and request.member_epoch < 0
    return _LEFT if is_leaving or isinstance(request, LeaveGroup) else None


def _committer(request: Request | None) -> str | None:
    return request.member_id or None if isinstance(request, OffsetCommit) else None

"""The counters of a consumer. Only one thread writes to each class; any thread may read.

To keep the cost low, they are updated per fetch, poll, commit and rebalance, not per record. The fetch buffers count
the records that they hand over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import Factory

from kafka_nextgen import clocks
from kafka_nextgen.engine.observability.hooks import LATE_S, HookList, wall_s
from kafka_nextgen.engine.observability.rebalance import Rebalance, RebalanceCause
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.lazy_attrs import define
from kafka_nextgen.metrics.timings import Timings
from kafka_nextgen.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from kafka_nextgen.engine.observability.rebalance_rules import RebalanceRules

__all__ = ["CommitCounters", "Counters", "FetchCounters", "GroupCounters", "PollCounters"]


@define
class FetchCounters:
    """Fetches; written by the I/O thread. Times are in monotonic seconds."""

    failed: int = 0
    records: int = 0
    bytes: int = 0
    latency: Timings = Factory(Timings)

    def count_records(self, decoded: Iterable[DecodedPartition]) -> None:
        """Count the records of a Fetch response."""
        for part in decoded:
            if part.columns is not None:
                self.records += len(part.columns.offsets)
                self.bytes += part.columns.data_bytes


@define
class CommitCounters:
    """Commits; written by the I/O thread."""

    hooks: HookList
    failed: int = 0
    latency: Timings = Factory(Timings)

    @contextmanager
    def counted(self, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> Iterator[None]:
        """Count the block as one commit of ``offsets``, which has failed if the block raises."""
        began = clocks.monotonic()
        failure: BaseException | None = None
        try:
            yield
        except BaseException as error:
            failure = error
            raise
        finally:
            self.note(offsets, began, failure)

    def note(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata], began: float, failure: BaseException | None
    ) -> None:
        """Count a commit that began at ``began`` (monotonic seconds) and ends now."""
        now = clocks.monotonic()
        self.failed += failure is not None
        self.latency.note(now - began, now)
        if self.hooks and offsets:
            began_at = wall_s(began)
            self.hooks.each(lambda hooks: hooks.committed(offsets, began_at, now - began, failure))


@define
class GroupCounters:
    """Heartbeats and rebalances of the member, derived from its events and effects; written by the I/O thread."""

    hooks: HookList
    heartbeats: int = 0
    failed: int = 0
    latency: Timings = Factory(Timings)
    failed_rebalances: int = 0
    rebalance_latency: Timings = Factory(Timings)
    rebalanced_at: float | None = None
    unanswered_since: float | None = None  # when the first heartbeat after the last successful one was sent
    by_cause: dict[RebalanceCause, int] = Factory(lambda: dict.fromkeys(RebalanceCause, 0))
    _sent_at: dict[int, float] = Factory(dict)

    def watch(self, event: object, effects: Iterable[object], now: float, rules: RebalanceRules[Any]) -> None:
        """Count the heartbeats in an event of the member and in its effects."""
        if isinstance(event, rules.FAILED):
            self._ended(event.number, True, now)
        elif isinstance(event, rules.KEPT):
            self._ended(event.number, False, now)
        for effect in effects:
            if isinstance(effect, rules.LEFT):
                self.unanswered_since = None
            if isinstance(effect, rules.SENT):
                self.heartbeats += 1
                self._sent_at = {effect.number: now}  # only one is in flight at a time
                self.unanswered_since = now if self.unanswered_since is None else self.unanswered_since

    def _ended(self, number: int, failed: bool, now: float) -> None:
        self.failed += failed
        self.unanswered_since = self.unanswered_since if failed else None
        sent_at = self._sent_at.pop(number, None)
        if sent_at is not None and not failed:
            self.latency.note(now - sent_at, now)

    def note_rebalance(self, rebalance: Rebalance, now: float) -> None:
        """Count a finished rebalance."""
        self.rebalance_latency.note(rebalance.duration_ms / 1000, now)
        self.rebalanced_at = now
        self.by_cause[rebalance.cause] += 1
        self.failed_rebalances += rebalance.error is not None or rebalance.cause is RebalanceCause.FAILED
        self.hooks.each(lambda hooks: hooks.rebalanced(rebalance))


@define
class PollCounters:
    """Polls and callbacks; written by the application's thread."""

    hooks: HookList
    _now: Callable[[], float] = clocks.monotonic
    polls: int = 0
    began_at: float | None = None
    between: Timings = Factory(Timings)
    inside: Timings = Factory(Timings)
    callbacks: Timings = Factory(Timings)
    run_error: str | None = None  # the error that ended ``run``; reset by the next poll
    _callback_began: float = 0.0
    _callback_ended: float | None = None
    _ended_at: float = 0.0

    def begin(self) -> float:
        """Begin a poll; returns the current time (monotonic seconds)."""
        now = self._now()
        if self.began_at is not None:
            self.between.note(now - self.began_at, now)
            late_s = now - self._ended_at
            if late_s > LATE_S and self.hooks:
                began_at = wall_s(self._ended_at)
                self.hooks.each(lambda hooks: hooks.polled_late(began_at, late_s))
        self.polls += 1
        self.began_at = now
        self.run_error = None
        return now

    def end(self) -> None:
        """End the poll."""
        now = self._ended_at = self._now()
        assert self.began_at is not None, "it began"
        self.inside.note(now - self.began_at, now)

    def note_waits(self, polls: int, waited_s: float) -> None:
        """Count polls since the last one began, which took ``waited_s`` seconds in total, and waits of iteration."""
        now = self._now()
        if polls and self.began_at is not None:
            self.between.note(now - self.began_at, now, polls, (now - self.began_at) / polls)
            self.began_at = now
        self.polls += polls
        self.inside.note(waited_s, now, polls)

    def begin_callback(self) -> None:
        """Begin a callback."""
        self._callback_began = self._now()

    def note_callback_end(self) -> None:
        """Note the time at which the callback ended; repeated calls are ignored."""
        if self._callback_ended is None:
            self._callback_ended = self._now()

    def end_callback(self) -> tuple[float, float]:
        """Count the callback; returns the times of its beginning and end."""
        ended = self._now() if self._callback_ended is None else self._callback_ended
        self._callback_ended = None
        self.callbacks.note(ended - self._callback_began, ended)
        return self._callback_began, ended


@define
class Counters:
    """All counters of a consumer; they also call the ``hooks`` for commits, rebalances and late polls."""

    hooks: HookList
    now: Callable[[], float] = clocks.monotonic
    fetches: FetchCounters = Factory(FetchCounters)
    commits: CommitCounters = Factory(lambda self: CommitCounters(self.hooks), takes_self=True)
    group: GroupCounters = Factory(lambda self: GroupCounters(self.hooks), takes_self=True)
    polls: PollCounters = Factory(lambda self: PollCounters(self.hooks, self.now), takes_self=True)

"""The coordinator of one partition of the offsets topic, on the node that leads it.

The outcome of each request is stored, then committed, and only then answered. If it can't be stored, nothing changes:
the request and those that the outcome would have released are answered with an error. Timers run on the event loop;
their outcomes are stored in the same way, and retried if that fails.

A coordinator first reads its log. It ends when another node leads its partition; parked requests are then answered with
NOT_COORDINATOR.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from enum import Enum
from typing import TypeVar

from kafka_nextgen.broker.coordination.chronicle import Chronicle
from kafka_nextgen.broker.coordination.journal import Journal
from kafka_nextgen.broker.coordination.meters import Meters
from kafka_nextgen.broker.coordination.parking import Parking
from kafka_nextgen.broker.coordination.refusals import refuse
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.classic.responses import Parked
from kafka_nextgen.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.coordinator.requests import ConfigsChanged, EndTransaction, Request, TopicImage, TopicsChanged
from kafka_nextgen.coordinator.responses import Response
from kafka_nextgen.errors import CorruptRecordError, StorageError
from kafka_nextgen.logs import logger_of
from kafka_nextgen.transport.timers import Timer

__all__ = ["RETRY_S", "Shard", "Standing"]

_T = TypeVar("_T")

_logger = logger_of(__name__)

RETRY_S = 0.5  # after the log could not be written, as in Kafka


class Standing(Enum):
    """The state of a coordinator, with the error of its answers."""

    LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    ACTIVE = ErrorCode.NONE
    OVER = ErrorCode.NOT_COORDINATOR  # the partition is led elsewhere, or its log can't be read


class Shard:
    """The coordinator of one partition, on node ``node_id``.

    ``clock`` gives seconds since the epoch; ``meters`` are shared by all coordinators of the broker, and ``chronicle``
    reports the events of this one.
    """

    def __init__(
        self,
        node_id: int,
        journal: Journal,
        coordinator: Coordinator,
        clock: Callable[[], float],
        meters: Meters,
        chronicle: Chronicle | None = None,
    ) -> None:
        self.node_id = node_id
        self.standing = Standing.LOADING
        self.log = journal.log
        self._journal = journal
        self.coordinator = coordinator
        self._clock = clock
        self._meters = meters
        self._chronicle = chronicle or Chronicle()
        self._parking = Parking()
        self._timer = Timer(self.expire)
        self._loading: asyncio.Task[None] | None = None
        self._news: Mapping[str, TopicImage] | None = None
        self._is_resumed = True  # whether the outcomes of ``restart`` are stored and committed

    def start(self, topics: Mapping[str, TopicImage], may_load: asyncio.Event) -> None:
        """Become active: at once if the log is empty, else when it has been read, once ``may_load`` is set."""
        self._news = topics
        new_from = self.log.end_offset
        if self.log.start_offset == self.log.end_offset and may_load.is_set():
            self.standing = Standing.ACTIVE
        else:
            self._loading = asyncio.get_running_loop().create_task(self._load(may_load, new_from))

    def close(self) -> None:
        """Stop, and answer parked requests with NOT_COORDINATOR."""
        self.standing = Standing.OVER
        self._timer.set(None)
        if self._loading is not None:
            self._loading.cancel()
        self._parking.refuse_all(ErrorCode.NOT_COORDINATOR)

    def ask(self, request: Request) -> Response | None:
        """Handle a request; ``Parked`` if it has to wait, None if it will never be answered."""
        if self.standing is not Standing.ACTIVE:
            return refuse(request, self.standing.value)
        self._learn_topics()
        outcome = self._worked_out(lambda now: self.coordinator.handle(request, now))
        error = self._store(outcome, request)
        self._arm()
        return outcome.response if error is ErrorCode.NONE else refuse(request, error)

    async def ask_and_wait(self, request: Request, number: int) -> Response | None:
        """Handle a request that may be parked under ``number``, and wait for its answer; None if there will be none."""
        response = self.ask(request)
        if isinstance(response, Parked):
            return await self._parking.wait(number, request)
        return response

    def end_transaction(self, request: EndTransaction) -> None:
        """Commit or drop pending offsets. If the log is still being read, its marker does that when it is read."""
        if self.standing is Standing.ACTIVE:
            now = self._clock()
            self.coordinator.commit(self.coordinator.handle(request, now))
            self._chronicle.end_transaction(request, self.log.end_offset - 1, int(now * 1000))

    def configure(self, configs: ConfigsChanged) -> None:
        """Change the configuration, which coordinators do not store."""
        self.coordinator.commit(self.coordinator.handle(configs, self._clock()))

    def tell_topics(self, topics: Mapping[str, TopicImage]) -> None:
        """Tell the coordinator about changed topics; without groups it learns of them with the next request."""
        self._news = topics
        if self.standing is Standing.ACTIVE and self.coordinator.groups:
            self._learn_topics()
            self._arm()

    def _learn_topics(self) -> None:
        if self._news is not None:
            news = TopicsChanged(self._news)
            outcome = self._worked_out(lambda now: self.coordinator.handle(news, now))
            if self._store(outcome, news) is ErrorCode.NONE:
                self._news = None

    def _worked_out(self, work: Callable[[float], _T]) -> _T:
        began = self._clock()
        result = work(began)
        now = self._clock()
        self._meters.processing.note(now - began, now)
        return result

    def _store(self, outcome: Outcome, request: Request | None = None) -> ErrorCode:
        """Store an outcome and commit it; if it can't be stored, nothing changes."""
        began = self._clock()
        offset, at = self.log.end_offset, int(began * 1000)
        error = self._journal.append(outcome.records, at)
        if error is not ErrorCode.NONE:
            self._parking.refuse((number for number, _ in outcome.released), error)
            return error
        if outcome.records:
            now = self._clock()
            self._meters.flushing.note(now - began, now)
            self._meters.note_stored(request, outcome.records, now)
        self.coordinator.commit(outcome)
        if outcome.topics is not None:
            self._chronicle.know(outcome.topics)
        self._chronicle.note(outcome, request, offset, at)
        for note in outcome.notes:
            _logger.info("%s", note)
        for number, response in outcome.released:
            self._parking.release(number, response)
        return error

    async def _load(self, may_load: asyncio.Event, new_from: int) -> None:
        await may_load.wait()
        began = self._clock()
        try:
            await self._journal.load(self.coordinator, self._clock(), self._chronicle, new_from)
            self._learn_topics()
            self._resume()
        except Exception as error:  # even after a bug: clients must not be told forever that it loads
            self.standing = Standing.OVER
            is_bug = not isinstance(error, (CorruptRecordError, StorageError))
            _logger.error("can't read the groups of %s: %s", self.log.partition, error, exc_info=is_bug)
            return
        self.standing = Standing.ACTIVE
        now = self._clock()
        self._meters.loading.note(now - began, now)
        self._arm()

    def _resume(self) -> None:
        """Commit the outcomes of ``restart``, which begin the members' sessions. ``expire`` retries if that fails."""
        outcomes = self._worked_out(self.coordinator.restart)
        self._is_resumed = {self._store(outcome) for outcome in outcomes} <= {ErrorCode.NONE}

    def expire(self) -> None:
        """Handle expired timers."""
        try:
            if not self._is_resumed:
                self._resume()
            outcomes = self._worked_out(self.coordinator.expire)
            errors = {self._store(outcome) for outcome in outcomes} - {ErrorCode.NONE}
        except Exception:  # a bug; an immediate retry would loop, so the next request sets the timer
            _logger.exception("the timers of the coordinator of %s failed", self.log.partition)
            return
        if errors:
            self._timer.set_after(RETRY_S)
        else:
            self._arm()

    def _arm(self) -> None:
        if not self._is_resumed:
            self._timer.set_after(RETRY_S)
            return
        deadline = self.coordinator.deadline()
        self._timer.set_after(None if deadline is None else deadline - self._clock())

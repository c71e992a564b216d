"""One coordinator at work: that of one partition of the offsets topic, on the node that leads it.

It is asked, its outcome is stored, then put into force, and only then answered. What can't be stored did not happen:
the request is answered with an error, and so are those that the outcome would have released. Timers run on the event
loop; what they come to is stored the same way, and tried again if that fails.

It begins by reading its log, and ends when another node leads its partition; parked requests are then told to look for
the coordinator.
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

RETRY_S = 0.5  # after the log could not be written, as Kafka's timers do it


class Standing(Enum):
    """What a coordinator can do, with what it answers until it can."""

    LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    ACTIVE = ErrorCode.NONE
    OVER = ErrorCode.NOT_COORDINATOR  # the partition is led elsewhere, or its log can't be read


class Shard:
    """The coordinator of one partition, on node ``node_id``.

    ``clock`` gives seconds since the epoch; ``meters`` count what all coordinators of the broker do, and ``chronicle``
    tells what this one does.
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
        self._is_resumed = True  # what a new coordinator does first is stored and in force

    def start(self, topics: Mapping[str, TopicImage], may_load: asyncio.Event) -> None:
        """Become active: at once if the log says nothing, else when it has been read, once ``may_load`` is set."""
        self._news = topics
        new_from = self.log.end_offset
        if self.log.start_offset == self.log.end_offset and may_load.is_set():
            self.standing = Standing.ACTIVE
        else:
            self._loading = asyncio.get_running_loop().create_task(self._load(may_load, new_from))

    def close(self) -> None:
        """Coordinate no more."""
        self.standing = Standing.OVER
        self._timer.set(None)
        if self._loading is not None:
            self._loading.cancel()
        self._parking.refuse_all(ErrorCode.NOT_COORDINATOR)

    def ask(self, request: Request) -> Response | None:
        """Put a request to the coordinator; ``Parked`` if it has to wait, None if it will never be answered."""
        if self.standing is not Standing.ACTIVE:
            return refuse(request, self.standing.value)
        self._learn_topics()
        outcome = self._worked_out(lambda now: self.coordinator.handle(request, now))
        error = self._store(outcome, request)
        self._arm()
        return outcome.response if error is ErrorCode.NONE else refuse(request, error)

    async def ask_and_wait(self, request: Request, number: int) -> Response | None:
        """Put a request that may be parked under ``number``, and wait for its answer; None if there will be none."""
        response = self.ask(request)
        if isinstance(response, Parked):
            return await self._parking.wait(number, request)
        return response

    def end_transaction(self, request: EndTransaction) -> None:
        """Let pending offsets count, or drop them. The marker says so in the log, be that read or still to be read."""
        if self.standing is Standing.ACTIVE:
            now = self._clock()
            self.coordinator.commit(self.coordinator.handle(request, now))
            self._chronicle.end_transaction(request, self.log.end_offset - 1, int(now * 1000))

    def configure(self, configs: ConfigsChanged) -> None:
        """Go by this configuration from now on. It is not the coordinator's to store."""
        self.coordinator.commit(self.coordinator.handle(configs, self._clock()))

    def tell_topics(self, topics: Mapping[str, TopicImage]) -> None:
        """Let the coordinator know of the topics; one without groups learns of them when a client asks it."""
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
        """Store an outcome and put it into force; or, if that can't be, let nothing have happened."""
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
        except Exception as error:  # also after a bug: clients must not be told that it loads for ever
            self.standing = Standing.OVER
            is_bug = not isinstance(error, (CorruptRecordError, StorageError))
            _logger.error("the groups of %s are out of reach: %s", self.log.partition, error, exc_info=is_bug)
            return
        self.standing = Standing.ACTIVE
        now = self._clock()
        self._meters.loading.note(now - began, now)
        self._arm()

    def _resume(self) -> None:
        """Do what a new coordinator does first. If it can't be stored no member has a session, so it is tried again.

        Until then no session can end, either: that could not be stored.
        """
        outcomes = self._worked_out(self.coordinator.restart)
        self._is_resumed = {self._store(outcome) for outcome in outcomes} <= {ErrorCode.NONE}

    def expire(self) -> None:
        """Serve the timers that have run out."""
        try:
            if not self._is_resumed:
                self._resume()
            outcomes = self._worked_out(self.coordinator.expire)
            errors = {self._store(outcome) for outcome in outcomes} - {ErrorCode.NONE}
        except Exception:  # a bug; trying the same again at once would be a loop, so the next request arms
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

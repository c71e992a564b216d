"""The driver of one coordinator: that of one partition of the offsets topic, on the node that leads it.

The outcome of a request is stored, then applied; then the response is sent. An outcome that can't be stored is
dropped: the request gets an error, like the parked requests that it would have released. Timers run on the event
loop; their outcomes are stored the same way, but storing them is retried if it fails.

A coordinator starts by reading its log, and stops when another node leads its partition. Parked requests are then
answered with NOT_COORDINATOR.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import TypeVar

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import CorruptRecordError, StorageError
from kafka_nextgen.groups.end_transaction import EndTransaction
from kafka_nextgen.logs import logger_of
from kafka_nextgen.testing.broker.coordination.chronicle import Chronicle
from kafka_nextgen.testing.broker.coordination.journal import Journal
from kafka_nextgen.testing.broker.coordination.meters import Meters
from kafka_nextgen.testing.broker.coordination.refusals import refuse
from kafka_nextgen.testing.coordinator.classic.requests import JoinGroup, SyncGroup
from kafka_nextgen.testing.coordinator.classic.responses import Parked
from kafka_nextgen.testing.coordinator.coordinator import Coordinator, Outcome
from kafka_nextgen.testing.coordinator.requests import ConfigsChanged, Request, TopicImage, TopicsChanged
from kafka_nextgen.testing.coordinator.responses import Response
from kafka_nextgen.transport.waiting import Timer

__all__ = ["RETRY_S", "Shard", "Standing"]

_T = TypeVar("_T")

_logger = logger_of(__name__)

RETRY_S = 0.5  # for timers, after the log could not be written, as in Kafka


class Standing(Enum):
    """Whether a coordinator handles requests, and the error that it answers them with if not."""

    LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    ACTIVE = ErrorCode.NONE
    OVER = ErrorCode.NOT_COORDINATOR  # the partition is led elsewhere, or its log can't be read


class Shard:
    """The coordinator of one partition, on node ``node_id``.

    ``clock`` gives seconds since the Unix epoch; ``meters`` count for all coordinators of the broker, and ``chronicle``
    reports what this one does.
    """

    def __init__(
        self,
        node_id: int,
        journal: Journal,
        coordinator: Coordinator,
        clock: Callable[[], float],
        meters: Meters,
        chronicle: Chronicle,
    ) -> None:
        self.node_id = node_id
        self.standing = Standing.LOADING
        self.log = journal.log
        self._journal = journal
        self.coordinator = coordinator
        self._clock = clock
        self._meters = meters
        self._chronicle = chronicle
        self._parking = _Parking()
        self._timer = Timer(self.expire)
        self._loading: asyncio.Task[None] | None = None
        self._new_topics: Mapping[str, TopicImage] | None = None
        self._has_restarted = True  # the outcomes of ``Coordinator.restart`` are stored and applied

    def start(self, topics: Mapping[str, TopicImage], may_load: asyncio.Event) -> None:
        """Become active: immediately if the log is empty, otherwise after reading it, which waits for ``may_load``."""
        self._new_topics = topics
        new_from = self.log.end_offset
        if self.log.start_offset == self.log.end_offset and may_load.is_set():
            self.standing = Standing.ACTIVE
        else:
            self._loading = asyncio.get_running_loop().create_task(self._load(may_load, new_from))

    def close(self) -> None:
        """Stop."""
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
        outcome = self._measured(lambda now: self.coordinator.handle(request, now))
        error = self._store(outcome, request)
        self._arm()
        return outcome.response if error is ErrorCode.NONE else refuse(request, error)

    async def ask_and_wait(self, request: JoinGroup | SyncGroup) -> Response | None:
        """Handle a request that may be parked, and wait for its answer; None if it will never be answered."""
        response = self.ask(request)
        return await self._parking.wait(request.number, request) if isinstance(response, Parked) else response

    def end_transaction(self, request: EndTransaction) -> None:
        """Commit or drop pending offsets. The marker is in the log, so a coordinator that is loading will read it."""
        if self.standing is Standing.ACTIVE:
            now = self._clock()
            self.coordinator.commit(self.coordinator.handle(request, now))
            self._chronicle.end_transaction(request, self.log.end_offset - 1, int(now * 1000))

    def configure(self, configs: ConfigsChanged) -> None:
        """Change the configuration. The coordinator does not store it."""
        self.coordinator.commit(self.coordinator.handle(configs, self._clock()))

    def tell_topics(self, topics: Mapping[str, TopicImage]) -> None:
        """Pass on the topics. A coordinator without groups gets them with its next request."""
        self._new_topics = topics
        if self.standing is Standing.ACTIVE and self.coordinator.groups:
            self._learn_topics()
            self._arm()

    def _learn_topics(self) -> None:
        if self._new_topics is not None:
            news = TopicsChanged(self._new_topics)
            outcome = self._measured(lambda now: self.coordinator.handle(news, now))
            if self._store(outcome, news) is ErrorCode.NONE:
                self._new_topics = None

    def _measured(self, work: Callable[[float], _T]) -> _T:
        began = self._clock()
        result = work(began)
        now = self._clock()
        self._meters.processing.note(now - began, now)
        return result

    def _store(self, outcome: Outcome, request: Request | None = None) -> ErrorCode:
        """Store an outcome and apply it; drop it if it can't be stored."""
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
            self._restart()
        except Exception as error:  # also for bugs: otherwise clients would get COORDINATOR_LOAD_IN_PROGRESS forever
            self.standing = Standing.OVER
            is_bug = not isinstance(error, (CorruptRecordError, StorageError))
            _logger.error("can't read the groups of %s: %s", self.log.partition, error, exc_info=is_bug)
            return
        self.standing = Standing.ACTIVE
        now = self._clock()
        self._meters.loading.note(now - began, now)
        self._arm()

    def _restart(self) -> None:
        """Restart the coordinator after its log was read. This is retried until the outcomes are stored: until then, no
        member has a session timer.
        """
        outcomes = self._measured(self.coordinator.restart)
        self._has_restarted = {self._store(outcome) for outcome in outcomes} <= {ErrorCode.NONE}

    def expire(self) -> None:
        """Handle the timers that have expired."""
        try:
            if not self._has_restarted:
                self._restart()
            outcomes = self._measured(self.coordinator.expire)
            errors = {self._store(outcome) for outcome in outcomes} - {ErrorCode.NONE}
        except Exception:  # a bug; the next request arms the timer, because retrying immediately would loop
            _logger.exception("the timers of the coordinator of %s failed", self.log.partition)
            return
        if errors:
            self._timer.set_after(RETRY_S)
        else:
            self._arm()

    def waiting_events(self) -> int:
        """The number of timers that are due but not handled; a restart whose outcomes are not stored counts as one."""
        return len(self.coordinator.timers.due(self._clock())) + (not self._has_restarted)

    def _arm(self) -> None:
        if not self._has_restarted:
            if not self._timer.is_set:  # a busy group's requests must not delay the next retry
                self._timer.set_after(RETRY_S)
            return
        deadline = self.coordinator.deadline()
        self._timer.set_after(None if deadline is None else deadline - self._clock())


class _Parking:
    """The parked requests of one coordinator, by number: JoinGroups and SyncGroups that wait for other members.

    A request is cancelled when its connection ends. The coordinator can't know that, and still treats the member as
    waiting.
    """

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Request, asyncio.Future[Response | None]]] = {}

    async def wait(self, number: int, request: Request) -> Response | None:
        """Wait for the answer to a request; None if it will never be answered."""
        answer: asyncio.Future[Response | None] = asyncio.get_running_loop().create_future()
        self._waiting[number] = request, answer
        try:
            return await answer
        finally:
            del self._waiting[number]

    def release(self, number: int, response: Response | None) -> None:
        """Answer a request, unless it was cancelled."""
        if number in self._waiting and not self._waiting[number][1].done():
            self._waiting[number][1].set_result(response)

    def refuse(self, numbers: Iterable[int], error: ErrorCode) -> None:
        """Answer these requests with an error, because their answers could not be stored."""
        for number in numbers:
            if number in self._waiting:
                self.release(number, refuse(self._waiting[number][0], error))

    def refuse_all(self, error: ErrorCode) -> None:
        """Answer all requests with an error, because no outcome will release them."""
        self.refuse(tuple(self._waiting), error)

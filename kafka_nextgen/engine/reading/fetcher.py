"""Drives fetching on the I/O thread: carries out the requests that the fetch state plans, and applies the answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress

from kafka_nextgen import clocks
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.observability.counters import FetchCounters
from kafka_nextgen.engine.offsets.group_offsets import GroupOffsets
from kafka_nextgen.engine.reading.fetch_exchange import FetchExchange
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.engine.reading.position_queries import PositionQueries
from kafka_nextgen.engine.reading.record_decoder import RecordDecoder
from kafka_nextgen.engine.settings import record_limits
from kafka_nextgen.errors import DecodeError, KafkaNextgenError, RequestTimeoutError
from kafka_nextgen.fetching import (
    NO_RANGES,
    Arrival,
    DecodedPartition,
    Fetch,
    Need,
    NeedEpochEnds,
    NeedOffsetReset,
    SessionAnswer,
    Truncation,
    find_arrivals,
)
from kafka_nextgen.logs import logger_of
from kafka_nextgen.requests.fetch import FetchAnswer, from_response
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.deadline import wait_for_event
from kafka_nextgen.transport.failures import error_from_code
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.transport.retrying import FailureLog
from kafka_nextgen.transport.timers import Timer
from kafka_nextgen.types import OffsetRange, TopicId, TopicPartition, format_partitions
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import FETCH

__all__ = ["Fetcher"]

logger = logger_of("kafka_nextgen.fetch")

#: A steady state begins after this many small answers in a row; the maximum record bytes of a small answer.
SMALL_BEFORE_STEADY, MOST_SMALL_BYTES = 4, 8 * 1024

NO_PARTITIONS: frozenset[TopicPartition] = frozenset()

_LEAST_DELAY_S = 0.001  # until the next plan: requests that become due within it are planned together


class Fetcher:
    """The I/O side of fetching."""

    def __init__(
        self,
        config: ConsumerConfig,
        cluster: ClusterClient,
        offsets: GroupOffsets,
        fetches: LockedFetches,
        mailbox: Mailbox,
        tasks: TaskSet,
        counters: FetchCounters,
    ) -> None:
        self._config = config
        self._cluster = cluster
        self._offsets = offsets
        self._fetches = fetches
        self._mailbox = mailbox
        self._tasks = tasks
        self._counters = counters
        self._queries = PositionQueries(config, cluster, offsets, fetches)
        self._decoder = RecordDecoder(record_limits(config), config.check_crcs)
        self._timer = Timer(self.pump)
        self._changed: asyncio.Event | None = None  # set while find_position waits
        self._gone: frozenset[TopicPartition] = frozenset()  # deleted topics' partitions that have been logged
        self._has_news = False  # whether the application must be woken
        self._closed = False
        self._failure_logs: dict[str, FailureLog] = {}  # by type of request, and node
        self._small_answers: dict[int, int] = {}  # number in a row, by node

    # ---- the assignment

    def assign(
        self,
        partitions: Collection[TopicPartition],
        added: Collection[TopicPartition],
        topic_ids: Mapping[str, TopicId],
        ranges: Mapping[TopicPartition, OffsetRange] = NO_RANGES,
    ) -> None:
        """Replace the assignment with ``partitions``; kept ones continue, but their earlier ranges no longer apply."""
        with self._fetches as state:
            state.assign(partitions, added, topic_ids, ranges)
        self._offsets.assigned(partitions, added)
        self.pump()

    def release(self, partitions: Iterable[TopicPartition]) -> None:
        """Allow the newly assigned partitions to be fetched."""
        with self._fetches as state:
            state.release(partitions)
        self.pump()

    def let_go(self, partitions: Collection[TopicPartition]) -> None:
        """Note that the application has handled the revocation, and committed the offsets it wants to commit."""
        self._fetches.let_go(partitions)

    def stop(self, partitions: Iterable[TopicPartition]) -> None:
        """Hand over no more records of these partitions, even if a poll has already found some."""
        stopped = frozenset(partitions)
        with self._fetches as state:
            state.stop(stopped)
            self._mailbox.note_news()
        self._offsets.stopped(stopped)
        self.pump()  # positions that are not known yet need no lookup any more

    async def find_position(self, partition: TopicPartition, timeout_s: float) -> int:
        """Return the offset of the next record, once known; raises MisuseError if no longer assigned."""
        deadline = clocks.monotonic() + timeout_s
        while (position := self._fetches.look(lambda state: state.position(partition))) is None:
            changed = self._changed = self._changed or asyncio.Event()
            if not await wait_for_event(changed, max(0.0, deadline - clocks.monotonic())):
                raise RequestTimeoutError(f"{partition}: its position was not found within {timeout_s:g} s")
        return position

    # ---- requests

    def pump(self) -> None:
        """Start all requests that are planned now, and set the timer for the next ones."""
        for need in self._plan():
            self._begin(need)

    def _begin(self, need: Need) -> None:
        """Carry out a request in a task. A fetch is sent immediately, as a task only starts in the next iteration."""
        exchange = None
        if isinstance(need, Fetch):
            exchange = self._exchange_of(need)
            with suppress(Exception):  # the task retries and handles the error
                self._send(exchange)
        self._tasks.start(self._ask_until_done(need, exchange))

    def _plan(self) -> tuple[Need, ...]:
        if self._closed:
            return ()
        now = clocks.monotonic()
        image = self._cluster.metadata
        with self._fetches as state:
            others = state.planning.find_topics(image)
            needs = state.planning.plan(image, now)
            gone, lost, deadline = state.gone(), state.results.take_truncations(), state.planning.deadline(now)
            assigned = state.assignment() if others else NO_PARTITIONS
        if others:
            self._offsets.assigned(assigned, others)
        if others or gone != self._gone:
            self._tell_of_topics(others, gone)
        if lost:
            _tell_of_truncations(lost)
        self._timer.set_after(None if deadline is None else max(_LEAST_DELAY_S, deadline - now))
        if self._changed is not None:
            self._changed.set()
            self._changed = None
        return needs

    def _tell_of_topics(self, others: Collection[TopicPartition], gone: frozenset[TopicPartition]) -> None:
        if others:
            logger.warning(
                "%s: the topic was created again; reading starts over in the new one", format_partitions(others)
            )
        if gone - self._gone:
            logger.warning("%s: the topic was deleted; it is not read any more", format_partitions(gone - self._gone))
        self._gone = gone

    def close(self) -> None:
        """Stop planning requests."""
        self._closed = True
        self._decoder.close()
        self._timer.set_after(None)

    async def _ask_until_done(self, need: Need, exchange: FetchExchange | None = None) -> None:
        """Carry out a request, then the next planned one in the same task, as starting a new task would cost more.

        If ``exchange`` is given, its request has already been sent.
        """
        following: Need | None = need
        while following is not None:
            try:
                await self._ask_once(following, exchange)
            except Exception:  # a bug is reported to the application, and other requests continue
                self._mailbox.wake()
                self.pump()
                raise
            self._has_news, exchange = True, None
            following, *others = self._plan() or (None,)
            for other in others:
                self._begin(other)
            if not isinstance(following, Fetch):
                self._wake_application()

    def _wake_application(self) -> None:
        """Wake the application after the next fetch has been sent.

        This thread then has nothing more to do, and the application has the GIL to itself. If the application woke
        earlier, one of the two threads would have to wait for the GIL before the fetch is written.
        """
        if self._has_news:
            self._has_news = False
            self._mailbox.wake()

    async def _ask_once(self, need: Need, exchange: FetchExchange | None) -> None:
        """Carry out a request, and handle its failure."""
        try:
            if isinstance(need, Fetch):
                exchange = exchange or self._exchange_of(need)
                await self._fetch(exchange)
            else:
                await self._queries.ask(need)
            if self._failure_logs:
                self._failure_log(need).recovered()
        except KafkaNextgenError as failure:
            self._failure_log(need).failed(
                failure, logging.WARNING if isinstance(failure, DecodeError) else logging.INFO
            )
            self._failed(need if exchange is None else exchange.end())
            self._mailbox.post_unless_transient(failure)
        except Exception:  # a bug must not leave the partitions waiting forever
            self._failed(need if exchange is None else exchange.end())
            raise

    def _failure_log(self, need: Need) -> FailureLog:
        node = f" from node {need.node_id}" if isinstance(need, Fetch | NeedOffsetReset | NeedEpochEnds) else ""
        what = type(need).__name__ + node
        return self._failure_logs.setdefault(what, FailureLog(logger, what))

    def _failed(self, need: Need) -> None:
        self._counters.failed += isinstance(need, Fetch)
        with self._fetches as state:
            state.results.failed(need, clocks.monotonic())

    def _exchange_of(self, need: Fetch) -> FetchExchange:
        may_be_steady = self._small_answers.get(need.node_id, 0) >= SMALL_BEFORE_STEADY and not self._closed
        return FetchExchange(
            need, self._config, self._cluster, self._fetches, self._counters, self._mailbox.wake, may_be_steady
        )

    def _send(self, exchange: FetchExchange) -> None:
        """Start the exchange, if there is a connection to the node."""
        exchange.reply = exchange.reply or self._cluster.try_exchange(
            exchange.node, FETCH, exchange, exchange.timeout_s
        )

    async def _fetch(self, exchange: FetchExchange) -> None:
        """Fetch until an answer needs the slow path, and process that answer."""
        self._send(exchange)
        self._wake_application()
        answer = await (
            exchange.reply or self._cluster.run_exchange(exchange.node, FETCH, exchange, exchange.timeout_s)
        )
        assert isinstance(answer, m.FetchResponse)
        exchange.note_answer()
        last = exchange.end()
        await self._take_slow_path(last, from_response(answer, last.names))

    async def _take_slow_path(self, need: Fetch, answer: FetchAnswer) -> None:
        partitions = answer.partitions
        head = SessionAnswer(answer.error, answer.session_id, [each.partition for each in partitions])
        nbytes = sum([len(each.records or b"") for each in partitions])
        is_small = nbytes <= MOST_SMALL_BYTES
        self._small_answers[need.node_id] = self._small_answers.get(need.node_id, 0) + 1 if is_small else 0
        if self._decoder.is_quick(nbytes):
            decoded = self._decoder.decode_at_once(need, partitions)
            if self._receive(need, head, find_arrivals(need, partitions) if need.has_ends else {}):
                self._take_in(need, decoded)
        elif self._receive(need, head, find_arrivals(need, partitions)):
            self.pump()  # sends the next fetch before this answer is decoded
            self._take_in(need, await self._decoder.decode(need, partitions))

    def _take_in(self, need: Fetch, decoded: Sequence[DecodedPartition]) -> None:
        self._counters.note_records(decoded)
        with self._fetches as state:
            redirected = state.results.fetched(need, decoded, clocks.monotonic())
        if redirected:
            where, lease_s = format_partitions(redirected), self._config.metadata_max_age_ms / 1000
            logger.warning("%s: the preferred replica can't be read; for %g s the leader is, instead", where, lease_s)

    def _receive(self, need: Fetch, head: SessionAnswer, arrivals: Mapping[TopicPartition, Arrival]) -> bool:
        """Process the head of an answer on the slow path; returns whether its records are to be used."""
        with self._fetches as state:
            is_in_session = state.results.received(need, head, arrivals, clocks.monotonic())
        if not is_in_session:
            logger.debug("node %d: %s; asked in full again", need.node_id, name_of(head.error))
            return False
        if head.error != ErrorCode.NONE:
            raise error_from_code(head.error, f"fetch from node {need.node_id}")
        return True


def _tell_of_truncations(lost: Iterable[Truncation]) -> None:
    for one in lost:
        where = "auto.offset.reset decides where to go on" if one.diverging is None else "goes on there"
        logger.warning("%s; %s", one, where)

"""Drives fetching on the I/O thread: carries out the requests that the fetch state plans, and applies the answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress

from kafka_nextgen import clocks
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.observability.counters import FetchCounters
from kafka_nextgen.engine.offsets.group_offsets import GroupOffsets
from kafka_nextgen.engine.reading.fetch_exchange import ExchangeContext, FetchExchange
from kafka_nextgen.engine.reading.lent_sockets import LentSockets
from kafka_nextgen.engine.reading.locked_fetches import LockedFetches
from kafka_nextgen.engine.reading.position_queries import PositionQueries
from kafka_nextgen.engine.reading.record_decoder import SMALL_BYTES, RecordDecoder
from kafka_nextgen.engine.settings import record_limits
from kafka_nextgen.errors import DecodeError, KafkaNextgenError, RequestTimeoutError
from kafka_nextgen.fetching import (
    NO_RANGES,
    Fetch,
    Need,
    NeedEpochEnds,
    NeedOffsetReset,
    SessionAnswer,
    TopicChanges,
    Truncation,
    decode_answer,
    find_arrivals,
)
from kafka_nextgen.logs import logger_of
from kafka_nextgen.requests.fetch import FetchAnswer, from_response
from kafka_nextgen.requests.list_offsets import number_of
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.failures import error_from_code
from kafka_nextgen.transport.io_thread import TaskSet
from kafka_nextgen.transport.retrying import FailureLog
from kafka_nextgen.transport.waiting import Timer, wait_for_event
from kafka_nextgen.types import OffsetRange, TopicId, TopicPartition, format_partitions
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import FETCH

__all__ = ["Fetcher"]

logger = logger_of("kafka_nextgen.fetch")

#: The number of small answers in a row after which a steady state begins; the maximum record bytes of a small answer.
SMALL_BEFORE_STEADY, MOST_SMALL_BYTES = 4, 8 * 1024

#: The largest value of SMALL_BEFORE_STEADY after answers that were not plain. It doubles each time, because entering a
#: steady state visits all partitions, and answers with compressed records are never plain.
MOST_BEFORE_STEADY = 1024

_LEAST_DELAY_S = 0.001  # until the next plan; requests that become due in the meantime are planned together


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
        sockets: LentSockets | None = None,
        is_awaited: Callable[[], bool] = bool,
    ) -> None:
        self._config = config
        self._cluster = cluster
        self._offsets = offsets
        self._fetches = fetches
        self._mailbox = mailbox
        self._tasks = tasks
        self._counters = counters
        self._queries = PositionQueries(config, cluster, offsets, fetches)
        self._exchanges = ExchangeContext(
            config, cluster, fetches, counters, mailbox.wake, number_of(config.isolation_level), sockets, is_awaited
        )
        self._limits = record_limits(config)
        self._decoder = RecordDecoder(self._limits, config.check_crcs)
        self._timer = Timer(self.pump)
        self._changed: asyncio.Event | None = None  # set while find_position waits
        self._gone: frozenset[TopicPartition] = frozenset()  # deleted topics' partitions that have been logged
        self._closed = False
        self._failure_logs: dict[str, FailureLog] = {}  # by type of request, and node
        self._small_answers: dict[int, int] = {}  # number in a row, by node
        self._before_steady: dict[int, int] = {}  # how many have to come, by node, if not ``SMALL_BEFORE_STEADY``

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
        """Note that the application has handled the revocation, and has committed the offsets that it wants to keep."""
        self._fetches.let_go(partitions)

    def stop(self, partitions: Iterable[TopicPartition]) -> None:
        """Stop handing over records of these partitions, even if a poll has already found some."""
        stopped = frozenset(partitions)
        with self._fetches as state:
            state.stop(stopped)
            self._mailbox.note_news()
        self._offsets.stopped(stopped)
        self.pump()  # their unknown positions no longer need a lookup

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
        """Carry out a request in a task."""
        self._tasks.start(self._ask_until_done(need, self._send(need)))

    def _send(self, need: Need | None) -> FetchExchange | None:
        """Send a fetch immediately, because a task only starts in the next iteration; the task does everything else."""
        if not isinstance(need, Fetch):
            return None
        before_steady = self._before_steady.get(need.node_id, SMALL_BEFORE_STEADY)
        may_be_steady = self._small_answers.get(need.node_id, 0) >= before_steady and not self._closed
        exchange = FetchExchange(need, self._exchanges, may_be_steady)
        with suppress(Exception):  # the task tries again, and handles the error
            exchange.reply = self._cluster.try_exchange(exchange.node, FETCH, exchange, exchange.timeout_s)
        return exchange

    def _plan(self) -> tuple[Need, ...]:
        if self._closed:
            return ()
        now = clocks.monotonic()
        with self._fetches as state:
            plan = state.planning.plan(self._cluster.metadata, now)
            truncations = state.results.take_truncations() if state.results.new_truncations else ()
        if plan.topics is not None:
            self._report_topics(plan.topics)
        if truncations:
            _log_truncations(truncations)
        self._timer.set_after(None if plan.deadline is None else max(_LEAST_DELAY_S, plan.deadline - now))
        if self._changed is not None:
            self._changed.set()
            self._changed = None
        return plan.needs

    def _report_topics(self, topics: TopicChanges) -> None:
        """Report recreated topics to the offset machine, and log them and the deleted ones."""
        if topics.replaced:
            self._offsets.assigned(topics.assigned, topics.replaced)
            where = format_partitions(topics.replaced)
            logger.warning("%s: the topic was created again; reading starts over in the new one", where)
        if topics.gone - self._gone:
            where = format_partitions(topics.gone - self._gone)
            logger.warning("%s: the topic was deleted; it is no longer read", where)
        self._gone = topics.gone

    def close(self) -> None:
        """Stop planning requests."""
        self._closed = True
        self._decoder.close()
        self._timer.set_after(None)

    async def _ask_until_done(self, need: Need, exchange: FetchExchange | None) -> None:
        """Carry out a request, then the next planned one in the same task, because starting a new task would cost more.

        The application is woken after the next fetch has been sent. This thread then has nothing more to do, and the
        application has the GIL to itself. If it woke earlier, one of the two threads would have to wait for the GIL
        before the fetch is written.
        """
        following: Need | None = need
        while following is not None:
            try:
                if exchange is not None:
                    await self._fetch(exchange)
                else:
                    assert not isinstance(following, Fetch)
                    await self._queries.ask(following)
                if self._failure_logs:
                    self._failure_log(following).recovered()
            except KafkaNextgenError as failure:
                self._note_failure(following, exchange, failure)
            except Exception:  # a bug, reported to the application; partitions must not wait forever
                self._failed(following if exchange is None else exchange.end())
                self._mailbox.wake()
                self.pump()
                raise
            following, *others = self._plan() or (None,)
            exchange = self._send(following)
            for other in others:
                self._begin(other)
            self._mailbox.wake()

    async def _fetch(self, exchange: FetchExchange) -> None:
        """Fetch until an answer needs the slow path, and process that answer."""
        answer = await (
            exchange.reply or self._cluster.run_exchange(exchange.node, FETCH, exchange, exchange.timeout_s)
        )
        assert isinstance(answer, m.FetchResponse)
        now = clocks.monotonic()
        self._counters.latency.note(now - exchange.asked_at, now)
        fetch = exchange.end()
        if exchange.num_followed is not None:
            self._note_followed(fetch.node_id, exchange.num_followed)
        await self._take_slow_path(fetch, from_response(answer, fetch.names))

    def _note_followed(self, node_id: int, count: int) -> None:
        """Note how many answers a steady state has followed; if none, the next one begins later."""
        if count:
            self._before_steady.pop(node_id, None)
        else:
            before_steady = 2 * self._before_steady.get(node_id, SMALL_BEFORE_STEADY)
            self._before_steady[node_id] = min(before_steady, MOST_BEFORE_STEADY)
            self._small_answers[node_id] = 0

    async def _take_slow_path(self, fetch: Fetch, answer: FetchAnswer) -> None:
        """Decode and apply an answer; if it is large, the next fetch is sent before that."""
        partitions, decoded = answer.partitions, None
        nbytes = sum([len(each.records or b"") for each in partitions])
        is_small = nbytes <= MOST_SMALL_BYTES
        self._small_answers[fetch.node_id] = self._small_answers.get(fetch.node_id, 0) + 1 if is_small else 0
        if nbytes <= SMALL_BYTES and not self._decoder.num_waiting:
            decoded = decode_answer(fetch, partitions, self._limits, self._config.check_crcs)
        if not self._receive(fetch, answer, decoded is not None):
            return
        if decoded is None:
            self.pump()
            decoded = await self._decoder.decode(fetch, partitions)
        self._counters.count_records(decoded)
        with self._fetches as state:
            redirected = state.results.fetched(fetch, decoded, clocks.monotonic())
        if redirected:
            where, lease_s = format_partitions(redirected), self._config.metadata_max_age_ms / 1000
            logger.warning("%s: the preferred replica can't be read; reading from the leader for %g s", where, lease_s)

    def _receive(self, fetch: Fetch, answer: FetchAnswer, is_decoded: bool) -> bool:
        """Apply an answer without its records; returns whether its records should be used."""
        head = SessionAnswer(answer.error, answer.session_id, [each.partition for each in answer.partitions])
        arrivals = find_arrivals(fetch, answer.partitions) if fetch.has_ends or not is_decoded else {}
        with self._fetches as state:
            is_in_session = state.results.received(fetch, head, arrivals, clocks.monotonic())
        if not is_in_session:
            logger.debug("node %d: %s; repeating the request in full", fetch.node_id, name_of(head.error))
            return False
        if head.error != ErrorCode.NONE:
            raise error_from_code(head.error, f"fetch from node {fetch.node_id}")
        return True

    # ---- failures

    def _note_failure(self, need: Need, exchange: FetchExchange | None, failure: KafkaNextgenError) -> None:
        level = logging.WARNING if isinstance(failure, DecodeError) else logging.INFO
        self._failure_log(need).failed(failure, level)
        self._failed(need if exchange is None else exchange.end())
        self._mailbox.post_unless_transient(failure)

    def _failure_log(self, need: Need) -> FailureLog:
        node = f" from node {need.node_id}" if isinstance(need, Fetch | NeedOffsetReset | NeedEpochEnds) else ""
        what = type(need).__name__ + node
        return self._failure_logs.setdefault(what, FailureLog(logger, what))

    def _failed(self, need: Need) -> None:
        self._counters.failed += isinstance(need, Fetch)
        with self._fetches as state:
            state.results.failed(need, clocks.monotonic())


def _log_truncations(lost: Iterable[Truncation]) -> None:
    for one in lost:
        where = "auto.offset.reset decides where to continue" if one.diverging is None else "continuing there"
        logger.warning("%s; %s", one, where)

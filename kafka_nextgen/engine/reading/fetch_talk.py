"""Fetching from one broker, as a conversation.

As long as an answer is what most are (``reading_on``), it is taken in as it comes and the next fetch sent at once. The
answer that ends the conversation is kept, looked into as far as it was, for whoever awaits it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from attrs import evolve

from kafka_nextgen.bridge import fetch as bridge
from kafka_nextgen.bridge.fetch import FetchedPartition, FetchLimits
from kafka_nextgen.bridge.isolation import number_of
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.compiled import accelerator
from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.reading.record_decoder import RecordDecoder
from kafka_nextgen.engine.seeing.counters import FetchCounters
from kafka_nextgen.fetching import DecodedPartition, Fetch, SessionAnswer, places_of
from kafka_nextgen.transport.conversation import Errand
from kafka_nextgen.transport.reply import Reply
from kafka_nextgen.transport.targets import Node, Purpose
from kafka_nextgen.wire.apis import FETCH, Answer, Api
from kafka_nextgen.wire.fetch_request import WITH_TOPIC_IDS, RawFetchRequest
from kafka_nextgen.wire.fetch_response import read_fetch_response
from kafka_nextgen.wire.frames import client_head
from kafka_nextgen.wire.plain_decoding import DecodedFetchAnswer, Places
from kafka_nextgen.wire.raw_fetch import RawFetchAnswer

if TYPE_CHECKING:
    from kafka_nextgen.engine.reading.fetch_relaying import FetchRelaying

__all__ = ["Brought", "FetchTalk"]


#: So many small answers in a row make a relay worthwhile, and of so many bytes are those.
SMALL_BEFORE_RELAY, MOST_SMALL_BYTES = 16, 8 * 1024


class Brought(NamedTuple):
    """What a fetch brought; ``decoded`` is None if decoding takes longer than other answers are to wait."""

    head: SessionAnswer
    partitions: tuple[FetchedPartition, ...]
    decoded: Sequence[DecodedPartition] | None


class FetchTalk:
    """``need`` is the fetch on its way, or the last one; ``brought`` is what the last one brought, None until then.

    ``read_on`` takes in what came, and returns what to ask next if that is known; ``went_on`` hears that it was asked.
    ``reply`` is for whoever begins the talk, to await.
    """

    def __init__(
        self,
        need: Fetch,
        config: ConsumerConfig,
        decoder: RecordDecoder,
        counters: FetchCounters,
        read_on: Callable[[Fetch, Brought], Fetch | None],
        went_on: Callable[[], None],
        relaying: Callable[[FetchTalk, Errand], FetchRelaying | None],
    ) -> None:
        self.need = need
        self.brought: Brought | None = None
        self.reply: Reply[Answer] | None = None
        self.node = Node(need.node_id, Purpose.FETCH_ASIDE if need.is_aside else None)
        self.timeout_s = (need.max_wait_ms + config.request_timeout_ms) / 1000
        self.went_on = went_on
        self._limits = FetchLimits(
            max_wait_ms=need.max_wait_ms,
            min_bytes=1 if need.has_ends else config.fetch_min_bytes,
            isolation_level=number_of(config.isolation_level),
            rack_id=(config.client_rack or "") if need.tells_rack else "",
        )
        self._decoder = decoder
        self._counters = counters
        self._read_on = read_on
        self._relaying = relaying
        self._small_in_a_row = 0  # answers
        self._version = -1
        self._asked_at = 0.0
        self._places: Places | None = None  # once an answer was what most are

    @property
    def places(self) -> Places:
        """What its answers mean by topic ids and numbers; once an answer was what most are."""
        assert self._places is not None
        return self._places

    @property
    def api(self) -> Api:
        """Fetch, its answers read as this talk does."""
        return evolve(FETCH, read=self._read)

    def begin(self, version: int) -> RawFetchRequest:
        """The first request."""
        self._version = version
        return self._question()

    def go_on(self, answer: Answer) -> RawFetchRequest | None:
        """The next request; None if somebody has to look at what was ``brought``."""
        brought = self._look_into(answer)
        following = self._read_on(self.need, brought)
        if following is None:
            self.brought = brought
            return None
        self.need = following
        if self._places is None and self._version >= WITH_TOPIC_IDS:
            self._places = places_of(following)
        return self._question()

    @property
    def is_routine(self) -> bool:
        """Whether answers have been small and what most are for a while."""
        return self._small_in_a_row >= SMALL_BEFORE_RELAY

    def relay(self, errand: Errand) -> FetchRelaying | None:
        """What goes on from here without Python."""
        self._small_in_a_row = 0
        return self._relaying(self, errand)

    def make_relay(
        self, errand: Errand, most_kept_bytes: int, check_crcs: bool, bell: accelerator.Bell | None
    ) -> accelerator.FetchRelay:
        """The relay that goes on from the fetch on its way; it keeps at most so many bytes of answers, and rings."""
        question, session = self._request(), self.need.session
        wanted = [
            (at.topic_id.bytes, at.partition.partition, at.leader_epoch, at.offset, at.last_epoch, at.max_bytes)
            for at in self.need.wanted.values()
            if at.topic_id is not None
        ]
        return accelerator.FetchRelay(
            errand.fd,
            self._version,
            errand.correlation_id,
            session.session_id,
            session.epoch,
            client_head(errand.client_id),
            question.limits(self._version),
            question.rest(self._version),
            wanted,
            check_crcs,
            most_kept_bytes,
            errand.asked_at,
            bell,
        )

    def _read(self, version: int, body: memoryview) -> Answer:
        """Read an answer, and decode it at once if it is what most are."""
        self._counters.note_answer(self._asked_at)
        decoded = None if self._places is None else self._decoder.decode_plain(self.need, self._places, body)
        is_small = decoded is not None and len(body) <= MOST_SMALL_BYTES
        self._small_in_a_row = self._small_in_a_row + 1 if is_small else 0
        return decoded or read_fetch_response(version, body)

    def _look_into(self, message: Answer) -> Brought:
        if isinstance(message, DecodedFetchAnswer):
            told = [part.partition for part in message.partitions]
            return Brought(SessionAnswer(ErrorCode.NONE, message.session_id, told), (), message.partitions)
        assert isinstance(message, RawFetchAnswer)
        answer = bridge.from_response(message, self.need.names)
        head = SessionAnswer(answer.error, answer.session_id, [each.partition for each in answer.partitions])
        is_quick = self._decoder.is_quick(answer.partitions)
        decoded = self._decoder.decode_at_once(self.need, answer.partitions) if is_quick else None
        return Brought(head, answer.partitions, decoded)

    def relayed(self, need: Fetch, asked_at: float) -> None:
        """A relay has gone on as far as this fetch, which was sent at this moment (monotonic)."""
        self.need, self._asked_at = need, asked_at

    def _question(self) -> RawFetchRequest:
        self._asked_at = time.monotonic()
        return self._request()

    def _request(self) -> RawFetchRequest:
        session, limits = self.need.session, self._limits
        if limits.max_bytes != self.need.max_bytes:
            limits = self._limits = limits._replace(max_bytes=self.need.max_bytes)
        return bridge.to_request(
            session.told, limits, self._version, session.session_id, session.epoch, session.forgotten
        )

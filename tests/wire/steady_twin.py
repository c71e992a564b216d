"""What ``SteadyFetch`` has to come to, by the reader of any answer and the writer of any request in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple
from uuid import UUID

from attrs import evolve, frozen

from kafka_nextgen.compiled import accelerator
from kafka_nextgen.errors import CorruptRecordError, DecodeError
from kafka_nextgen.fetching import DecodedPartition
from kafka_nextgen.types import TopicId, TopicPartition
from kafka_nextgen.wire.fetch_request import RawFetchRequest, WantedTopic
from kafka_nextgen.wire.frames import client_head, encode_request, read_message, write_message
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import BinaryColumn, Columns, HeaderColumn, NewRecord, RecordLimits, encode_batch
from kafka_nextgen.wire.records.accelerated import decode_sound
from kafka_nextgen.wire.records.batch_header import HEADER
from kafka_nextgen.wire.records.decode import decode_in_python
from tests.requests.over_the_wire import AUDIT, ORDERS
from tests.wire.columns import content

VERSION = 17
SESSION_ID, EPOCH, CORRELATION_ID = 77, 9, 5
LAST_EPOCH = 2**31 - 1
MOST_BYTES = 16 * 1024  # of an answer without its header
MOST_ENTRIES = 126  # of an array whose length takes one byte
LIMITS = RecordLimits()
TYPES = Columns, BinaryColumn, HeaderColumn

Topic = FetchResponse.FetchableTopicResponse
Partition = Topic.PartitionData


def partition_of(number: int, records: bytes | None, **fields: Any) -> Any:
    return Partition(
        partition_index=number, high_watermark=90, last_stable_offset=80, log_start_offset=2, records=records, **fields
    )


def topic_of(*partitions: Any, topic_id: TopicId = ORDERS) -> Any:
    return Topic(topic_id=topic_id, partitions=list(partitions))


def body_of(*topics: Any, **fields: Any) -> bytes:
    """An answer without its header."""
    return write_message(FetchResponse(responses=list(topics), session_id=SESSION_ID, **fields), VERSION)


def batch(count: int = 2, base_offset: int = 3, **how: Any) -> bytes:
    return encode_batch([NewRecord(b"v%d" % number) for number in range(count)], base_offset=base_offset, **how)


def frame_of(body: bytes, tags: bytes = b"\x00") -> bytes:
    """An answer with its header, without its length."""
    return CORRELATION_ID.to_bytes(4, "big") + tags + body


#: A topic's id and a partition's number.
Key = tuple[Any, int]


class Place(NamedTuple):
    """Where a partition is fetched from, in the form that ``SteadyFetch`` takes."""

    partition: TopicPartition
    topic_id: bytes
    number: int
    leader_epoch: int
    offset: int
    last_epoch: int
    max_bytes: int


ORDERS_1 = TopicPartition("orders", 1)
PLACES = (
    Place(TopicPartition("audit", 0), AUDIT.bytes, 0, 6, 0, 2, 2_000),
    Place(TopicPartition("orders", 0), ORDERS.bytes, 0, 4, 3, -1, 1_000),
    Place(ORDERS_1, ORDERS.bytes, 1, 4, 3, -1, 1_001),
    Place(TopicPartition("orders", 2), ORDERS.bytes, 2, 4, 3, -1, 1_002),
    Place(TopicPartition("orders", 3), ORDERS.bytes, 3, 4, 3, -1, 1_003),
)


@frozen
class Start:
    """The fetch on its way that a ``SteadyFetch`` goes on from."""

    version: int = VERSION
    session_id: int = SESSION_ID
    epoch: int = EPOCH
    client_id: str | None = "me"
    rack_id: str = ""
    places: Sequence[Place] = PLACES
    check_crc: bool = True

    @property
    def arguments(self) -> list[Any]:
        request = self._request(self.epoch, ())
        limits, rest = request.limits(self.version), request.rest(self.version)
        head = [self.version, self.session_id, self.epoch, client_head(self.client_id), limits, rest]
        return [*head, self.places, self.check_crc, DecodedPartition, TYPES]

    def step(self) -> accelerator.SteadyFetch[DecodedPartition]:
        return accelerator.SteadyFetch(*self.arguments)

    def request(self, correlation_id: int, epoch: int, topics: Sequence[WantedTopic]) -> bytes:
        """A frame with its length."""
        return encode_request(self._request(epoch, topics), self.version, correlation_id, self.client_id)

    def _request(self, epoch: int, topics: Sequence[WantedTopic]) -> RawFetchRequest:
        return RawFetchRequest(500, 1, 1 << 20, 1, self.session_id, epoch, topics, (), self.rack_id)


class Twin:
    """Comes to the same as the ``SteadyFetch`` of this start.

    It takes some answers more: those with tags that it does not know, that are large, or that have odd lengths.
    """

    def __init__(self, start: Start) -> None:
        self.answers = 0
        self._start = start
        self._epoch = start.epoch
        self._places = {(UUID(bytes=place.topic_id), place.number): place for place in start.places}

    @property
    def told(self) -> dict[TopicPartition, tuple[int, int]]:
        """Offset and last epoch of all places."""
        return {place.partition: (place.offset, place.last_epoch) for place in self._places.values()}

    def offset(self, topic_id: TopicId, number: int) -> int:
        """From where a partition is fetched, 0 if it is not."""
        place = self._places.get((topic_id, number))
        return 0 if place is None else place.offset

    def is_plain(self, body: bytes) -> bool:
        """Whether ``SteadyFetch`` has to take this answer."""
        is_usual = len(body) <= MOST_BYTES and self._decoded(body) is not None and _is_canonical(body)
        return is_usual and all(self._is_sound(*each) for each in _partitions_in(_read(body, self._start.version)))

    def answer(self, body: bytes, correlation_id: int) -> tuple[bytes, list[DecodedPartition]] | None:
        """The next request and what was decoded; None if the answer is odd, and then nothing has changed."""
        decoded = self._decoded(body)
        if decoded is None:
            return None
        for key, part in decoded.items():
            self._move(key, part)
        self.answers += 1
        self._epoch = 1 if self._epoch == LAST_EPOCH else self._epoch + 1
        topics = [
            WantedTopic("", topic_id, [self._wanted(key) for key in keys])
            for topic_id, keys in groupby(decoded, lambda key: key[0])
        ]
        return self._start.request(correlation_id, self._epoch, topics), list(decoded.values())

    def _move(self, key: Key, part: DecodedPartition) -> None:
        assert part.columns is not None
        place, end_epoch = self._places[key], part.columns.end_epoch
        last_epoch = place.last_epoch if end_epoch < 0 else end_epoch
        self._places[key] = place._replace(offset=part.columns.next_offset, last_epoch=last_epoch)

    def _wanted(self, key: Key) -> tuple[int, int, int, int, int]:
        place = self._places[key]
        return place.number, place.leader_epoch, place.offset, place.last_epoch, place.max_bytes

    def _decoded(self, body: bytes) -> dict[Key, DecodedPartition] | None:
        try:
            answer = _read(body, self._start.version)
            told = _partitions_in(answer)
            parts = [self._decoded_part(key, raw) for key, raw in told]
        except (DecodeError, CorruptRecordError):
            return None
        decoded = {key: part for (key, _), part in zip(told, parts, strict=True) if part is not None}
        topics = {topic.topic_id for topic in answer.responses if topic.partitions}
        is_usual = answer == FetchResponse(session_id=self._start.session_id, responses=answer.responses)
        has_all_once = len(decoded) == len(told) and len(topics) == len(answer.responses)
        return decoded if is_usual and has_all_once else None

    def _decoded_part(self, key: Key, raw: Any) -> DecodedPartition | None:
        place = self._places.get(key)
        ends = raw.high_watermark, raw.last_stable_offset, raw.log_start_offset
        is_usual = raw == _only_plain(raw) and not raw.aborted_transactions
        if place is None or not is_usual or not raw.records:
            return None
        columns = decode_in_python(raw.records, place.partition, place.offset, LIMITS, self._start.check_crc)
        if not len(columns):
            return None
        return DecodedPartition(place.partition, 0, columns, None, *ends, -1, None, len(raw.records))

    def _is_sound(self, key: Key, raw: Any) -> bool:
        """Whether the compiled decoder takes these records, and none of the batches is compressed, read or not."""
        place, data = self._places[key], raw.records or memoryview(b"")
        columns = decode_sound(data, place.partition, place.offset, MOST_BYTES, self._start.check_crc, ())
        return columns is not None and not any(data[at + 22] & 7 for at in _batches_in(data))


def _read(body: bytes, version: int) -> FetchResponse:
    return read_message(FetchResponse, version, memoryview(body))


def _partitions_in(answer: FetchResponse) -> list[tuple[Key, Any]]:
    return [
        ((topic.topic_id or UUID(int=0), raw.partition_index), raw)
        for topic in answer.responses
        for raw in topic.partitions
    ]


def _batches_in(data: memoryview) -> Iterator[int]:
    """Where sound batches begin."""
    at = 0
    while at + HEADER.size <= len(data):
        yield at
        at += 12 + int.from_bytes(data[at + 8 : at + 12], "big")


def _is_canonical(body: bytes) -> bool:
    """Whether there is nothing in an answer but what plain ones have, in its usual form."""
    message = _read(body, VERSION)
    topics = [
        Topic(topic_id=topic.topic_id, partitions=[_only_plain(each) for each in topic.partitions])
        for topic in message.responses
    ]
    is_small = all(len(array) <= MOST_ENTRIES for array in (topics, *(topic.partitions for topic in topics)))
    plain = FetchResponse(responses=topics, session_id=message.session_id)
    return is_small and write_message(plain, VERSION) == body


def _only_plain(partition: Any) -> Any:
    return Partition(
        partition_index=partition.partition_index,
        high_watermark=partition.high_watermark,
        last_stable_offset=partition.last_stable_offset,
        log_start_offset=partition.log_start_offset,
        aborted_transactions=partition.aborted_transactions,  # null or empty
        records=partition.records,
    )


def _comparable(taken: tuple[bytes, list[DecodedPartition]] | None) -> object:
    if taken is None:
        return None
    columns = [part.columns for part in taken[1]]
    contents = [None if each is None else (content(each), each.nbytes) for each in columns]
    return taken[0], [part._replace(columns=None) for part in taken[1]], contents


def agrees(
    step: accelerator.SteadyFetch[DecodedPartition],
    twin: Twin,
    frame: bytes | memoryview,
    correlation_id: int = CORRELATION_ID + 1,
) -> bool:
    """Have both take an answer, whose header has no tags: whether it is plain. Raises where they differ."""
    body = bytes(frame[5:])
    places, answers = step.places(), step.answers
    taken = step.answer(frame, correlation_id)
    if taken is None:
        assert not twin.is_plain(body), "plain, but not taken"
        assert (step.places(), step.answers) == (places, answers)
        return False
    assert _comparable(taken) == _comparable(twin.answer(body, correlation_id))
    assert all(type(part) is DecodedPartition for part in taken[1])
    assert (step.places(), step.answers) == (twin.told, twin.answers)
    return True


def at_once(body: bytes, start: Start | None = None, **how: Any) -> bool:
    """Whether the first answer of a start, changed like this, is plain; raises where both differ."""
    start = evolve(start or Start(), **how)
    return agrees(start.step(), Twin(start), frame_of(body))

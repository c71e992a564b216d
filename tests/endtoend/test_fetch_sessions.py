"""Fetch sessions (KIP-227) with every broker: counted alike on both sides through everything that changes them."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import pytest
from attrs import define, field

from kafka_nextgen import Consumer, TopicPartition
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.engine.reading import fetcher
from kafka_nextgen.wire import frames
from kafka_nextgen.wire.apis import Answer, Api, Question
from kafka_nextgen.wire.fetch_request import RawFetchRequest
from kafka_nextgen.wire.messages import FetchResponse
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.broker.client import Client
from tests.broker.requests import produce
from tests.endtoend.reading import poll_until, read
from tests.support.clients import create_topic
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import eventually

PARTITIONS = 12


@define
class Wire:
    """The fetches that went over all connections, and what was answered."""

    requests: list[RawFetchRequest] = field(factory=list)
    answers: list[FetchResponse] = field(factory=list)

    def named(self) -> list[int]:
        """How many partitions each request named."""
        return [sum(len(topic.partitions) for topic in request.topics) for request in self.requests]

    def forgotten(self) -> int:
        return sum(len(topic.numbers) for request in self.requests for topic in request.forgotten)


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    seen = Wire()
    write, understand = frames.encode_request, frames.decode_response

    def encode_request(message: Question, version: int, correlation_id: int, client_id: str | None) -> bytes:
        if isinstance(message, RawFetchRequest):
            seen.requests.append(message)
        return write(message, version, correlation_id, client_id)

    def decode_response(api: Api, version: int, frame: bytes | memoryview) -> tuple[int, Answer]:
        correlation_id, answer = understand(api, version, frame)
        if isinstance(answer, FetchResponse):
            seen.answers.append(answer)
        return correlation_id, answer

    monkeypatch.setattr(fetcher, "SMALL_BEFORE_STEADY", 1 << 30)  # the compiled step writes requests by itself
    monkeypatch.setattr(frames, "encode_request", encode_request)
    monkeypatch.setattr(frames, "decode_response", decode_response)
    return seen


def write(client: Client, topic: str, partitions: Collection[int]) -> None:
    """Append one record to each; a real broker may not know yet that it leads a new partition."""
    for number in partitions:
        eventually("it is written", partial(is_written, client, topic, number))


def is_written(client: Client, topic: str, number: int) -> bool:
    batch = encode_batch([NewRecord(b"%d" % number)])
    return bool(produce(client, topic, batch, partition=number).error_code == ErrorCode.NONE)


def read_from(consumer: Consumer, partitions: Collection[int]) -> None:
    """Read one record of each of these partitions, and none of another."""
    assert sorted(record.partition for record in read(consumer, len(partitions))) == sorted(partitions)


def test_a_session_goes_on_through_everything_that_changes_it(every_kafka: KafkaServer, wire: Wire) -> None:
    topic = create_topic(every_kafka.bootstrap_servers, "in-session", PARTITIONS)
    everything = [TopicPartition(topic, number) for number in range(PARTITIONS)]
    some, rest = everything[:5], range(5, PARTITIONS)
    settings = {"auto_offset_reset": "earliest", "fetch_max_wait_ms": 20}
    with (
        Client(every_kafka.bootstrap_servers) as client,
        Consumer(bootstrap_servers=every_kafka.bootstrap_servers, **settings) as consumer,
    ):
        consumer.assign(everything)
        write(client, topic, range(PARTITIONS))
        read_from(consumer, range(PARTITIONS))
        write(client, topic, [3, 7])
        read_from(consumer, [3, 7])
        poll_until([consumer], lambda: wire.named()[-1] == 0)
        consumer.pause(some)
        poll_until([consumer], lambda: wire.forgotten() == len(some))
        write(client, topic, range(PARTITIONS))
        read_from(consumer, rest)
        consumer.resume(some)
        read_from(consumer, range(5))
        consumer.seek(everything[8], 0)
        read_from(consumer, [8, 8])
        answers = list(wire.answers)
    assert {answer.error_code for answer in answers} == {ErrorCode.NONE}
    assert wire.requests.pop().session_epoch == -1, "closing ends it"
    assert 0 in {answer.session_id for answer in wire.answers[len(answers) :]}
    begun = [request.session_epoch for request in wire.requests].index(1)
    epochs = [request.session_epoch for request in wire.requests[begun:]]
    assert epochs == list(range(1, len(epochs) + 1))
    assert len({answer.session_id for answer in answers[begun:]}) == 1

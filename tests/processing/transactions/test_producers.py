"""The adapters: which errors of other clients mean which of the three failures, and what is handed to the producers."""

from __future__ import annotations

from collections.abc import Callable

import confluent_kafka
import kafka
import kafka.errors
import pytest
from attrs import define, field
from confluent_kafka import KafkaError, KafkaException

from kafka_nextgen import ConsumerGroupMetadata, OffsetAndMetadata, OutputRecord, TopicPartition
from kafka_nextgen.processing.transactions.confluent_producer import ConfluentProducer
from kafka_nextgen.processing.transactions.kafka_python_producer import KafkaPythonProducer
from kafka_nextgen.processing.transactions.producer_source import ProducerSource
from kafka_nextgen.processing.transactions.producers import (
    AbortNeededError,
    OffsetsRefusedError,
    ProducerLostError,
    TransactionalProducer,
    adapter_of,
)
from kafka_nextgen.testing import Clock
from kafka_nextgen.transport.turned_clock import clocks

RECORD = OutputRecord("invoices", b"value", b"key", headers=[("h", b"1")], partition=2, timestamp_ms=17)
MEMBER = ConsumerGroupMetadata("billing", 7, "m-1")


@define
class Stub:
    """A producer of another client; ``outcomes`` are raised, or returned, by the next calls."""

    outcomes: list[object] = field(factory=list)
    calls: list[tuple[str, tuple[object, ...], dict[str, object]]] = field(factory=list)

    def __getattr__(self, name: str) -> Callable[..., object]:
        def call(*args: object, **options: object) -> object:
            self.calls.append((name, args, options))
            outcome = self.outcomes.pop(0) if self.outcomes and name != "poll" else None
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome

        return call


def told(code: int, **flags: bool) -> KafkaException:
    return KafkaException(KafkaError(code, "said so", **flags))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (told(KafkaError.ILLEGAL_GENERATION, txn_requires_abort=True), OffsetsRefusedError),
        (told(KafkaError.UNKNOWN_MEMBER_ID, txn_requires_abort=True), OffsetsRefusedError),
        (told(KafkaError.FENCED_INSTANCE_ID, txn_requires_abort=True), OffsetsRefusedError),
        (told(KafkaError.TOPIC_AUTHORIZATION_FAILED, txn_requires_abort=True), AbortNeededError),
        (told(KafkaError._FENCED, fatal=True), ProducerLostError),
        (told(KafkaError._FENCED, fatal=True, txn_requires_abort=True), ProducerLostError),
        (told(KafkaError._INVALID_ARG), ProducerLostError),
    ],
)
def test_librdkafka_says_what_to_do(error: KafkaException, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="said so") as raised:
        ConfluentProducer(Stub([error])).send_offsets({}, MEMBER)
    assert raised.value.error is error


def test_a_call_that_says_so_is_repeated_until_the_time_is_up() -> None:
    patient = Stub([told(KafkaError._TIMED_OUT, retriable=True)] * 3)
    ConfluentProducer(patient).commit()
    assert [name for name, _, _ in patient.calls] == ["commit_transaction", "poll"] * 3 + ["commit_transaction"]
    clock = Clock()
    never = Stub([told(KafkaError._TIMED_OUT, retriable=True)] * 1000)
    with clocks.followed(clock), pytest.raises(ProducerLostError):
        ConfluentProducer(Advancing(never, clock)).commit()  # type: ignore[arg-type]
    assert len([name for name, _, _ in never.calls if name != "poll"]) == 12  # in 60 s


@define
class Advancing:
    """Each call takes five seconds of the clock."""

    stub: Stub
    clock: Clock

    def __getattr__(self, name: str) -> Callable[..., object]:
        def call(*args: object) -> object:
            if name != "poll":
                self.clock.advance(5)
            return getattr(self.stub, name)(*args)

        return call


def test_a_producer_that_is_initialized_already_is_taken_as_it_is() -> None:
    ConfluentProducer(Stub([told(KafkaError._STATE)])).init()
    with pytest.raises(ProducerLostError):
        ConfluentProducer(Stub([told(KafkaError._FENCED, fatal=True)])).init()


def test_a_full_queue_is_waited_for() -> None:
    stub = Stub([BufferError("full")] * 2)
    ConfluentProducer(stub).produce(RECORD)
    assert [name for name, _, _ in stub.calls] == ["produce", "poll"] * 2 + ["produce"]
    assert stub.calls[-1][1:] == (
        ("invoices",),
        {"value": b"value", "key": b"key", "partition": 2, "timestamp": 17, "headers": [("h", b"1")]},
    )


def test_what_is_left_open_is_left_to_the_producer() -> None:
    stub, other = Stub(), Stub([Future(), None])
    ConfluentProducer(stub).produce(OutputRecord("invoices", b"value"))
    unset = {"value": b"value", "key": None, "partition": -1, "timestamp": 0, "headers": None}
    assert stub.calls[0][1:] == (("invoices",), unset)
    KafkaPythonProducer(other).produce(OutputRecord("invoices", b"value"))
    assert other.calls[0][1] == ("invoices", b"value", None, None, None, None)


def test_a_record_that_is_too_large_is_the_applications_error_and_a_broken_transaction_is_not() -> None:
    too_large = told(KafkaError.MSG_SIZE_TOO_LARGE)
    with pytest.raises(KafkaException):
        ConfluentProducer(Stub([too_large])).produce(RECORD)
    for error in (told(KafkaError._STATE), told(KafkaError._FATAL, fatal=True)):
        with pytest.raises(ProducerLostError):
            ConfluentProducer(Stub([error])).produce(RECORD)
    with pytest.raises(kafka.errors.MessageSizeTooLargeError):
        KafkaPythonProducer(Stub([kafka.errors.MessageSizeTooLargeError()])).produce(RECORD)


@define
class Future:
    exception: BaseException | None = None
    is_done: bool = True

    def succeeded(self) -> bool:
        return self.is_done and self.exception is None


@pytest.mark.parametrize(
    "future", [Future(kafka.errors.KafkaTimeoutError("no metadata")), Future(is_done=False)], ids=["failed", "pending"]
)
def test_kafka_python_commits_nothing_unless_every_record_was_delivered(future: Future) -> None:
    stub = Stub([None, Future(), future])
    producer = KafkaPythonProducer(stub)
    producer.begin()
    producer.produce(RECORD)
    producer.produce(RECORD)
    with pytest.raises(AbortNeededError):
        producer.commit()
    assert [name for name, _, _ in stub.calls] == ["begin_transaction", "send", "send", "flush"]
    producer.begin()  # the next transaction has none of these
    producer.commit()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (kafka.errors.CommitFailedError(), OffsetsRefusedError),
        (kafka.errors.ProducerFencedError(), ProducerLostError),
        (kafka.errors.InvalidProducerEpochError(), ProducerLostError),
        (kafka.errors.TransactionalIdAuthorizationFailedError(), ProducerLostError),
        (kafka.errors.KafkaTimeoutError(), AbortNeededError),
    ],
)
def test_kafka_pythons_errors_are_told_apart_by_class(error: Exception, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        KafkaPythonProducer(Stub([error])).send_offsets({}, MEMBER)


def test_offsets_are_sent_with_their_leader_epoch_and_the_member() -> None:
    offsets = {TopicPartition("orders", 1): OffsetAndMetadata(7, 3)}
    stub, other = Stub(), Stub()
    ConfluentProducer(stub).send_offsets(offsets, MEMBER)
    ((position,), member, _) = stub.calls[0][1]  # type: ignore[misc]
    assert (position.topic, position.partition, position.offset, position.leader_epoch) == ("orders", 1, 7, 3)
    KafkaPythonProducer(other).send_offsets(offsets, MEMBER)
    expected = {kafka.TopicPartition("orders", 1): kafka.OffsetAndMetadata(7, "", 3)}
    assert other.calls[0][1] == (expected, member)
    assert member is MEMBER


def test_each_client_has_its_adapter_and_kafka_pythons_needs_a_function() -> None:
    ours = confluent_kafka.Producer({"bootstrap.servers": "localhost:1", "log_level": 0})
    assert isinstance(adapter_of(ours), ConfluentProducer)
    theirs = kafka.KafkaProducer.__new__(kafka.KafkaProducer)
    theirs._closed, theirs.config = True, {}
    assert isinstance(adapter_of(theirs), KafkaPythonProducer)
    with pytest.raises(TypeError, match="pass a function that creates producers"):
        ProducerSource(theirs)
    with pytest.raises(TypeError, match="aiokafka"):
        adapter_of("localhost:9092")


def test_closing_never_fails(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(KafkaPythonProducer):
        def close(self) -> None:
            raise kafka.errors.KafkaTimeoutError

    def make() -> TransactionalProducer:
        return Broken(Stub())

    source = ProducerSource(make)
    source.current()
    source.close()
    assert "closing the producer" in caplog.text

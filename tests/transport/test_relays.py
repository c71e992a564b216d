"""A connection lends its socket to a relay, and takes it back for whatever else happens on it."""

from __future__ import annotations

import asyncio
import functools
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import ParamSpec

import pytest
from attrs import Factory, define

from kafka_nextgen.bridge.fetch import FetchLimits, FetchPosition, to_request
from kafka_nextgen.compiled import accelerator
from kafka_nextgen.errors import DecodeError, DisconnectedError, RequestTimeoutError
from kafka_nextgen.transport.connection import Connection
from kafka_nextgen.transport.conversation import Errand, Relaying
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.transport.dialing import dial
from kafka_nextgen.transport.relays import HAS_RELAYS, Relayed, new_event_loop, relays_of
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.apis import FETCH, METADATA, Answer
from kafka_nextgen.wire.codec import write_message
from kafka_nextgen.wire.fetch_request import RawFetchRequest
from kafka_nextgen.wire.frames import RequestFrame, client_head
from kafka_nextgen.wire.messages import FetchResponse, MetadataRequest
from kafka_nextgen.wire.records import NewRecord, encode_batch
from tests.bridge.over_the_wire import ORDERS
from tests.transport.scripted import HANG_UP, SILENCE, ScriptedBroker, _alone, framed, scripted, settings

pytestmark = pytest.mark.skipif(not HAS_RELAYS, reason="there are no relays here")

SESSION = 77
VERSION = 17
P = ParamSpec("P")


def in_loop(test: Callable[P, Coroutine[object, object, None]]) -> Callable[P, None]:
    """Run an async test on a loop that has relays; a task or an error left behind is a failure."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        loop = new_event_loop()
        try:
            loop.run_until_complete(_alone(test(*args, **kwargs)))
        finally:
            loop.close()

    return run


@define
class Counts:
    """A relay that goes on with a ``Talk``."""

    relay: accelerator.FetchRelay
    talk: Talk
    may: bool = True
    ended: bool = False

    def may_go_on(self) -> bool:
        return self.may

    def told(self) -> None:
        self.talk.told += 1

    def note(self, counted: Relayed) -> None:
        self.talk.relayed += counted.answers

    def end(self) -> bool:
        self.ended = True
        while (first := self.relay.first()) is not None:
            self.relay.drop(first[0])
            self.talk.offset += 1
            self.talk.epoch += 1
        return not self.talk.gives_up


@define
class Talk:
    """Fetches a partition record by record, in a session; each answer brings one."""

    offset: int = 0
    epoch: int = 1
    is_routine: bool = True
    gives_up: bool = False
    has_bell: bool = False
    answers: int = 0  # seen in Python
    relayed: int = 0
    told: int = 0
    relays: list[Counts] = Factory(list)

    def begin(self, version: int) -> RawFetchRequest:
        return self.question()

    def question(self) -> RawFetchRequest:
        position = FetchPosition(TopicPartition("orders", 0), ORDERS, self.offset)
        return to_request([position], FetchLimits(), VERSION, SESSION, self.epoch)

    def go_on(self, answer: Answer) -> RawFetchRequest | None:
        self.answers += 1
        self.offset += 1
        self.epoch += 1
        return self.question()

    def went_on(self) -> None:
        pass

    def relay(self, errand: Errand) -> Relaying | None:
        question = self.question()
        relay = accelerator.FetchRelay(
            errand.fd,
            VERSION,
            errand.correlation_id,
            SESSION,
            self.epoch,
            client_head(errand.client_id),
            question.limits(VERSION),
            question.rest(VERSION),
            [(ORDERS.bytes, 0, -1, self.offset, -1, 1 << 20)],
            True,
            1 << 20,
            errand.asked_at,
            accelerator.Bell() if self.has_bell else None,
        )
        counts = Counts(relay, self)
        self.relays.append(counts)
        return counts


class Broker:
    """Answers fetches with the record that is asked for, unless it is ``odd``, and as long as it is not held."""

    def __init__(self, broker: ScriptedBroker) -> None:
        self.server = broker
        self.answered = 0
        self.asked: list[tuple[int, int]] = []  # epoch and offset
        self.odd: object = None  # what to answer with next, once
        self.is_held = asyncio.Event()
        self.is_held.set()
        broker.script[FETCH] = self.answer

    async def answer(self, request: RequestFrame) -> object:
        message = request.message
        assert message is not None
        offset = message.topics[0].partitions[0].fetch_offset
        self.asked.append((message.session_epoch, offset))
        await self.is_held.wait()
        odd, self.odd = self.odd, None
        if odd is not None:
            return odd
        self.answered += 1
        await asyncio.sleep(0)
        return record(offset)


def record(offset: int, throttle_ms: int = 0) -> FetchResponse:
    topic = FetchResponse.FetchableTopicResponse
    part = topic.PartitionData(
        partition_index=0,
        high_watermark=offset + 1,
        last_stable_offset=offset + 1,
        log_start_offset=0,
        records=encode_batch([NewRecord(b"v")], base_offset=offset),
    )
    return FetchResponse(
        throttle_time_ms=throttle_ms, session_id=SESSION, responses=[topic(topic_id=ORDERS, partitions=[part])]
    )


@asynccontextmanager
async def talking(
    talk: Talk, timeout_s: float = 20.0, **changes: object
) -> AsyncIterator[tuple[Broker, Connection, asyncio.Task[Answer]]]:
    """A connection with a talk that a relay goes on with."""
    async with scripted() as (server,):
        broker = Broker(server)
        connection = await dial(server.address, settings(**changes))
        deadline = Deadline(timeout_s, "the question")
        reply = connection.send(FETCH, VERSION, talk.begin(VERSION), deadline, conversation=talk)

        async def hear() -> Answer:
            return await reply

        hearing = asyncio.create_task(hear())
        try:
            await until(lambda: broker.answered > 20)
            yield broker, connection, hearing
        finally:
            await connection.close()
            with suppress(DisconnectedError, RequestTimeoutError, DecodeError, asyncio.CancelledError):
                await hearing
        assert broker.asked == [(epoch, epoch - 1) for epoch in range(1, len(broker.asked) + 1)], (
            "each follows the last"
        )


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(10) if hasattr(asyncio, "timeout") else _no_limit():
        while not holds():
            await asyncio.sleep(0.001)


@asynccontextmanager
async def _no_limit() -> AsyncIterator[None]:
    yield


async def metadata(connection: Connection) -> Answer:
    question = MetadataRequest(topics=[], allow_auto_topic_creation=False)
    return await connection.request(METADATA, 13, question, Deadline(20.0, "another question"))


@in_loop
async def test_a_relay_goes_on_with_a_conversation() -> None:
    async with talking(Talk()) as (broker, connection, _):
        talk = talk_of(connection)
        assert len(talk.relays) == 1
        assert talk.answers == 1
        await until(lambda: broker.answered > 50)
        assert connection.load == 1


def talk_of(connection: Connection) -> Talk:
    pending = connection._pipeline.oldest
    assert pending is not None
    assert isinstance(pending.conversation, Talk)
    return pending.conversation


@in_loop
async def test_what_it_does_is_noted_before_long() -> None:
    talk = Talk()
    async with talking(talk) as (broker, connection, _):
        await until(lambda: talk.relayed > 20)
        assert abs(connection._traffic.answers - broker.answered) < 30
        assert connection._traffic.bytes_in > 100 * talk.relayed
        assert connection._traffic.latency.count == connection._traffic.answers


@in_loop
async def test_whoever_has_no_bell_is_told_of_each_answer() -> None:
    for has_bell in (False, True):
        talk = Talk(has_bell=has_bell)
        async with talking(talk) as (broker, _, _):
            await until(lambda broker=broker: broker.answered > 40)  # type: ignore[misc]
        assert (talk.told > 20) is not has_bell


@in_loop
async def test_another_request_takes_the_socket_back_and_another_relay_begins() -> None:
    talk = Talk()
    async with talking(talk) as (broker, connection, _):
        for number in range(2, 5):
            await metadata(connection)
            answered = broker.answered
            await until(lambda answered=answered: broker.answered > answered + 10)  # type: ignore[misc]
            assert len(talk.relays) >= number
        assert all(relay.ended for relay in talk.relays[:-1])


@in_loop
async def test_so_does_whatever_may_not_go_on() -> None:
    talk = Talk()
    async with talking(talk) as (broker, _, _):
        talk.relays[-1].may = False
        await until(lambda: talk.relays[0].ended)
        await until(lambda: len(talk.relays) > 1)
        answered = broker.answered
        await until(lambda: broker.answered > answered + 10)


@in_loop
async def test_a_broker_that_is_to_be_left_alone_is_asked_nothing_meanwhile() -> None:
    """Another connection may have been told so."""
    talk = Talk()
    async with talking(talk) as (broker, connection, _):
        now = asyncio.get_running_loop().time()
        connection.mute.extend(now + 0.1, now)
        await until(lambda: talk.relays[0].ended)
        asked = len(broker.asked)
        await asyncio.sleep(0.05)
        assert len(broker.asked) == asked
        await until(lambda: broker.answered > asked + 10)


@in_loop
async def test_an_odd_answer_is_for_python_and_so_is_all_that_follows_from_it() -> None:
    talk = Talk()
    async with talking(talk) as (broker, connection, _):
        await hold(broker)
        broker.odd = record(broker.asked[-1][1], throttle_ms=50)
        broker.is_held.set()
        await until(lambda: talk.relays[0].ended)
        assert talk.answers == 2
        assert connection._traffic.throttled_ms == 50
        answered = broker.answered
        await until(lambda: broker.answered > answered + 10)


async def hold(broker: Broker) -> None:
    """Have a question be on its way, and not be answered."""
    broker.is_held.clear()
    asked = -1
    while asked != len(broker.asked):
        asked = len(broker.asked)
        await asyncio.sleep(0.01)


@in_loop
async def test_an_answer_of_which_half_is_there_when_the_socket_is_taken_back() -> None:
    talk = Talk()
    async with talking(talk) as (broker, connection, _):
        await hold(broker)
        number = talk.relays[-1].relay.correlation_id
        whole = framed(number.to_bytes(4, "big") + b"\x00" + write_message(record(broker.asked[-1][1]), VERSION))
        (writer,) = [each for each in _writers(broker) if each.get_extra_info("peername") == _own_name(connection)]
        writer.write(whole[:50])
        await until(lambda: len(talk.relays[-1].relay.left()[0]) == 50)
        asking = asyncio.ensure_future(metadata(connection))
        await until(lambda: talk.relays[0].ended)
        broker.odd = whole[50:]
        broker.is_held.set()
        await asking
        answered = broker.answered
        await until(lambda: broker.answered > answered + 10)


def _writers(broker: Broker) -> list[asyncio.StreamWriter]:
    return list(broker.server._writers)


def _own_name(connection: Connection) -> object:
    assert connection._transport is not None
    return connection._transport.get_extra_info("sockname")


@in_loop
async def test_it_ends_with_its_connection() -> None:
    talk = Talk()
    async with talking(talk) as (broker, connection, hearing):
        await hold(broker)
        broker.odd = HANG_UP
        broker.is_held.set()
        with pytest.raises(DisconnectedError):
            await hearing
        assert talk.relays[0].ended
        assert not connection.is_open


@in_loop
async def test_garbage_ends_the_connection_as_it_does_elsewhere() -> None:
    talk = Talk()
    async with talking(talk) as (broker, _, hearing):
        await hold(broker)
        broker.odd = framed(b"\x00\x00\x12\x34" + bytes(40))
        broker.is_held.set()
        with pytest.raises(DecodeError, match="correlation id 4660"):
            await hearing


@in_loop
async def test_a_question_that_is_not_answered_in_its_time_fails() -> None:
    talk = Talk()
    async with talking(talk, timeout_s=0.4, request_timeout_s=0.3) as (broker, _, hearing):
        answered = broker.answered
        await asyncio.sleep(0.5)
        assert broker.answered > answered, "each question has its time"
        broker.odd = SILENCE
        with pytest.raises(RequestTimeoutError, match="Fetch v17 was not answered within"):
            await hearing
        assert talk.relays[0].ended


@in_loop
async def test_whoever_does_not_want_it_any_more_has_nothing_asked() -> None:
    talk = Talk()
    async with talking(talk) as (broker, connection, hearing):
        hearing.cancel()
        await until(lambda: talk.relays[0].ended)
        await metadata(connection)
        asked = len(broker.asked)
        await asyncio.sleep(0.02)
        assert len(broker.asked) == asked
        assert connection.load == 0


@in_loop
async def test_closing_takes_the_socket_back_first() -> None:
    talk = Talk()
    async with talking(talk) as (_, connection, hearing):
        await connection.close()
        assert talk.relays[0].ended
        with pytest.raises(DisconnectedError, match="closed by this client"):
            await hearing


@in_loop
async def test_a_conversation_that_can_not_go_on_ends_the_connection() -> None:
    talk = Talk(gives_up=True)
    async with talking(talk) as (_, connection, hearing):
        with pytest.raises(DisconnectedError, match="dropped what was answered"):
            await metadata(connection)
        with pytest.raises(DisconnectedError, match="dropped what was answered"):
            await hearing


@in_loop
async def test_a_login_that_is_to_be_renewed_is() -> None:
    renewed = asyncio.Event()

    async def renew() -> None:
        renewed.set()

    talk = Talk()
    async with talking(talk) as (broker, connection, _):
        connection.renew_at(asyncio.get_running_loop().time(), renew)
        await asyncio.wait_for(renewed.wait(), 10)
        answered = broker.answered
        await until(lambda: broker.answered > answered + 10)
        assert len(talk.relays) > 1


@in_loop
async def test_where_it_is_not_routine_nothing_is_lent() -> None:
    talk = Talk(is_routine=False)
    async with talking(talk):
        assert talk.relays == []


def test_where_loops_have_no_relays_nothing_is_lent() -> None:
    async def scene() -> None:
        assert relays_of(asyncio.get_running_loop()) is None
        talk = Talk()
        async with talking(talk):
            assert talk.relays == []

    asyncio.run(scene())


@in_loop
async def test_other_sockets_are_served_meanwhile() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.setblocking(False)
        async with talking(Talk()) as (broker, _, _):
            loop = asyncio.get_running_loop()
            for number in range(20):
                answered = broker.answered
                await loop.sock_sendall(one, bytes([number]))
                assert other.recv(1) == bytes([number])
                other.send(bytes([number]))
                assert await loop.sock_recv(one, 1) == bytes([number])
                await until(lambda answered=answered: broker.answered > answered)  # type: ignore[misc]


@in_loop
async def test_one_that_may_not_go_on_leaves_the_others_alone() -> None:
    """What comes for those is for their relays also in the turn of the loop in which a socket is taken back."""
    ending, other = Talk(), Talk()
    async with talking(ending) as (broker, _, _), talking(other) as (another, _, _):
        for number in range(2, 40):
            ending.relays[-1].may = False
            await until(lambda number=number: len(ending.relays) >= number)  # type: ignore[misc]
        answered = another.answered
        await until(lambda: another.answered > answered + 10)
        assert broker.answered > 40
        assert (len(other.relays), other.answers) == (1, 1)

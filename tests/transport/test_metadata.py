"""Metadata: shared requests, refreshes by age and on request, and callbacks for changes."""

from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

from kafka_nextgen.errors import DecodeError, DisconnectedError, RequestTimeoutError
from kafka_nextgen.requests.api_versions import BrokerVersions
from kafka_nextgen.requests.cluster_image import ClusterImage
from kafka_nextgen.testing.messages import api_versions
from kafka_nextgen.transport.cluster import ClusterClient, Node
from kafka_nextgen.transport.waiting import Deadline
from kafka_nextgen.wire.apis import API_VERSIONS, METADATA
from kafka_nextgen.wire.frames import RequestFrame
from kafka_nextgen.wire.schema import Message

from .scripted import ALL_VERSIONS, HANG_UP, SILENCE, client_of, question, scripted, started, turns

ORDERS, AUDIT = UUID(int=1), UUID(int=2)


class Changes:
    """The images that a client reported; a test can wait for one."""

    def __init__(self, client: ClusterClient) -> None:
        self._images: asyncio.Queue[ClusterImage] = asyncio.Queue()
        client.on_metadata(self._images.put_nowait)

    async def next(self) -> ClusterImage:
        return await self._images.get()


def names_asked(request: RequestFrame) -> set[str | None] | None:
    return None if request.message.topics is None else {topic.name for topic in request.message.topics}


def asks_to_create(request: RequestFrame) -> bool:
    return bool(request.message.allow_auto_topic_creation)


async def test_topics_are_learned_by_name_and_by_id_or_seen_without_being_kept() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.topics = {"orders": ORDERS, "audit": AUDIT}
        assert set((await client.all_topics(20.0)).topics_by_name) == {"orders", "audit"}
        assert client.metadata.topics_by_name == {}
        await client.refresh_metadata(topics={"orders"})
        assert client.metadata.id_of("orders") == ORDERS
        await client.refresh_metadata(topic_ids={AUDIT})
        assert client.metadata.name_of(AUDIT) == "audit"
        assert set(client.metadata.topics_by_name) == {"orders", "audit"}


async def test_a_broker_that_can_not_look_ids_up_is_asked_for_all_topics() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        ranges = {**ALL_VERSIONS, METADATA.key: (0, 11)}
        broker.script[API_VERSIONS] = api_versions.to_response(BrokerVersions(ranges=ranges))
        broker.topics = {"orders": ORDERS, "audit": AUDIT}
        await client.refresh_metadata(topic_ids={AUDIT})
        assert client.metadata.name_of(AUDIT) == "audit"


async def test_wishes_that_come_while_a_question_is_out_become_one_question() -> None:
    async with started() as (client, broker):
        broker.topics = {"orders": ORDERS, "audit": AUDIT}
        may_answer = asyncio.Event()

        async def answer(request: RequestFrame) -> Message:
            await may_answer.wait()
            return broker.metadata(request)

        broker.script[METADATA] = answer
        first = asyncio.ensure_future(client.refresh_metadata(topics=()))
        await broker.heard(METADATA, times=2)
        others = [asyncio.ensure_future(client.refresh_metadata(topics={name})) for name in ("orders", "audit")]
        await turns(1)
        may_answer.set()
        await asyncio.gather(first, *others)
        assert [names_asked(request) for request in broker.asked(METADATA)[1:]] == [set(), {"orders", "audit"}]


async def test_old_metadata_is_asked_for_again_with_the_topics_needed() -> None:
    async with scripted() as (broker,), client_of(broker, metadata_max_age_s=300.0) as client:
        client.track_topics(lambda: {"orders"})
        broker.topics = {"orders": ORDERS}
        await client.start()
        await client.refresh_metadata(topics={"orders"})
        changes = Changes(client)
        broker.topics = {"orders": AUDIT}
        assert (await changes.next()).id_of("orders") == AUDIT


async def test_a_topic_that_nobody_needs_is_forgotten_some_time_after_it_was_asked_for() -> None:
    async with scripted() as (broker,), client_of(broker, metadata_max_age_s=300.0) as client:
        client.track_topics(lambda: {"orders"})
        broker.topics = {"orders": ORDERS, "audit": AUDIT}
        await client.start()
        await client.refresh_metadata(topics={"audit"})
        assert client.metadata.id_of("audit") == AUDIT
        changes = Changes(client)
        while client.metadata.id_of("audit") is not None:
            await changes.next()
        await broker.heard(METADATA, len(broker.asked(METADATA)) + 1)
        assert names_asked(broker.asked(METADATA)[-1]) == set(client.metadata.topics_by_name) == {"orders"}


async def test_a_topic_asked_for_lately_is_asked_for_with_those_needed() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        client.track_topics(lambda: {"orders"})
        broker.topics = {"orders": ORDERS, "audit": AUDIT}
        await client.refresh_metadata(topic_ids={AUDIT})
        await client.refresh_metadata()
        assert names_asked(broker.asked(METADATA)[-1]) == {"orders", "audit"}


async def test_a_broker_may_create_what_was_subscribed_to_until_it_was_there_once() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        client.track_topics(lambda: {"orders"})
        client.allow_topic_creation({"orders"})
        for _ in range(2):
            await client.refresh_metadata()
        broker.topics = {"orders": ORDERS}
        await client.refresh_metadata()
        broker.topics = {}
        await client.refresh_metadata()
        await client.refresh_metadata(topics={"audit"})
        assert [asks_to_create(request) for request in broker.asked(METADATA)] == [True, True, True, False, False]


async def test_a_broker_may_create_nothing_if_it_is_told_so() -> None:
    async with scripted() as (broker,), client_of(broker, auto_create_topics=False) as client:
        client.allow_topic_creation({"orders"})
        await client.refresh_metadata(topics={"orders"})
        assert not asks_to_create(broker.asked(METADATA)[-1])


async def test_only_images_that_differ_are_told_of() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        told: list[ClusterImage] = []
        client.on_metadata(told.append)
        await client.start()
        await client.refresh_metadata()
        assert told == [client.metadata]


async def test_a_lost_connection_has_the_metadata_asked_for_again() -> None:
    async with started(2) as (client, first, second):
        changes = Changes(client)
        for broker in (first, second):
            broker.brokers = {1: second.address}
        first.drop_connections()
        assert set((await changes.next()).brokers) == {1}


async def test_a_broker_that_is_not_known_is_an_error_and_asked_for() -> None:
    async with started() as (client, broker):
        changes = Changes(client)
        broker.brokers[7] = broker.address
        with pytest.raises(DisconnectedError, match=r"broker 7 is not among the known brokers: \[0\]"):
            await client.call(Node(7), METADATA, question)
        assert 7 in (await changes.next()).brokers
        await client.call(Node(7), METADATA, question)


async def test_metadata_that_can_not_be_had_is_asked_for_until_it_can() -> None:
    async with started(metadata_max_age_s=300.0) as (client, broker):
        changes = Changes(client)
        broker.script[METADATA] = HANG_UP
        await broker.heard(METADATA, times=4)
        broker.brokers[7] = broker.address
        del broker.script[METADATA]
        assert 7 in (await changes.next()).brokers


async def test_waiting_for_metadata_obeys_the_callers_time() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[METADATA] = SILENCE
        with pytest.raises(RequestTimeoutError, match=r"metadata: timed out after 5 s"):
            await client.refresh_metadata(timeout_s=5.0)


async def test_what_kept_the_last_attempt_from_its_answer_is_told_rather_than_an_earlier_failure() -> None:
    failures = iter([DecodeError("no topic"), DisconnectedError("reset")])

    async def ask(deadline: Deadline) -> None:
        failure = next(failures)
        raise failure if isinstance(failure, DecodeError) else deadline.missed(failure)

    async with scripted() as (broker,), client_of(broker) as client:
        with pytest.raises(RequestTimeoutError, match="the last failure was: reset"):
            await client._retry(ask, 20.0)


async def test_closing_ends_waiting_for_metadata() -> None:
    async with scripted() as (broker,), client_of(broker) as client:
        broker.script[METADATA] = SILENCE
        waiting = asyncio.ensure_future(client.refresh_metadata())
        await broker.heard(METADATA)
        await client.close()
        with pytest.raises(DisconnectedError, match="closed by this client"):
            await waiting


async def test_a_callback_that_raises_reaches_whoever_asked() -> None:
    async with scripted() as (broker,), client_of(broker) as client:

        def broken(image: ClusterImage) -> None:
            raise ValueError("a bug")

        client.on_metadata(broken)
        with pytest.raises(ValueError, match="a bug"):
            await client.refresh_metadata()


@pytest.mark.parametrize("ticks", range(5))
async def test_close_ends_it_also_in_the_moment_it_is_urged_on(ticks: int) -> None:
    async with started() as (client, _):
        await turns()
        client._metadata.request_update()
        await turns(ticks)
        await client.close()

"""What arrives on a connection, and what the broker does about what should not."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import ConfigError, MisuseError
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.testing.broker import Broker
from kafka_nextgen.testing.broker.connection import SMALL_REQUEST_BYTES, RequestMemory
from kafka_nextgen.testing.broker.handlers import metadata as metadata_handler
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.frames import encode_request
from kafka_nextgen.wire.messages import ApiVersionsRequest, MetadataRequest
from tests.support.waiting import eventually
from tests.testing.broker.client import Client
from tests.testing.broker.requests import (
    by_name_fetch,
    fetch_request,
    metadata,
    produce,
    produce_request,
    records_of,
    values,
)

REQUEST = ApiVersionsRequest(client_software_name="tests", client_software_version="1")


def header(api_key: int, version: int) -> bytes:
    return struct.pack(">hhih", api_key, version, 1, -1)


def framed(body: bytes) -> bytes:
    return struct.pack(">i", len(body)) + body


SENSELESS = {
    "an API that does not exist": framed(header(9_999, 0)),
    "an API that is not served": framed(header(apis.JOIN_GROUP.key, 9)),
    "a version that does not exist": framed(header(apis.METADATA.key, 99)),
    "a version that is advertised and not served": framed(header(apis.PRODUCE.key, 0)),
    "an empty frame": framed(b""),
    "a message that ends too early": framed(header(apis.METADATA.key, 12) + b"\x00\x05"),
    "more topics than bytes": framed(header(apis.METADATA.key, 1) + b"\x7f\xff\xff\xff"),
    "a frame larger than socket.request.max.bytes": struct.pack(">i", 2**31 - 1),
    "a frame of negative size": struct.pack(">i", -1),
    "another protocol": b"GET / HTTP/1.1\r\n\r\n",
}


def test_what_makes_no_sense_ends_its_own_connection_and_no_other(cluster: Cluster, client: Client) -> None:
    for what, frame in SENSELESS.items():
        with Client(cluster.bootstrap_servers) as stranger:
            stranger.send_bytes(frame)
            assert stranger.is_hung_up(), what
    with Client(cluster.bootstrap_servers) as leaving:
        leaving.send_bytes(encode_request(REQUEST, 4, 1, "tests")[:9])
    assert client.ask(apis.API_VERSIONS, REQUEST).error_code == ErrorCode.NONE


def test_a_frame_may_come_byte_by_byte(client: Client) -> None:
    for byte in encode_request(REQUEST, 4, 0, "tests"):
        client.send_bytes(bytes([byte]))
    assert client.receive(apis.API_VERSIONS, 4).error_code == ErrorCode.NONE


def test_bytes_behind_a_request_are_passed_over_as_librdkafka_needs(client: Client) -> None:
    request = encode_request(MetadataRequest(topics=None), 12, 0, "tests")[4:]
    client.send_bytes(framed(request + b"\x00\x00\x00"))
    assert client.receive(apis.METADATA, 12).brokers


def test_requests_sent_at_once_are_answered_in_their_order(client: Client, topic: str) -> None:
    client.send(fetch_request(topic, min_bytes=1, max_wait_ms=20), 12)
    client.send(REQUEST, 4)
    assert client.receive(apis.FETCH, 12).responses[0].topic == topic
    assert client.receive(apis.API_VERSIONS, 4).error_code == ErrorCode.NONE


def test_a_fetch_that_waits_holds_up_no_other_connection(cluster: Cluster, client: Client, topic: str) -> None:
    with Client(cluster.bootstrap_servers) as waiting:
        waiting.send(fetch_request(topic, min_bytes=1, max_wait_ms=60_000), 12)
        assert metadata(client, topic).topics[0].name == topic


def test_a_handler_that_fails_is_logged_and_costs_its_connection_only(
    cluster: Cluster, client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a bug")

    with monkeypatch.context() as broken, Client(cluster.bootstrap_servers) as stranger:
        broken.setattr(metadata_handler, "_described", fail)
        stranger.send(MetadataRequest(topics=None), 12)
        assert stranger.is_hung_up()
    assert "Metadata v12 failed" in caplog.text
    assert metadata(client).brokers


def test_no_more_connections_than_max_connections() -> None:
    with Cluster(config={"max.connections": 1}) as small, Client(small.bootstrap_servers) as first:
        first.ask(apis.API_VERSIONS, REQUEST)
        with Client(small.bootstrap_servers) as second:
            assert second.is_hung_up()
        assert first.ask(apis.API_VERSIONS, REQUEST).error_code == ErrorCode.NONE


def test_a_connection_that_ended_makes_room_for_another() -> None:
    def is_answered() -> bool:
        with Client(small.bootstrap_servers) as client, suppress(ConnectionError):
            return client.ask(apis.API_VERSIONS, REQUEST).error_code == ErrorCode.NONE
        return False

    with Cluster(config={"max.connections": 1}) as small:
        for _ in range(2):
            eventually("the broker has room", is_answered)


def test_a_client_that_does_not_send_its_request_is_hung_up_on() -> None:
    with Cluster(clock=Clock()) as strict, ExitStack() as stack:
        idle = [stack.enter_context(Client(strict.bootstrap_servers)) for _ in range(3)]
        idle[1].send_bytes(struct.pack(">i", 100_000_000))  # a length
        idle[2].send_bytes(encode_request(REQUEST, 4, 1, "tests")[:-1])  # a request but for one byte
        strict.advance(seconds=600)
        assert all(client.is_hung_up() for client in idle)


def test_the_time_of_an_idle_client_begins_again_with_each_request() -> None:
    with Cluster(clock=Clock()) as cluster, Client(cluster.bootstrap_servers) as client:
        for _ in range(3):
            client.ask(apis.API_VERSIONS, REQUEST, 4)
            cluster.advance(seconds=590)
        client.ask(apis.API_VERSIONS, REQUEST, 4)
        cluster.advance(seconds=600)
        assert client.is_hung_up()


def test_answers_do_not_wait_for_the_acknowledgement_of_others() -> None:
    with Cluster() as cluster, Client(cluster.bootstrap_servers) as client:
        client.ask(apis.API_VERSIONS, REQUEST, 4)
        (server,) = cluster._broker._servers._running.values()
        (accepted,) = server._connections.values()
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_client_is_idle_while_its_answers_wait_for_it_and_not_while_it_waits_itself(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Cluster(clock=Clock()) as cluster, ExitStack() as stack:
        client, waiting, slow = (stack.enter_context(Client(cluster.bootstrap_servers)) for _ in range(3))
        cluster.create_topic("orders")
        produce(client, "orders", values("x" * 1_000_000))
        waiting.send(fetch_request("orders", 1, min_bytes=1, max_wait_ms=900_000), 12)
        for _ in range(40):  # more than sockets hold
            slow.send(fetch_request("orders"), 12)
        cluster.advance(seconds=890)
        assert caplog.text.count("it was idle for connections.max.idle.ms=600000") == 2, "one has sent nothing since"
        assert not waiting.has_answer(0)
        cluster.advance(seconds=10)
        assert waiting.receive(apis.FETCH, 12).error_code == ErrorCode.NONE


async def test_memory_is_taken_by_one_large_request_after_the_other() -> None:
    memory, size = RequestMemory(1), SMALL_REQUEST_BYTES + 1
    await memory.take(size)
    await memory.take(SMALL_REQUEST_BYTES)
    second = asyncio.ensure_future(memory.take(size))
    await asyncio.sleep(0)
    assert not second.done()
    memory.give_back(size)
    await second


def test_large_requests_wait_for_memory_and_small_ones_do_not() -> None:
    config = {"queued.max.request.bytes": 1}
    with Cluster(config=config) as small, Client(small.bootstrap_servers) as first:
        small.create_topic("orders")
        with Client(small.bootstrap_servers) as greedy:
            greedy.ask(apis.API_VERSIONS, REQUEST)
            greedy.send_bytes(struct.pack(">i", 2_000_000))
            first.ask(apis.API_VERSIONS, REQUEST)  # the broker has seen what greedy sent
            first.send(produce_request("orders", values("x" * 2_000_000)), 12)
            with Client(small.bootstrap_servers) as third:
                assert third.ask(apis.API_VERSIONS, REQUEST).error_code == ErrorCode.NONE
            assert not first.has_answer(0)
        answer = first.receive(apis.PRODUCE, 12).responses[0].partition_responses[0]
        assert answer.error_code == ErrorCode.MESSAGE_TOO_LARGE


def test_acks_0_wants_no_answer_and_learns_of_failure_by_the_end_of_the_connection(client: Client, topic: str) -> None:
    client.send_bytes(encode_request(produce_request(topic, values("a"), acks=0), 12, 0, None))
    assert client.ask(apis.API_VERSIONS, REQUEST).error_code == ErrorCode.NONE
    assert records_of(by_name_fetch(client, topic)[0]) == [(0, "a")]
    client.send_bytes(encode_request(produce_request("nowhere", values("a"), acks=0), 12, 0, None))
    assert client.is_hung_up()


@pytest.fixture
def threads() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) <= before  # one of an earlier test may have ended meanwhile


@pytest.mark.usefixtures("threads")
def test_a_cluster_leaves_nothing_behind_even_with_connections_open() -> None:
    with Cluster(brokers=2) as running:
        client = Client(running.bootstrap_servers)
        running.create_topic("orders", 1)
        client.send(fetch_request("orders", min_bytes=1, max_wait_ms=60_000), 12)
        address = running.bootstrap_servers.split(",")[0].split(":")
    with client:
        assert client.is_hung_up()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((address[0], int(address[1])), 5)


@pytest.mark.usefixtures("threads")
def test_a_cluster_can_be_left_without_having_been_used() -> None:
    with pytest.raises(ConfigError, match=r"num\.partitions"):
        Cluster(config={"num.partition": 3})
    with pytest.raises(ConfigError):
        Broker(nodes=0)
    unused = Cluster()
    with pytest.raises(MisuseError):
        unused.create_topic("orders")
    with pytest.raises(MisuseError):
        Broker().elect_preferred_leaders()
    with unused:
        pass
    with pytest.raises(MisuseError), unused:
        pass


async def test_a_connection_that_comes_while_the_broker_closes_is_closed_too() -> None:
    broker = Broker()
    await broker.start()
    with socket.create_connection(("127.0.0.1", broker.port)) as connected, suppress(ConnectionError):
        await asyncio.sleep(0)  # the loop may have accepted it, and nothing serves it yet
        await broker.close()
        assert connected.recv(1) == b""


async def test_a_broker_listens_once_at_a_time() -> None:
    broker = Broker()
    with pytest.raises(MisuseError):
        _ = broker.port
    await broker.start()
    with pytest.raises(MisuseError):
        await broker.start()
    await broker.close()


async def test_an_address_in_use_is_an_error_and_leaves_nothing_open(cluster: Cluster) -> None:
    port = int(cluster.bootstrap_servers.split(":")[1])
    with pytest.raises(OSError, match="address"):
        await Broker(port=port - 1, nodes=2).start()

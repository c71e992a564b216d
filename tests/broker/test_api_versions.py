"""What a broker says of its versions, and to whom (KIP-35, KIP-511, KIP-1242)."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import ApiVersionsRequest, ApiVersionsResponse, MetadataRequest
from tests.broker.client import Client

REQUEST = ApiVersionsRequest(client_software_name="tests", client_software_version="1")
NAMES_NODE = 5


@pytest.fixture(scope="module")
def before() -> Iterator[str]:
    with Cluster(profile="4.3") as cluster:
        yield cluster.bootstrap_servers


@pytest.mark.parametrize("version", range(apis.API_VERSIONS.max_version + 1))
def test_it_is_answered_in_every_version(at: Client, version: int) -> None:
    answer = at.ask(apis.API_VERSIONS, REQUEST, version)
    ranges = {api.api_key: (api.min_version, api.max_version) for api in answer.api_keys}
    assert answer.error_code == ErrorCode.NONE
    assert ranges[apis.CONSUMER_GROUP_HEARTBEAT.key] == (0, 1)
    assert ranges[apis.OFFSET_COMMIT.key] == (2, 10)


def test_a_version_from_the_future_is_told_the_range_of_this_api_alone(at: Client) -> None:
    request = struct.pack(">hhih", apis.API_VERSIONS.key, 9, 1, -1) + b"\x00whatever that may mean"
    at.send_bytes(struct.pack(">i", len(request)) + request)
    answer = at.receive(apis.API_VERSIONS, 0)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(api.api_key, api.min_version, api.max_version) for api in answer.api_keys] == [(18, 0, 5)]


def test_kafka_4_3_has_no_version_5(before: str) -> None:
    with Client(before) as client:
        client.send(REQUEST, NAMES_NODE)
        answer = client.receive(apis.API_VERSIONS, 0)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(api.api_key, api.max_version) for api in answer.api_keys] == [(apis.API_VERSIONS.key, 4)]


@pytest.mark.parametrize(
    ("name", "version"), [("", "1"), ("tests", ""), ("-tests", "1"), ("tests", "1."), ("my tests", "1")]
)
def test_a_client_has_to_say_which_software_it_is(at: Client, name: str, version: str) -> None:
    nameless = ApiVersionsRequest(client_software_name=name, client_software_version=version)
    assert_refused(at, nameless, 3, ErrorCode.INVALID_REQUEST)
    assert at.ask(apis.API_VERSIONS, nameless, 2).error_code == ErrorCode.NONE, "there it is not said"


# ---- from version 5 on, which broker is meant


def test_the_broker_that_is_meant_answers(at: Client) -> None:
    cluster_id, node_id = identity(at)
    assert at.ask(apis.API_VERSIONS, meaning(cluster_id, node_id), NAMES_NODE).api_keys


def test_another_sends_the_client_back_to_its_bootstrap_servers(at: Client) -> None:
    cluster_id, node_id = identity(at)
    for elsewhere in (meaning(cluster_id, node_id + 1), meaning("of-another-cluster", node_id)):
        assert_refused(at, elsewhere, NAMES_NODE, ErrorCode.REBOOTSTRAP_REQUIRED)


def test_a_cluster_without_a_node_or_the_reverse_is_refused(at: Client) -> None:
    cluster_id, node_id = identity(at)
    for half in (meaning(cluster_id, -1), meaning(None, node_id)):
        assert_refused(at, half, NAMES_NODE, ErrorCode.INVALID_REQUEST)


def identity(client: Client) -> tuple[str, int]:
    told = client.ask(apis.METADATA, MetadataRequest(topics=[]))
    return told.cluster_id, told.controller_id


def meaning(cluster_id: str | None, node_id: int) -> ApiVersionsRequest:
    return REQUEST.replaced(cluster_id=cluster_id, node_id=node_id)


def assert_refused(client: Client, request: ApiVersionsRequest, version: int, error: ErrorCode) -> None:
    """Nothing but the error is told, and the connection stays open."""
    answer = client.ask(apis.API_VERSIONS, request, version)
    assert answer.replaced() == ApiVersionsResponse(error_code=error)
    assert client.ask(apis.API_VERSIONS, REQUEST, version).error_code == ErrorCode.NONE

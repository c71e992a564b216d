"""Which Kafka the broker is like: what it says of its versions, and to whom (KIP-35, KIP-511, KIP-1242)."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

import pytest

from kafka_nextgen import Consumer, GroupProtocol, UnsupportedProtocolError
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.apis import advertised
from kafka_nextgen.testing.broker.releases import RELEASES
from kafka_nextgen.testing.coordinator.settings import Profile
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import ApiVersionsRequest, ApiVersionsResponse, OffsetCommitRequest
from tests.engine.stage import poll_until
from tests.support.kafka_server import KafkaServer
from tests.testing.broker.client import Client
from tests.testing.broker.requests import metadata

REQUEST = ApiVersionsRequest(client_software_name="tests", client_software_version="1")
NAMES_NODE = 5


@pytest.fixture(scope="module")
def switched_off() -> Iterator[Cluster]:
    with Cluster(config={"group.version": 0, "group.initial.rebalance.delay.ms": 0}) as cluster:
        cluster.create_topic("orders")
        yield cluster


def test_versions_are_those_of_the_release(each_release: KafkaServer) -> None:
    if each_release.version == "external":
        pytest.skip("KAFKA_BOOTSTRAP is set, and nobody knows which release that is")
    number = re.search(r"\d+\.\d+", each_release.version)
    assert number
    profile = Profile(number[0])
    with Client(each_release.bootstrap_servers) as client:
        told = client.ask(apis.API_VERSIONS, REQUEST, 4)
    real = {api.api_key: (api.min_version, api.max_version) for api in told.api_keys}
    spoken = {key: (real[key][0], min(real[key][1], apis.APIS[key].max_version)) for key in advertised(profile)}
    assert advertised(profile) == spoken
    supported = {feature.name: (feature.min_version, feature.max_version) for feature in told.supported_features}
    assert RELEASES[profile].features.items() <= supported.items()
    in_force = {feature.name: feature.max_version_level for feature in told.finalized_features}
    assert {"group.version": 1, "metadata.version": RELEASES[profile].metadata_version}.items() <= in_force.items()


def test_a_version_of_a_later_release_is_not_served() -> None:
    commit = OffsetCommitRequest(group_id="g")
    with Cluster(profile="4.0") as cluster, Client(cluster.bootstrap_servers) as client:
        assert client.ask(apis.OFFSET_COMMIT, commit, 9).topics == ()
        client.send(commit, 10)
        assert client.is_hung_up()


def test_there_are_five_releases_to_be_like() -> None:
    with pytest.raises(ConfigError, match=r"profile must be one of 4\.0, 4\.1, 4\.2, 4\.3, 4\.4, not '3\.9'"):
        Cluster(profile="3.9")


# ---- group.version=0: the consumer group protocol is off


def test_the_feature_is_not_in_force_then_but_could_be(switched_off: Cluster) -> None:
    with Client(switched_off.bootstrap_servers) as client:
        told = client.ask(apis.API_VERSIONS, REQUEST, 4)
    assert "group.version" in {feature.name for feature in told.supported_features}
    assert "group.version" not in {feature.name for feature in told.finalized_features}
    assert apis.CONSUMER_GROUP_HEARTBEAT.key in {api.api_key for api in told.api_keys}


def test_its_requests_are_refused_before_anything_is_looked_at(switched_off: Cluster) -> None:
    with Client(switched_off.bootstrap_servers) as client:
        answer = client.ask(apis.CONSUMER_GROUP_HEARTBEAT)
        assert (answer.error_code, answer.error_message) == (ErrorCode.UNSUPPORTED_VERSION, None)
        described = client.ask(apis.CONSUMER_GROUP_DESCRIBE, group_ids=["a", "b"])
        assert [group.error_code for group in described.groups] == 2 * [ErrorCode.UNSUPPORTED_VERSION]


def test_a_consumer_is_told_what_to_do(switched_off: Cluster) -> None:
    with Consumer(bootstrap_servers=switched_off.bootstrap_servers, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(UnsupportedProtocolError, match=r"group\.version=1 does.*group\.protocol=classic or auto"):
            poll_until(consumer, lambda: False)


def test_with_auto_it_takes_the_classic_protocol(switched_off: Cluster) -> None:
    config = {"group.protocol": "auto", "auto.offset.reset": "earliest"}
    with Consumer(config, bootstrap_servers=switched_off.bootstrap_servers, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        poll_until(consumer, lambda: bool(consumer.assignment()))
        assert consumer.group_protocol is GroupProtocol.CLASSIC
        assert len(consumer.assignment()) == 1


def test_it_is_answered_in_every_version(at: Client) -> None:
    for version in range(apis.API_VERSIONS.max_version + 1):
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


def test_kafka_4_3_has_no_version_5() -> None:
    with Cluster(profile="4.3") as before, Client(before.bootstrap_servers) as client:
        client.send(REQUEST, NAMES_NODE)
        answer = client.receive(apis.API_VERSIONS, 0)
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(api.api_key, api.max_version) for api in answer.api_keys] == [(apis.API_VERSIONS.key, 4)]


def test_a_client_has_to_say_which_software_it_is(at: Client) -> None:
    for name, version in (("", "1"), ("tests", ""), ("-tests", "1"), ("tests", "1."), ("my tests", "1")):
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
    told = metadata(client)
    return told.cluster_id, told.controller_id


def meaning(cluster_id: str | None, node_id: int) -> ApiVersionsRequest:
    return REQUEST.replaced(cluster_id=cluster_id, node_id=node_id)


def assert_refused(client: Client, request: ApiVersionsRequest, version: int, error: ErrorCode) -> None:
    """Nothing but the error is told, and the connection stays open."""
    answer = client.ask(apis.API_VERSIONS, request, version)
    assert answer.replaced() == ApiVersionsResponse(error_code=error)
    assert client.ask(apis.API_VERSIONS, REQUEST, version).error_code == ErrorCode.NONE

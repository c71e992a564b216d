"""Which Kafka the broker is like: what it tells of itself, and what it refuses as that release does."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kafka_nextgen import Consumer, GroupProtocol, UnsupportedProtocolError
from kafka_nextgen.broker.apis import advertised
from kafka_nextgen.broker.releases import RELEASES
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.coordinator.settings import Profile
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import (
    ApiVersionsRequest,
    ConsumerGroupDescribeRequest,
    ConsumerGroupHeartbeatRequest,
    OffsetCommitRequest,
)
from tests.broker.client import Client
from tests.engine.stage import poll_until
from tests.support.kafka_server import KafkaServer

REQUEST = ApiVersionsRequest(client_software_name="tests", client_software_version="1")


@pytest.fixture(scope="module")
def oldest() -> Iterator[Client]:
    with Cluster(profile="4.0") as cluster, Client(cluster.bootstrap_servers) as client:
        yield client


@pytest.fixture
def switched_off() -> Iterator[Cluster]:
    with Cluster(config={"group.version": 0, "group.initial.rebalance.delay.ms": 0}) as cluster:
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


def test_a_version_of_a_later_release_is_not_served(oldest: Client) -> None:
    commit = OffsetCommitRequest(group_id="g", generation_id_or_member_epoch=-1, member_id="", topics=[])
    assert oldest.ask(apis.OFFSET_COMMIT, commit, 9).topics == ()
    oldest.send(commit, 10)
    assert oldest.is_hung_up()


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
        beat = ConsumerGroupHeartbeatRequest(group_id="", member_id="", member_epoch=0)
        answer = client.ask(apis.CONSUMER_GROUP_HEARTBEAT, beat)
        assert (answer.error_code, answer.error_message) == (ErrorCode.UNSUPPORTED_VERSION, None)
        described = client.ask(apis.CONSUMER_GROUP_DESCRIBE, ConsumerGroupDescribeRequest(group_ids=["a", "b"]))
        assert [group.error_code for group in described.groups] == 2 * [ErrorCode.UNSUPPORTED_VERSION]


def test_a_consumer_is_told_what_to_do(switched_off: Cluster) -> None:
    switched_off.create_topic("orders")
    with Consumer(bootstrap_servers=switched_off.bootstrap_servers, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        with pytest.raises(UnsupportedProtocolError, match=r"group\.version=1 does.*group\.protocol=classic or auto"):
            poll_until(consumer, lambda: False)


def test_with_auto_it_takes_the_classic_protocol(switched_off: Cluster) -> None:
    switched_off.create_topic("orders")
    config = {"group.protocol": "auto", "auto.offset.reset": "earliest"}
    with Consumer(config, bootstrap_servers=switched_off.bootstrap_servers, group_id="billing") as consumer:
        consumer.subscribe(["orders"])
        poll_until(consumer, lambda: bool(consumer.assignment()))
        assert consumer.group_protocol is GroupProtocol.CLASSIC
        assert len(consumer.assignment()) == 1

"""Metadata: the cluster as a client sees it, and how one answer is laid over another."""

from __future__ import annotations

from uuid import UUID

import pytest

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import DecodeError
from kafka_nextgen.requests.metadata import (
    Broker,
    ClusterImage,
    PartitionInfo,
    TopicInfo,
    from_response,
    merged,
    to_request,
)
from kafka_nextgen.types import TopicPartition
from kafka_nextgen.wire.apis import METADATA
from kafka_nextgen.wire.messages import MetadataResponse
from tests.requests.over_the_wire import AUDIT, GONE, ORDERS, answered, asked, orders

Topic = MetadataResponse.MetadataResponseTopic
Partition = Topic.MetadataResponsePartition


def message(partition: int = 0, port: int = 9092) -> MetadataResponse:
    led = Partition(
        partition_index=partition, leader_id=2, leader_epoch=6, replica_nodes=[2, 1], isr_nodes=[2], error_code=0
    )
    return MetadataResponse(
        brokers=[MetadataResponse.MetadataResponseBroker(node_id=2, host="kafka-2", port=port, rack="a")],
        cluster_id="c",
        controller_id=2,
        topics=[
            Topic(name="orders", topic_id=ORDERS, partitions=[led]),
            Topic(name="secret", error_code=ErrorCode.TOPIC_AUTHORIZATION_FAILED),
            Topic(name=None, topic_id=GONE, error_code=ErrorCode.UNKNOWN_TOPIC_ID),
        ],
    )


def test_a_cluster_is_read_and_topics_are_found_by_name_and_by_id() -> None:
    image = from_response(answered(METADATA, message(), 12))
    assert (image.cluster_id, image.controller_id) == ("c", 2)
    assert image.brokers == {2: Broker(2, "kafka-2", 9092, "a")}
    assert image.topics_by_name["orders"] == TopicInfo("orders", ORDERS, 0, {0: PartitionInfo(2, 6, (2, 1))})
    assert image.topics_by_name["secret"].error == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert image.unknown_ids == {GONE}
    assert (image.name_of(ORDERS), image.id_of("orders")) == ("orders", ORDERS)
    assert (image.name_of(GONE), image.id_of("nothing")) == (None, None)


@pytest.mark.parametrize(
    ("offline", "node_id", "is_online"), [([], 2, True), ([], 1, False), ([2], 2, False), ([], 3, False)]
)
def test_replicas_are_online_where_both_the_node_and_its_copy_are(
    offline: list[int], node_id: int, is_online: bool
) -> None:
    told = message()
    topic = told.topics[0]
    topic = topic.replaced(partitions=[topic.partitions[0].replaced(offline_replicas=offline)])
    image = from_response(answered(METADATA, told.replaced(topics=[topic]), 12))
    assert image.is_online(TopicPartition("orders", 0), node_id) == is_online
    assert not image.is_online(TopicPartition("orders", 1), node_id), "there is no such partition"


def test_leaders_are_found_unless_they_are_down() -> None:
    image = from_response(answered(METADATA, message(), 12))
    assert image.leader_of(orders(0)) == Broker(2, "kafka-2", 9092, "a")
    assert image.leader_of(orders(1)) is None
    down = ClusterImage(topics_by_name={"orders": TopicInfo("orders", ORDERS, 0, {0: PartitionInfo(5)})})
    assert down.leader_of(orders(0)) is None


def test_old_brokers_tell_no_topic_ids_and_no_leader_epochs() -> None:
    told = message()
    image = from_response(answered(METADATA, told.replaced(topics=told.topics[:-1]), 1))
    assert image.topics_by_name["orders"].topic_id is None
    assert image.topics_by_name["orders"].partitions[0].leader_epoch == -1


@pytest.mark.parametrize("port", [0, -1, 65536])
def test_a_broker_or_a_partition_that_cannot_be_is_refused(port: int) -> None:
    with pytest.raises(DecodeError, match="the invalid address"):
        from_response(answered(METADATA, message(port=port), 12))
    with pytest.raises(DecodeError, match=r"orders\[-1\]"):
        from_response(answered(METADATA, message(partition=-1), 12))


@pytest.mark.parametrize(
    ("names", "ids", "expected"),
    [
        pytest.param(None, [], None, id="all topics"),
        pytest.param([], [], [], id="no topics, only brokers"),
        pytest.param(["b", "a"], [], [("a", None), ("b", None)], id="by name"),
        pytest.param([], [AUDIT, ORDERS], [(None, ORDERS), (None, AUDIT)], id="by id"),
    ],
)
def test_topics_are_asked_for(names: list[str] | None, ids: list[UUID], expected: object) -> None:
    request = asked(to_request(names, ids), 12)
    topics = request.topics
    assert (topics if topics is None else [(topic.name, topic.topic_id) for topic in topics]) == expected
    assert not request.allow_auto_topic_creation


def image(*topics: TopicInfo, unknown: frozenset[UUID] = frozenset()) -> ClusterImage:
    return ClusterImage(topics_by_name={topic.name: topic for topic in topics}, unknown_ids=unknown)


def led(epoch: int, leader: int = 1, topic_id: UUID | None = ORDERS) -> TopicInfo:
    return TopicInfo("orders", topic_id, 0, {0: PartitionInfo(leader, epoch)})


OTHER = TopicInfo("audit", AUDIT)


def test_what_an_answer_does_not_mention_stays() -> None:
    assert merged(image(led(1), OTHER), image(led(2))) == image(led(2), OTHER)


@pytest.mark.parametrize(
    ("known", "answer", "kept"),
    [
        pytest.param(led(3, leader=1), led(2, leader=2), led(3, leader=1), id="an older epoch is stale"),
        pytest.param(led(3, leader=1), led(4, leader=2), led(4, leader=2), id="a newer one is news"),
        pytest.param(led(3, leader=1), led(3, leader=-1), led(3, leader=-1), id="no leader in the same epoch"),
        pytest.param(led(9), led(0, topic_id=GONE), led(0, topic_id=GONE), id="another topic of that name"),
        pytest.param(led(9, topic_id=None), led(1, topic_id=None), led(1, topic_id=None), id="no ids to tell by"),
    ],
)
def test_leader_epochs_do_not_go_back(known: TopicInfo, answer: TopicInfo, kept: TopicInfo) -> None:
    assert merged(image(known), image(answer)).topics_by_name["orders"] == kept


def test_a_topic_whose_id_is_gone_is_forgotten() -> None:
    gone = frozenset({ORDERS})
    assert merged(image(led(1), OTHER), image(unknown=gone)) == image(OTHER, unknown=gone)

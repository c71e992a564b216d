"""A request that names a topic twice contradicts itself: of that topic nothing is done, and it is answered once."""

from __future__ import annotations

from kafka_nextgen.bridge.topics import NO_TOPIC_ID
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import CreatePartitionsRequest, CreateTopicsRequest, DeleteTopicsRequest
from tests.broker.client import Client
from tests.broker.requests import metadata
from tests.support.clients import create_topic, unique
from tests.support.kafka_server import KafkaServer

REFUSED = [ErrorCode.INVALID_REQUEST]


def test_it_is_neither_made_nor_grown_nor_deleted_and_told_once(every_kafka: KafkaServer) -> None:
    topic = create_topic(every_kafka.bootstrap_servers, "twice", 2)
    new = CreateTopicsRequest.CreatableTopic(
        name=unique("twice"), num_partitions=1, replication_factor=1, assignments=[], configs=[]
    )
    more = [
        CreatePartitionsRequest.CreatePartitionsTopic(name=topic, count=count, assignments=None) for count in (3, 4)
    ]
    named = DeleteTopicsRequest.DeleteTopicState(name=topic, topic_id=NO_TOPIC_ID)
    make = CreateTopicsRequest(topics=[new, new], timeout_ms=9_000, validate_only=False)
    grow = CreatePartitionsRequest(topics=more, timeout_ms=9_000, validate_only=False)
    delete = DeleteTopicsRequest(topics=[named, named], topic_names=[topic, topic], timeout_ms=9_000)
    with Client(every_kafka.bootstrap_servers) as client:
        assert [one.error_code for one in client.ask(apis.CREATE_TOPICS, make).topics] == REFUSED
        assert [one.error_code for one in client.ask(apis.CREATE_PARTITIONS, grow).results] == REFUSED
        for version in (5, 6):
            assert [one.error_code for one in client.ask(apis.DELETE_TOPICS, delete, version).responses] == REFUSED
        told = metadata(client, topic, topic).topics
        assert [(one.name, len(one.partitions)) for one in told] == [(topic, 2)]

"""Kafka 3.9, which has the consumer group protocol as a preview: ConsumerGroupHeartbeat has version 0 only there."""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen import (
    Consumer,
    GroupAdmin,
    GroupProtocol,
    GroupType,
    SubscriptionPattern,
    TopicPartition,
    UnsupportedProtocolError,
)
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_named_topic, create_topic, delete_topic, produce, stored_offsets, unique
from tests.support.kafka_server import KafkaServer


def test_members_with_ids_made_by_the_coordinator_share_a_topic(preview_kafka: KafkaServer) -> None:
    servers, group = preview_kafka.bootstrap_servers, unique("preview")
    topic = create_topic(servers, "preview", partitions=4)
    produce(servers, topic, 100, partitions=4)
    with Consumer(**config_of(preview_kafka, group, group_protocol="auto")) as first:
        first.subscribe([topic])
        assert numbers(read(first, 100)) == list(range(100))
        first.commit()
        own = first.group_metadata().member_id
        assert first.group_protocol is GroupProtocol.CONSUMER
        with Consumer(**config_of(preview_kafka, group)) as second:
            second.subscribe([topic])
            poll_until([first, second], lambda: len(first.assignment()) == len(second.assignment()) == 2)
            assert first.group_metadata().member_id == own != second.group_metadata().member_id
            produce(servers, topic, 100, partitions=4, first=100)
            assert numbers(poll_until([first, second], lambda: moved(first, second, topic))) == list(range(100, 200))
            first.commit()
            second.commit()
    assert stored_offsets(servers, group) == dict.fromkeys(range(4), 50)


def moved(first: Consumer, second: Consumer, topic: str) -> bool:
    """Whether both have read everything."""
    return all(
        one.position(TopicPartition(topic, tp.partition)) == 50 for one in (first, second) for tp in one.assignment()
    )


def test_a_pattern_is_matched_by_the_member(preview_kafka: KafkaServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "kafka_nextgen.member")
    servers, family = preview_kafka.bootstrap_servers, unique("family")
    create_named_topic(servers, f"{family}-a")
    with Consumer(**config_of(preview_kafka, unique("preview"), metadata_max_age_ms=300)) as consumer:
        consumer.subscribe(SubscriptionPattern(f"{family}-.*"))
        poll_until([consumer], lambda: topics_of(consumer) == {f"{family}-a"})
        create_named_topic(servers, f"{family}-b")
        poll_until([consumer], lambda: topics_of(consumer) == {f"{family}-a", f"{family}-b"})
        delete_topic(servers, f"{family}-a")
        poll_until([consumer], lambda: topics_of(consumer) == {f"{family}-b"})
    assert "this member matches pattern" in caplog.text


def topics_of(consumer: Consumer) -> set[str]:
    return {partition.topic for partition in consumer.assignment()}


def test_a_static_member_that_restarts_gets_its_partitions_back(preview_kafka: KafkaServer) -> None:
    servers, group = preview_kafka.bootstrap_servers, unique("preview")
    topic = create_topic(servers, "preview", partitions=4)
    static = config_of(preview_kafka, group, group_instance_id="worker-1")
    with Consumer(**config_of(preview_kafka, group)) as other:
        other.subscribe([topic])
        with Consumer(**static) as before:
            before.subscribe([topic])
            poll_until([other, before], lambda: len(other.assignment()) == len(before.assignment()) == 2)
            poll_until([other, before], lambda: other.health().rebalancing is None)
            had, told = before.assignment(), len(other.rebalances())
        with Consumer(**static) as again:
            again.subscribe([topic])
            poll_until([other, again], lambda: again.assignment() == had)
            assert len(other.rebalances()) == told, "nobody else was disturbed"


def test_its_groups_are_administered_but_for_their_configuration(preview_kafka: KafkaServer) -> None:
    servers, group = preview_kafka.bootstrap_servers, unique("preview")
    topic = create_topic(servers, "preview", partitions=2)
    with Consumer(**config_of(preview_kafka, group)) as consumer, GroupAdmin(bootstrap_servers=servers) as admin:
        consumer.subscribe([topic])
        poll_until([consumer], lambda: len(consumer.assignment()) == 2)
        described = admin.describe([group])[group]
        assert (described.type, described.members[0].assignment) == (GroupType.CONSUMER, consumer.assignment())
        assert group in {listed.group_id for listed in admin.list(["consumer"], ["Stable"]).groups}
        assert [offset.end_offset for offset in admin.offsets(group).values()] == [0, 0]
        with pytest.raises(UnsupportedProtocolError, match=r"which need Kafka 4\.0"):
            admin.describe_config(group)
        with pytest.raises(UnsupportedProtocolError, match=r"which need Kafka 4\.0"):
            admin.alter_config(group, {"consumer.session.timeout.ms": 50_000})

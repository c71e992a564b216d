"""Partitions assigned by hand: reading without a group, and committing for one without being in it."""

from __future__ import annotations

import pytest

from kafka_nextgen import CommitFailedError, Consumer, TopicPartition
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import (
    create_named_topic,
    create_topic,
    delete_topic,
    members_of,
    produce,
    stored_offsets,
    unique,
)
from tests.support.kafka_server import KafkaServer


@pytest.fixture(scope="module")
def topic(kafka: KafkaServer) -> str:
    """Return a topic of three partitions with records 0 to 299, which nobody changes."""
    topic = create_topic(kafka.bootstrap_servers, "by-hand", partitions=3)
    produce(kafka.bootstrap_servers, topic, 300, partitions=3)
    return topic


def test_a_consumer_without_a_group_reads_what_it_assigns(kafka: KafkaServer, topic: str) -> None:
    first, second = TopicPartition(topic, 0), TopicPartition(topic, 1)
    with Consumer(**config_of(kafka, "", group_id=None)) as consumer:
        consumer.assign([first])
        assert numbers(read(consumer, 100)) == list(range(0, 300, 3))
        consumer.assign([first, second])
        assert numbers(read(consumer, 100)) == list(range(1, 300, 3))
        assert consumer.lag() == {first: 0, second: 0}
        assert consumer.health().problem is None


def test_commits_of_a_stranger_are_kept_for_the_group_unless_it_has_members(
    kafka: KafkaServer, topic: str, group: str
) -> None:
    partition = TopicPartition(topic, 1)
    with Consumer(**config_of(kafka, group, max_poll_records=10)) as stranger:
        stranger.assign([partition])
        read(stranger, 40)
        stranger.commit()
        assert stored_offsets(kafka.bootstrap_servers, group) == {1: 40}
        with Consumer(**config_of(kafka, group)) as member:
            member.subscribe([topic])
            poll_until([member], lambda: len(member.assignment()) == 3)
            with pytest.raises(CommitFailedError, match=r"not a member.*UNKNOWN_MEMBER_ID"):
                stranger.commit()
            assert len(members_of(kafka.bootstrap_servers, group)) == 1
    with Consumer(**config_of(kafka, group, enable_auto_commit=True)) as consumer:
        consumer.assign([partition])
        assert numbers(read(consumer, 60)) == list(range(121, 300, 3))
    assert stored_offsets(kafka.bootstrap_servers, group) == {1: 100}


@pytest.mark.parametrize("has_group", [False, True], ids=["no group", "a group"])
def test_a_topic_made_again_under_its_name_is_read_from_its_own_beginning(kafka: KafkaServer, has_group: bool) -> None:
    servers, group = kafka.bootstrap_servers, unique("again") if has_group else None
    topic = create_topic(servers, "again")
    produce(servers, topic, 20)
    config = config_of(kafka, "", group_id=group, metadata_max_age_ms=200, allow_auto_create_topics=False)
    with Consumer(**config) as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        read(consumer, 20)
        if has_group:
            consumer.commit()
        delete_topic(servers, topic)
        create_named_topic(servers, topic)
        produce(servers, topic, 30, first=1000)
        assert numbers(read(consumer, 30)) == list(range(1000, 1030))
        assert consumer.position(TopicPartition(topic, 0)) == 30
        if has_group:
            consumer.commit()
            assert stored_offsets(servers, str(group)) == {0: 30}

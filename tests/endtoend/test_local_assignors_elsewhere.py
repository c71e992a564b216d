"""``group.local.assignors`` by the consumer group protocol at clusters that compute assignments themselves."""

from __future__ import annotations

import logging

import pytest

from kafka_nextgen import BrokerError, Consumer, GroupAdmin, UnsupportedAssignorError
from kafka_nextgen.assignors import HotStandby
from kafka_nextgen.codes import ErrorCode
from tests.endtoend.reading import config_of, numbers, poll_until, read
from tests.support.clients import create_topic, produce, unique
from tests.support.kafka_server import KafkaServer
from tests.support.weighing import Weighing


def test_kafka_is_told_of_once_with_both_ways_on(real_kafka: KafkaServer, caplog: pytest.LogCaptureFixture) -> None:
    topic, group = create_topic(real_kafka.bootstrap_servers, "own", 2), unique("own")
    produce(real_kafka.bootstrap_servers, topic, 20, partitions=2)
    assignor = Weighing()
    with (
        caplog.at_level(logging.WARNING),
        Consumer(**config_of(real_kafka, group, group_local_assignors=assignor)) as consumer,
    ):
        consumer.subscribe([topic])
        with pytest.raises(UnsupportedAssignorError) as raised:
            poll_until([consumer], lambda: False)
    for way in ("this cluster computes assignments itself", "group.remote.assignor", "group.protocol=classic"):
        assert str(raised.value).count(way) == 1
    told = [record for record in caplog.records if "computes assignments itself" in record.getMessage()]
    assert len(told) == 1

    # Both ways lead on.
    with Consumer(**config_of(real_kafka, group, group_remote_assignor="range")) as consumer:
        consumer.subscribe([topic])
        assert numbers(read(consumer, 20)) == list(range(20))
    with Consumer(**config_of(real_kafka, unique("own"), "auto", group_local_assignors=assignor)) as consumer:
        consumer.subscribe([topic])
        assert numbers(read(consumer, 20)) == list(range(20))
    assert assignor.asked, "by the classic protocol the leader runs it"


def test_kafka_has_no_standbys_and_two_other_ways_to_them(real_kafka: KafkaServer) -> None:
    topic, group = create_topic(real_kafka.bootstrap_servers, "standby", 1), unique("standby")
    assignors = [HotStandby(target_size=1), Weighing()]
    with Consumer(**config_of(real_kafka, group, group_local_assignors=assignors)) as consumer:
        consumer.subscribe([topic])
        with pytest.raises(UnsupportedAssignorError) as raised:
            poll_until([consumer], lambda: False)
    assert "HotStandby with group.protocol=classic" in str(raised.value)
    assert "group.target.size" in str(raised.value)
    with GroupAdmin(bootstrap_servers=real_kafka.bootstrap_servers) as admin:
        for name in ("group.target.size", "target.group.size"):
            with pytest.raises(BrokerError) as refused:
                admin.alter_config(group, {name: 1})
            assert refused.value.code == ErrorCode.INVALID_CONFIG
            assert "HotStandby" in str(refused.value)
            assert "a coordinator with extensions" in str(refused.value)

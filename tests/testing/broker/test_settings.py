"""The broker's configuration: Kafka's names, Kafka's limits, and errors that help."""

from __future__ import annotations

import pytest

from kafka_nextgen.errors import ConfigError
from kafka_nextgen.testing.broker import BrokerSettings
from kafka_nextgen.testing.broker.topic_settings import TopicSettings
from kafka_nextgen.testing.coordinator.settings import MigrationPolicy

SESSION = "group.consumer.session.timeout.ms"
HEARTBEAT = "group.consumer.heartbeat.interval.ms"
TARGET_SIZE = "group.target.size"
MIGRATION = "group.consumer.migration.policy"
MINIMUM = "group.consumer.min."


def test_settings_are_read_by_kafkas_names_as_values_or_as_text() -> None:
    settings = BrokerSettings.from_properties(
        {
            SESSION: "50000",
            "num.partitions": 6,
            "auto.create.topics.enable": "False",
            "group.consumer.assignors": "range, uniform",
            "message_max_bytes": 1000,
            MIGRATION: "UPGRADE",
        }
    )
    assert settings.group_consumer_session_timeout_ms == 50_000
    assert settings.num_partitions == 6
    assert settings.auto_create_topics_enable is False
    assert [assignor.name for assignor in settings.group_consumer_assignors] == ["range", "uniform"]
    assert settings.message_max_bytes == 1000
    assert settings.group_consumer_migration_policy is MigrationPolicy.UPGRADE


def test_settings_can_be_written_and_read_again() -> None:
    properties = {
        "num.partitions": 6,
        "auto.create.topics.enable": False,
        "broker.rack": "r1, r1,r2",
        MIGRATION: "disabled",
    }
    settings = BrokerSettings.from_properties(properties)
    assert BrokerSettings.from_properties(settings.as_properties()) == settings


@pytest.mark.parametrize(
    ("properties", "key", "message"),
    [
        ({MIGRATION: "both"}, MIGRATION, "must be one of bidirectional"),
        ({"group.consumer.sesion.timeout.ms": 1}, "group.consumer.sesion.timeout.ms", f"did you mean {SESSION}"),
        ({"x": 1}, "x", "^there is no broker setting x$"),
        ({"x": 1, "num.partition": 2}, "x", r"setting x, num.partition \(did you mean num.partitions\?\)$"),
        ({"num.partitions": "many"}, "num.partitions", "a whole number, not 'many'"),
        ({"num.partitions": True}, "num.partitions", "a whole number, not True"),
        ({"num.partitions": 1.5}, "num.partitions", "a whole number, not 1.5"),
        ({"num.partitions": 0}, "num.partitions", "between 1 and 2147483647, not 0"),
        ({"auto.create.topics.enable": "yes"}, "auto.create.topics.enable", "true or false, not 'yes'"),
        ({SESSION: 44_999}, SESSION, r"must lie between group.consumer.min.session.timeout.ms \(45000\)"),
        ({SESSION: 60_001}, SESSION, r"and group.consumer.max.session.timeout.ms \(60000\)"),
        ({"broker.rack": "r1,"}, "broker.rack", "one rack, or a comma-separated list of one for each node"),
        ({"broker.rack": 7}, "broker.rack", "one rack, or a comma-separated list of one for each node"),
        ({"replica.selector.class": "Mine"}, "replica.selector.class", "LeaderSelector, .*RackAwareReplicaSelector"),
        ({HEARTBEAT: 20_000}, HEARTBEAT, "must lie between"),
        ({TARGET_SIZE: 3, "extensions": False}, TARGET_SIZE, "is an extension, but extensions are disabled"),
        ({TARGET_SIZE: 3, "group.consumer.max.size": 2}, TARGET_SIZE, "must not be above group.consumer.max.size"),
        ({TARGET_SIZE: -1}, TARGET_SIZE, "must be between 0 and"),
        ({"group.consumer.assignment.interval.ms": 15_001}, "group.consumer.assignment.interval.ms", "must lie"),
        ({SESSION: 6_000, f"{MINIMUM}session.timeout.ms": 1_000, HEARTBEAT: 6_000}, HEARTBEAT, "must be less than"),
    ],
)
def test_what_cannot_be_is_refused_by_name(properties: dict[str, object], key: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        BrokerSettings.from_properties(properties)
    assert refused.value.key == key


def test_a_topic_has_the_brokers_largest_message_unless_it_sets_its_own() -> None:
    assert TopicSettings(default_max_message_bytes=500).max_message_bytes == 500
    assert TopicSettings({"max.message.bytes": "700"}, default_max_message_bytes=500).max_message_bytes == 700


def test_nodes_have_one_rack_each_or_all_the_same() -> None:
    def racks(given: str, nodes: int) -> list[str | None]:
        settings = BrokerSettings.from_properties({"broker.rack": given})
        return [settings.rack_of(index, nodes) for index in range(nodes)]

    assert racks("", 2) == [None, None]
    assert racks("r1", 2) == ["r1", "r1"]
    assert racks("r1,r1,r2", 3) == ["r1", "r1", "r2"]
    with pytest.raises(ConfigError, match="names 2 racks for 3 nodes") as refused:
        racks("r1,r2", 3)
    assert refused.value.key == "broker.rack"

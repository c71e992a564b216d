"""What the admin changes, on the embedded broker and on the real one."""

from __future__ import annotations

import pytest

from kafka_nextgen import (
    BrokerError,
    Consumer,
    GroupAdmin,
    GroupNotEmptyError,
    GroupNotFoundError,
    OffsetReset,
    TopicPartition,
)
from kafka_nextgen.codes import ErrorCode
from tests.admin.conftest import Scene
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import create_topic, stored_offsets, unique
from tests.support.kafka_server import SESSION_TIMEOUT_MS, KafkaServer
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def topic(kafka: KafkaServer) -> str:
    return create_topic(kafka.bootstrap_servers, "changed", 2)


def test_offsets_are_altered_where_they_can_be(kafka: KafkaServer, admin: GroupAdmin, topic: str) -> None:
    group, nowhere = unique("altered"), TopicPartition(unique("nowhere"), 0)
    altered = admin.alter_offsets(group, {TopicPartition(topic, 0): 7, TopicPartition(topic, 1): 9, nowhere: 1})
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 7, 1: 9}
    with pytest.raises(BrokerError, match=r"UNKNOWN_TOPIC_OR_PARTITION; the partition does not exist") as raised:
        altered[nowhere]
    assert (raised.value.group, raised.value.partition) == (group, nowhere)


def test_a_group_with_members_keeps_its_offsets(scene: Scene, admin: GroupAdmin) -> None:
    for group in (scene.consumer_group, scene.classic_group):
        altered = admin.alter_offsets(group, {TopicPartition(scene.topic, 0): 1})
        with pytest.raises(GroupNotEmptyError, match="stop its members"):
            altered.all()
        with pytest.raises(GroupNotEmptyError, match="stop its members"):
            admin.delete([group]).all()


def test_an_empty_group_is_deleted_with_its_offsets(kafka: KafkaServer, admin: GroupAdmin, topic: str) -> None:
    group, nobody = unique("deleted"), unique("nobody")
    admin.alter_offsets(group, {TopicPartition(topic, 0): 7}).all()
    deleted = admin.delete([group, nobody])
    assert list(deleted.done) == [group]
    assert isinstance(deleted.failed[nobody], GroupNotFoundError)
    assert stored_offsets(kafka.bootstrap_servers, group) == {}


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_members_are_removed_by_either_id_with_a_result_for_each(
    kafka: KafkaServer, admin: GroupAdmin, topic: str, protocol: str
) -> None:
    group = unique("removed")
    with (
        Consumer(config_of(kafka, group, protocol, group_instance_id="still")) as static,
        Consumer(config_of(kafka, group, protocol)) as dynamic,
    ):
        static.subscribe([topic])
        dynamic.subscribe([topic])
        poll_until([static, dynamic], lambda: bool(static.assignment() and dynamic.assignment()))
        member_id = dynamic.group_metadata().member_id
        removed = admin.remove_members(group, ["still", "other"], [member_id, "stranger"], reason="moved away")
    assert [(one.instance_id, one.error is None) for one in removed[:2]] == [("still", True), ("other", False)]
    assert [(one.member_id, one.error is None) for one in removed[2:]] == [(member_id, True), ("stranger", False)]
    unknown = removed[3].error
    assert (unknown.code, unknown.group, unknown.member) == (ErrorCode.UNKNOWN_MEMBER_ID, group, "stranger")


@pytest.mark.parametrize("protocol", ["consumer", "classic"])
def test_an_instance_is_removed_only_if_it_has_the_member_id_of_the_pair(
    kafka: KafkaServer, admin: GroupAdmin, topic: str, protocol: str
) -> None:
    group = unique("removed")
    with (
        Consumer(config_of(kafka, group, protocol, group_instance_id="one")) as first,
        Consumer(config_of(kafka, group, protocol, group_instance_id="two")) as second,
    ):
        first.subscribe([topic])
        second.subscribe([topic])
        poll_until([first, second], lambda: bool(first.assignment() and second.assignment()))
        one, two = (member.group_metadata().member_id for member in (first, second))
        removed = admin.remove_members(group, member_ids=[(two, "one"), (two, "two"), (one, "nobody")])
        assert [(each.member_id, each.instance_id) for each in removed] == [(two, "one"), (two, "two"), (one, "nobody")]
        codes = [getattr(each.error, "code", None) for each in removed]
        assert codes == [ErrorCode.FENCED_INSTANCE_ID, None, ErrorCode.UNKNOWN_MEMBER_ID]
        assert one in {member.member_id for member in admin.members(group)}


def test_offsets_are_deleted_where_nobody_is_subscribed(
    scene: Scene, kafka: KafkaServer, admin: GroupAdmin, topic: str
) -> None:
    group, kept, gone = unique("forgotten"), TopicPartition(topic, 0), TopicPartition(topic, 1)
    admin.alter_offsets(group, {kept: 1, gone: 2}).all()
    assert admin.delete_offsets(group, [gone]).all() == {gone: None}
    assert stored_offsets(kafka.bootstrap_servers, group) == {0: 1}
    for members in (scene.consumer_group, scene.classic_group):
        deleted = admin.delete_offsets(members, [TopicPartition(scene.topic, 0)])
        with pytest.raises(BrokerError, match="GROUP_SUBSCRIBED_TO_TOPIC; members of the group are subscribed"):
            deleted.all()
    with pytest.raises(GroupNotFoundError):
        admin.delete_offsets(unique("nobody"), [gone])


def test_offsets_are_altered_to_where_a_partition_begins_or_ends(scene: Scene, admin: GroupAdmin) -> None:
    group, nowhere = unique("ends"), TopicPartition(unique("nowhere"), 0)
    first, last = TopicPartition(scene.topic, 0), TopicPartition(scene.topic, 1)
    places = {first: OffsetReset.EARLIEST, last: OffsetReset.LATEST, nowhere: OffsetReset.LATEST}
    altered = admin.alter_offsets(group, places)
    assert {tp: offset.offset for tp, offset in altered.done.items()} == {first: 0, last: 10}
    assert list(altered.failed) == [nowhere]


def test_a_group_is_configured_before_it_is_there(kafka: KafkaServer, admin: GroupAdmin) -> None:
    group, key = unique("configured"), "consumer.session.timeout.ms"
    admin.alter_config(group, {key: 7000}, validate_only=True)
    before = admin.describe_config(group)[key]
    assert (before.value, before.is_own) == (SESSION_TIMEOUT_MS, False)
    admin.alter_config(group, {key: 7000})
    eventually("the broker has learnt of it", lambda: admin.describe_config(group)[key].value == "7000")
    assert admin.describe_config(group)[key].is_own
    for changes in ({key: 1}, {"consumer.session.timeout": 7000}):
        with pytest.raises(BrokerError, match=f"group {group}: configuring .*INVALID_CONFIG"):
            admin.alter_config(group, changes)
    admin.alter_config(group, {key: None})
    eventually("it follows the broker again", lambda: not admin.describe_config(group)[key].is_own)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("group.consumer.session.timeout.ms", "; .* its name in Kafka is consumer.session.timeout.ms"),
        ("group.consumer.heartbeat.interval.ms", "; .* its name in Kafka is consumer.heartbeat.interval.ms"),
        ("group.consumer.assignment.interval.ms", r"; .* consumer.assignment.interval.ms \(since Kafka 4.3\)"),
        ("group.consumer.max.session.timeout.ms", "; it is a setting of brokers, not of groups"),
        ("consumer.session", "$"),
    ],
)
def test_a_name_that_only_the_kip_or_brokers_have_is_refused_with_a_hint(
    kafka: KafkaServer, admin: GroupAdmin, name: str, hint: str
) -> None:
    with pytest.raises(BrokerError, match=f"Unknown group config name: {name}{hint}"):
        admin.alter_config(unique("configured"), {name: 50_000})

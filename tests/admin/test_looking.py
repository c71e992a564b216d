"""What the admin tells of groups, on the embedded broker and on the real one."""

from __future__ import annotations

import asyncio

import pytest

from kafka_nextgen import (
    AsyncGroupAdmin,
    Consumer,
    GroupAdmin,
    GroupListing,
    GroupNotFoundError,
    GroupState,
    GroupType,
    TopicPartition,
)
from tests.admin.conftest import PARTITIONS, Scene
from tests.endtoend.reading import config_of, poll_until
from tests.support.clients import admin_client, create_topic, delete_topic, unique
from tests.support.kafka_server import KafkaServer
from tests.support.waiting import GUARD_S

CONSUMER, CLASSIC = GroupType.CONSUMER, GroupType.CLASSIC


def test_groups_are_listed_with_their_types_and_states(scene: Scene, admin: GroupAdmin) -> None:
    listed = admin.list()
    assert listed.failed == {}
    assert GroupListing(scene.consumer_group, CONSUMER, GroupState.STABLE, "consumer") in listed.groups
    assert GroupListing(scene.classic_group, CLASSIC, GroupState.STABLE, "consumer") in listed.groups


@pytest.mark.parametrize(
    ("types", "states", "found"),
    [
        (["consumer"], [], {"consumer"}),
        ([CLASSIC], ["STABLE"], {"classic"}),
        (["classic", "consumer"], [GroupState.STABLE, GroupState.EMPTY], {"classic", "consumer"}),
        (["consumer"], ["Empty"], set()),
    ],
)
def test_groups_are_listed_by_type_and_state(
    scene: Scene, admin: GroupAdmin, types: list[str], states: list[str], found: set[str]
) -> None:
    ours = {scene.consumer_group, scene.classic_group}
    groups = [group for group in admin.list(types, states).groups if group.group_id in ours]
    assert {group.type.value for group in groups} == found


def test_a_consumer_group_is_described_with_its_target(scene: Scene, admin: GroupAdmin) -> None:
    group = admin.describe([scene.consumer_group])[scene.consumer_group]
    assert (group.type, group.state, group.protocol_type) == (CONSUMER, GroupState.STABLE, "consumer")
    assert group.assignor == "uniform"
    assert group.group_epoch == group.assignment_epoch
    assert f"{group.coordinator.host}:{group.coordinator.port}" in scene.kafka.bootstrap_servers
    described = {member.member_id: member for member in group.members}
    for consumer in scene.members[:2]:
        known, member = consumer.group_metadata(), described[consumer.group_metadata().member_id]
        assert (member.type, member.instance_id, member.member_epoch) == (
            CONSUMER,
            known.instance_id,
            known.member_epoch,
        )
        assert member.subscribed_topics == (scene.topic,)
        assert member.assignment == member.target == consumer.assignment()
        assert member.is_at_target
    assert {(member.rack_id, member.client_id) for member in group.members} == {("a", "kafka-nextgen"), (None, "two")}


def test_a_classic_group_is_described_alike_with_its_assignment_decoded(scene: Scene, admin: GroupAdmin) -> None:
    group = admin.describe([scene.classic_group])[scene.classic_group]
    assert (group.type, group.state, group.protocol_type) == (CLASSIC, GroupState.STABLE, "consumer")
    assert (group.assignor, group.group_epoch, group.assignment_epoch) == ("cooperative-sticky", None, None)
    (member,) = group.members
    assert (member.type, member.instance_id, member.rack_id) == (CLASSIC, "three", "c")
    assert (member.member_epoch, member.target) == (None, None)
    assert member.subscribed_topics == (scene.topic,)
    assert member.assignment == scene.members[2].assignment()
    assert admin.members(scene.classic_group) == group.members


def test_one_group_that_is_not_there_does_not_hide_the_others(scene: Scene, admin: GroupAdmin) -> None:
    nobody = unique("nobody")
    found = admin.describe([nobody, scene.consumer_group])
    assert list(found.done) == [scene.consumer_group]
    with pytest.raises(GroupNotFoundError, match=f"group {nobody}: .*list the groups") as raised:
        found[nobody]
    assert raised.value.group == nobody
    with pytest.raises(GroupNotFoundError):
        admin.offsets(nobody)


def test_offsets_come_with_lag_and_owner_also_where_nothing_is_committed(scene: Scene, admin: GroupAdmin) -> None:
    offsets = admin.offsets(scene.consumer_group)
    assert len(offsets) == PARTITIONS
    first, second = scene.members[:2]
    for partition in first.assignment():
        found = offsets[partition]
        assert found.committed is not None
        assert (found.committed.offset, found.end_offset, found.lag, found.error) == (4, 10, 6, None)
        assert found.member_id == first.group_metadata().member_id
    for partition in second.assignment():
        found = offsets[partition]
        assert (found.committed, found.end_offset, found.lag) == (None, 10, None)
        assert found.member_id == second.group_metadata().member_id


def test_a_topic_that_is_gone_has_no_end_and_takes_no_other_with_it(kafka: KafkaServer, admin: GroupAdmin) -> None:
    group, kept = unique("left"), TopicPartition(create_topic(kafka.bootstrap_servers, "kept"), 0)
    gone = TopicPartition(create_topic(kafka.bootstrap_servers, "gone"), 0)
    admin.alter_offsets(group, {kept: 0, gone: 0})
    delete_topic(kafka.bootstrap_servers, gone.topic)
    offsets = admin.offsets(group)
    assert (offsets[kept].lag, offsets[kept].error) == (0, None)
    if gone in offsets:  # a coordinator forgets what was committed for it, a moment later
        assert offsets[gone].end_offset is None
        assert "UNKNOWN_TOPIC_OR_PARTITION" in str(offsets[gone].error)


def test_the_async_admin_tells_the_same(scene: Scene, admin: GroupAdmin) -> None:
    async def ask() -> tuple[object, ...]:
        async with AsyncGroupAdmin(bootstrap_servers=scene.kafka.bootstrap_servers) as awaited:
            calls = (
                awaited.list(["classic"]),
                awaited.members(scene.classic_group),
                awaited.offsets(scene.consumer_group),
                awaited.cluster_id(),
            )
            return tuple(await asyncio.gather(*calls))

    listed, members, offsets, cluster_id = asyncio.run(ask())
    assert scene.classic_group in {group.group_id for group in listed.groups}
    assert members == admin.members(scene.classic_group)
    assert offsets == admin.offsets(scene.consumer_group)
    servers = scene.kafka.bootstrap_servers
    assert cluster_id == admin.cluster_id() == admin_client(servers).list_topics(timeout=GUARD_S).cluster_id


def test_a_pattern_is_tried_on_the_topics_there_are(scene: Scene, admin: GroupAdmin) -> None:
    checked = admin.validate_regex(f"{scene.topic[:-1]}.")
    assert (checked.is_valid, checked.advice) == (True, None)
    assert scene.topic in checked.topics
    searching = admin.validate_regex(f"^{scene.topic[:-1]}")
    assert (searching.is_valid, searching.topics) == (True, ())
    assert "if you mean a search, write" in str(searching.advice)
    everything = admin.validate_regex(".*")
    assert {scene.topic, "__consumer_offsets"} <= set(everything.topics)
    own = ", ".join(topic for topic in everything.topics if topic.startswith("__"))
    assert everything.advice == f"pattern '.*' also matches Kafka's internal {own}, which members would have to read"
    assert admin.validate_regex("(orders").error == "pattern '(orders' is not valid RE2: missing ): (orders"


def test_members_of_both_protocols_are_told_apart_in_one_group(kafka: KafkaServer, admin: GroupAdmin) -> None:
    topic, group = create_topic(kafka.bootstrap_servers, "mixed", 2), unique("mixed")
    with (
        Consumer(config_of(kafka, group, "classic", client_id="old")) as old,
        Consumer(config_of(kafka, group, "consumer", client_id="new")) as new,
    ):
        old.subscribe([topic])
        poll_until([old], lambda: len(old.assignment()) == 2)
        new.subscribe([topic])
        poll_until([old, new], lambda: len(old.assignment()) == len(new.assignment()) == 1)
        described = admin.describe([group])[group]
        offsets = admin.offsets(group)
        owned = {"old": old.assignment(), "new": new.assignment()}
    assert described.type is CONSUMER
    assert {member.client_id: member.type for member in described.members} == {"old": CLASSIC, "new": CONSUMER}
    assert {member.client_id: member.assignment for member in described.members} == owned
    owners = {member.member_id: member.client_id for member in described.members}
    assert {tp: owners[str(offset.member_id)] for tp, offset in offsets.items()} == {
        tp: client_id for client_id, partitions in owned.items() for tp in partitions
    }

"""What the admin does when brokers move, load, refuse or go away."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from kafka_nextgen import (
    BrokerError,
    GroupAdmin,
    GroupAuthorizationError,
    RequestTimeoutError,
    TopicAuthorizationError,
    TopicPartition,
    UnsupportedProtocolError,
)
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import OutageError
from kafka_nextgen.testing import Cluster
from kafka_nextgen.testing.broker.apis import EXTENSIONS
from kafka_nextgen.wire.apis import CONSUMER_GROUP_ADD_MEMBERS, CONSUMER_GROUP_ANNOUNCE_LEAVING, Api
from tests.engine.stage import ONE_ATTEMPT
from tests.support.waiting import GUARD_S

PARTITION = TopicPartition("orders", 0)


@pytest.fixture(scope="module")
def pair() -> Iterator[Cluster]:
    with Cluster(brokers=2, config={"offsets.topic.num.partitions": 2}) as cluster:
        cluster.create_topic("orders", 1)
        yield cluster


@pytest.fixture(scope="module")
def admin(pair: Cluster) -> Iterator[GroupAdmin]:
    with GroupAdmin(bootstrap_servers=pair.bootstrap_servers) as admin:
        yield admin


@pytest.fixture(scope="module")
def asks_once(pair: Cluster) -> Iterator[GroupAdmin]:
    with GroupAdmin(bootstrap_servers=pair.bootstrap_servers, **ONE_ATTEMPT) as admin:
        yield admin


def move(pair: Cluster, group: str) -> int:
    other = 3 - (pair.coordinator_of(group) or 0)
    pair.move_coordinator(group, other)
    return other


def test_a_coordinator_that_moved_is_looked_up_again(pair: Cluster, admin: GroupAdmin) -> None:
    admin.alter_offsets("moving", {PARTITION: 1}).all()
    other = move(pair, "moving")
    assert admin.describe(["moving"])["moving"].coordinator.node_id == other
    move(pair, "moving")
    assert admin.delete(["moving"]).all() == {"moving": None}


def test_a_coordinator_that_loads_is_waited_for_until_the_time_is_over(
    pair: Cluster, admin: GroupAdmin, asks_once: GroupAdmin
) -> None:
    admin.alter_offsets("loading", {PARTITION: 1}).all()
    with ThreadPoolExecutor(2) as pool:
        with pair.loading_held():
            move(pair, "loading")
            with pytest.raises(RequestTimeoutError, match="COORDINATOR_LOAD_IN_PROGRESS"):
                asks_once.describe(["loading"], timeout=GUARD_S).all()
            described = pool.submit(admin.describe, ["loading"])
            listed = pool.submit(admin.list)
        assert described.result(GUARD_S)["loading"].group_id == "loading"
        assert "loading" in {group.group_id for group in listed.result(GUARD_S).groups}


@pytest.mark.parametrize(
    ("api", "cancel"),
    [
        (CONSUMER_GROUP_ADD_MEMBERS, lambda admin: admin.add_members("lost", ["one"], within=0)),
        (CONSUMER_GROUP_ANNOUNCE_LEAVING, lambda admin: admin.announce_leaving("lost", ["one"], within=0)),
    ],
    ids=["add_members", "announce_leaving"],
)
def test_a_cancellation_whose_answer_is_lost_is_not_repeated(
    admin: GroupAdmin, monkeypatch: pytest.MonkeyPatch, api: Api, cancel: Callable[[GroupAdmin], object]
) -> None:
    """A second one would find nothing to cancel, and report an unknown member."""
    asked: list[object] = []

    async def lose(request: object, _context: object) -> object:
        asked.append(request)
        raise ConnectionResetError("the answer is lost")

    monkeypatch.setitem(EXTENSIONS, api, lose)
    with pytest.raises(OutageError):
        cancel(admin)
    assert len(asked) == 1


def test_a_broker_that_can_not_say_is_named_beside_the_groups_of_the_others(
    pair: Cluster, admin: GroupAdmin, asks_once: GroupAdmin
) -> None:
    groups = [f"spread-{number}" for number in range(8)]
    for group in groups:
        admin.alter_offsets(group, {PARTITION: 1}).all()
    with pair.loading_held():
        busy = move(pair, groups[0])
        listed = asks_once.list(timeout=GUARD_S)
        told = {group.group_id for group in listed.groups}
        expected = {group for group in groups if pair.coordinator_of(group) != busy}
    assert list(listed.failed) == [busy]
    assert "COORDINATOR_LOAD_IN_PROGRESS" in str(listed.failed[busy])
    assert told & set(groups) == expected


def test_the_groups_of_a_broker_that_went_away_are_where_they_went() -> None:
    with Cluster(brokers=2) as cluster, GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        cluster.create_topic("orders", 1)
        admin.alter_offsets("somewhere", {PARTITION: 1}).all()
        node = cluster.coordinator_of("somewhere") or 0
        cluster.stop_node(node)
        assert [group.group_id for group in admin.list().groups] == ["somewhere"]
        assert admin.describe(["somewhere"])["somewhere"].coordinator.node_id == 3 - node


def test_what_the_principal_may_not_do_is_said_group_by_group() -> None:
    rules = [
        "allow User:ANONYMOUS ALL GROUP *",
        "allow User:ANONYMOUS ALL TOPIC *",
        "deny User:ANONYMOUS ALL GROUP secret",
    ]
    with Cluster(rules=rules) as cluster, GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        cluster.create_topic("orders", 1)
        admin.alter_offsets("open", {PARTITION: 1}).all()
        described = admin.describe(["open", "secret"])
        assert list(described.done) == ["open"]
        with pytest.raises(GroupAuthorizationError) as raised:
            described["secret"]
        assert raised.value.group == "secret"
        calls = (
            lambda: admin.delete(["secret"]).all(),
            lambda: admin.offsets("secret"),
            lambda: admin.remove_members("secret", ["i"]),
            lambda: admin.alter_offsets("secret", {PARTITION: 1}).all(),
            lambda: admin.alter_config("secret", {"consumer.session.timeout.ms": 50_000}),
        )
        for call in calls:
            with pytest.raises(GroupAuthorizationError, match="group secret"):
                call()


def test_a_topic_that_may_not_be_seen_hides_no_other() -> None:
    rules = ["allow User:ANONYMOUS ALL GROUP *", "allow User:ANONYMOUS ALL TOPIC orders"]
    with Cluster(rules=rules) as cluster, GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        for topic in ("orders", "hidden"):
            cluster.create_topic(topic, 1)
        altered = admin.alter_offsets("open", {PARTITION: 1, TopicPartition("hidden", 0): 1})
        assert list(altered.done) == [PARTITION]
        assert isinstance(altered.failed[TopicPartition("hidden", 0)], TopicAuthorizationError)


def test_a_cluster_without_the_protocol_has_classic_groups_all_the_same() -> None:
    with Cluster(config={"group.version": 0}) as cluster:
        cluster.create_topic("orders", 1)
        with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
            admin.alter_offsets("old", {PARTITION: 1}).all()
            assert admin.describe(["old"])["old"].type.value == "classic"
            with pytest.raises(BrokerError) as raised:
                admin.describe(["nobody"]).all()
            assert raised.value.code == ErrorCode.GROUP_ID_NOT_FOUND
            assert not isinstance(raised.value, UnsupportedProtocolError)

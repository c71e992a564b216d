"""UpdateFeatures: ``group.version`` is switched while members live, and everything else is refused in Kafka's words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kafka_nextgen import (
    Consumer,
    GroupAdmin,
    GroupType,
    MisuseError,
    TopicPartition,
    UnsupportedProtocolError,
)
from kafka_nextgen.codes import ErrorCode, name_of
from kafka_nextgen.testing import Clock, Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.messages import ApiVersionsRequest
from tests.endtoend.reading import poll_until as both_poll_until
from tests.engine.stage import poll_until
from tests.testing.broker.client import Client
from tests.testing.broker.group_requests import commit, committed, heartbeat, join, leave

UPGRADE, SAFE, UNSAFE = 1, 2, 3
VERSIONS = ApiVersionsRequest(client_software_name="tests", client_software_version="1")
ALL_FAILED = "The update failed for all features since the following feature had an error: "
NO_PROTOCOL = ErrorCode.UNSUPPORTED_VERSION
QUICK = {
    "group.consumer.heartbeat.interval.ms": 100,
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.assignment.interval.ms": 0,
    "group.initial.rebalance.delay.ms": 0,
}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(config=QUICK) as cluster:
        cluster.create_topic("orders", 1)
        yield cluster


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    with Client(cluster.bootstrap_servers) as client:
        yield client


def update(client: Client, feature: str, level: int, kind: int = SAFE, version: int = 2, **more: Any) -> Any:
    each = {"feature": feature, "max_version_level": level, "upgrade_type": kind}
    return client.ask(apis.UPDATE_FEATURES, version=version, feature_updates=[each], **more)


def switch(client: Client, level: int) -> None:
    answer = update(client, "group.version", level, UPGRADE if level else SAFE)
    assert (answer.error_code, answer.error_message) == (ErrorCode.NONE, None)


def in_force(client: Client) -> tuple[int, int]:
    """The level of ``group.version``, 0 if it is not told, and the epoch of all features."""
    told = client.ask(apis.API_VERSIONS, VERSIONS, 4)
    levels = {feature.name: feature.max_version_level for feature in told.finalized_features}
    return levels.get("group.version", 0), told.finalized_features_epoch


def test_a_live_member_is_refused_until_it_is_on_again(client: Client) -> None:
    """As seen on Kafka 4.4.0: nothing is lost, and commits work throughout."""
    epoch = join(client, "billing", "A").member_epoch
    switch(client, 0)
    assert heartbeat(client, "billing", epoch).error_code == NO_PROTOCOL
    assert join(client, "billing", "B").error_code == NO_PROTOCOL
    assert heartbeat(client, "billing", -1).error_code == NO_PROTOCOL
    (described,) = client.ask(apis.CONSUMER_GROUP_DESCRIBE, group_ids=["billing"]).groups
    assert described.error_code == NO_PROTOCOL
    (listed,) = client.ask(apis.LIST_GROUPS).groups
    assert (listed.group_id, listed.group_type, listed.group_state) == ("billing", "consumer", "Stable")
    assert commit(client, "billing", "orders", 7, epoch=epoch) == ErrorCode.NONE
    assert committed(client, "billing", "orders") == 7
    switch(client, 1)
    again = heartbeat(client, "billing", epoch)
    assert (again.error_code, again.member_epoch) == (ErrorCode.NONE, epoch)
    (described,) = client.ask(apis.CONSUMER_GROUP_DESCRIBE, group_ids=["billing"]).groups
    assert [member.member_id for member in described.members] == ["A"]


def test_a_member_whose_session_ends_meanwhile_is_removed() -> None:
    with Cluster(clock=Clock()) as cluster, Client(cluster.bootstrap_servers) as client:
        cluster.create_topic("orders", 1)
        epoch = join(client, "billing", "A").member_epoch
        switch(client, 0)
        cluster.advance(seconds=46)
        (listed,) = client.ask(apis.LIST_GROUPS).groups
        assert (listed.group_type, listed.group_state) == ("consumer", "Empty")
        switch(client, 1)
        assert heartbeat(client, "billing", epoch).error_code == ErrorCode.UNKNOWN_MEMBER_ID
        assert join(client, "billing", "A").error_code == ErrorCode.NONE


def test_an_administrator_can_still_remove_members(client: Client) -> None:
    join(client, "billing", "A")
    switch(client, 0)
    assert leave(client, "billing", "A").error_code == ErrorCode.NONE
    (listed,) = client.ask(apis.LIST_GROUPS).groups
    assert listed.group_state == "Empty"


def test_a_consumer_is_told_and_its_successor_goes_on_from_its_commit(cluster: Cluster, client: Client) -> None:
    settings = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "billing"}
    orders = TopicPartition("orders", 0)
    with Consumer({**settings, "auto.offset.reset": "earliest"}) as consumer:
        consumer.subscribe(["orders"])
        poll_until(consumer, lambda: bool(consumer.assignment()))
        consumer.commit({orders: 5})
        member_id = consumer.group_metadata().member_id
        switch(client, 0)
        with pytest.raises(UnsupportedProtocolError, match=r"group\.version=1 does"):
            poll_until(consumer, lambda: False)
    switch(client, 1)
    leave(client, "billing", member_id)  # or its session has to end
    with Consumer(settings) as successor:
        successor.subscribe(["orders"])
        poll_until(successor, lambda: bool(successor.assignment()))
        assert successor.committed([orders])[orders].offset == 5


def test_a_group_that_is_listed_is_not_missing(cluster: Cluster, client: Client) -> None:
    epoch = join(client, "billing", "A").member_epoch
    assert commit(client, "billing", "orders", 7, epoch=epoch) == ErrorCode.NONE
    switch(client, 0)
    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        described = admin.describe(["billing", "nobody"])
        assert name_of(getattr(described.failed["nobody"], "code", 0)) == "GROUP_ID_NOT_FOUND"
        with pytest.raises(UnsupportedProtocolError, match=r"group billing: .*group\.version is 0") as raised:
            described["billing"]
        assert (raised.value.code, raised.value.group) == (NO_PROTOCOL, "billing")
        (offset,) = admin.offsets("billing").values()
        assert (offset.committed and offset.committed.offset, offset.member_id) == (7, None)
        switch(client, 1)
        assert [member.member_id for member in admin.members("billing")] == ["A"]


def test_features_that_are_in_force_are_told_with_an_epoch_that_rises(client: Client) -> None:
    assert in_force(client) == (1, 0)
    switch(client, 0)
    assert in_force(client) == (0, 1)
    switch(client, 0)  # is so already
    assert in_force(client) == (0, 1)
    switch(client, 1)
    assert in_force(client) == (1, 2)


def test_a_request_that_only_validates_changes_nothing(client: Client) -> None:
    assert update(client, "group.version", 0, validate_only=True).error_code == ErrorCode.NONE
    assert update(client, "group.version", 2, validate_only=True).error_code == ErrorCode.INVALID_UPDATE_VERSION
    assert in_force(client) == (1, 0)


@pytest.mark.parametrize(
    ("feature", "level", "kind", "reason"),
    [
        ("group.version", 0, UPGRADE, "Can't downgrade the version of this feature without setting the upgrade type"),
        ("group.version", 0, 0, "The controller does not support the given upgrade type."),
        ("group.version", 0, 4, "The controller does not support the given upgrade type."),
        ("group.version", -1, SAFE, "A feature version cannot be less than 0."),
        ("group.version", 2, UPGRADE, "Local controller 1 only supports versions 0-1"),
        ("metadata.version", 99, UPGRADE, "Local controller 1 only supports versions 7-33"),
        ("new.version", 1, UPGRADE, "Local controller 1 does not support this feature."),
        ("new.version", 0, SAFE, "Feature new.version not found."),
        ("transaction.version", 1, UNSAFE, "This broker, which is for tests, can change group.version only."),
    ],
)
def test_what_can_not_be_is_refused_as_a_whole(
    client: Client, feature: str, level: int, kind: int, reason: str
) -> None:
    updates = [("group.version", 0, UNSAFE), (feature, level, kind)]
    fields = [{"feature": name, "max_version_level": at, "upgrade_type": how} for name, at, how in updates]
    answer = client.ask(apis.UPDATE_FEATURES, feature_updates=fields[feature == "group.version" :])
    assert answer.error_code == ErrorCode.INVALID_UPDATE_VERSION
    refusal = f"{ALL_FAILED}Invalid update version {level} for feature {feature}. {reason}"
    assert str(answer.error_message).startswith(refusal)
    assert in_force(client) == (1, 0)


def test_it_can_be_raised_but_not_lowered_any_further(client: Client) -> None:
    switch(client, 0)
    answer = update(client, "group.version", 1, SAFE)
    assert str(answer.error_message).endswith("Can't downgrade to a newer version.")
    switch(client, 1)


def test_version_0_only_upgrades_and_answers_with_results(client: Client) -> None:
    lower = [{"feature": "group.version", "max_version_level": 0, "allow_downgrade": True}]
    refused = client.ask(apis.UPDATE_FEATURES, version=0, feature_updates=lower)
    assert (refused.error_code, refused.results) == (ErrorCode.INVALID_UPDATE_VERSION, ())
    assert update(client, "group.version", 0, version=1).results[0].feature == "group.version"
    (result,) = update(client, "group.version", 1, version=0).results
    assert (result.feature, result.error_code, result.error_message) == ("group.version", ErrorCode.NONE, "NONE")
    assert in_force(client) == (1, 2)


def test_the_level_outlives_the_broker(tmp_path: Path) -> None:
    for level in (1, 0):
        with Cluster(data_dir=tmp_path) as cluster, Client(cluster.bootstrap_servers) as client:
            assert in_force(client)[0] == level
            switch(client, 0)


def test_a_test_switches_it_without_a_request(cluster: Cluster, client: Client) -> None:
    for level in (0, 0, 1, 1):
        cluster.set_group_version(level)
        assert in_force(client)[0] == level
    with pytest.raises(MisuseError, match=r"update version 2 for feature group\.version\. .* versions 0-1"):
        cluster.set_group_version(2)


def test_with_auto_the_group_goes_on_as_a_classic_group_and_is_upgraded_later() -> None:
    with Cluster(config=QUICK, clock=Clock()) as cluster:
        cluster.create_topic("orders", 2)
        settings = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "billing"}
        orders = TopicPartition("orders", 0)
        with Client(cluster.bootstrap_servers) as client:
            assert commit(client, "billing", "orders", 5, epoch=join(client, "billing", "A").member_epoch) == 0
        cluster.set_group_version(0)
        cluster.advance(seconds=46)  # the session of A ends
        with Consumer(settings, group_protocol="auto") as old, GroupAdmin(settings) as admin:
            old.subscribe(["orders"])
            poll_until(old, lambda: len(old.assignment()) == 2)
            assert old.committed([orders])[orders].offset == 5
            assert admin.describe(["billing"])["billing"].type is GroupType.CLASSIC
            cluster.set_group_version(1)
            with Consumer(settings) as new:
                new.subscribe(["orders"])
                both_poll_until([old, new], lambda: len(old.assignment()) == len(new.assignment()) == 1)
                members = admin.members("billing")
        assert {member.type for member in members} == {GroupType.CLASSIC, GroupType.CONSUMER}

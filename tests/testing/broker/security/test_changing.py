"""Rights and passwords that change while clients are at work, by confluent-kafka's admin client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.admin import (
    AclBinding,
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialDeletion,
    UserScramCredentialUpsertion,
)

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.topics import NO_TOPIC_ID
from tests.support.waiting import GUARD_S, eventually
from tests.testing.broker.client import Client
from tests.testing.broker.group_requests import commit, heartbeat
from tests.testing.broker.requests import metadata, produce, topic_id_of, values
from tests.testing.broker.security.asking import Names, error_codes, requests_of
from tests.testing.broker.security.logging_in import log_in
from tests.testing.broker.topic_requests import delete

PREFIXED, LITERAL = ResourcePatternType.PREFIXED, ResourcePatternType.LITERAL
ALLOW, DENY = AclPermissionType.ALLOW, AclPermissionType.DENY
EVERYTHING = AclBindingFilter(
    ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
)


def of_alice(
    operation: AclOperation,
    name: str,
    pattern: ResourcePatternType = LITERAL,
    permission: AclPermissionType = ALLOW,
    kind: ResourceType = ResourceType.TOPIC,
) -> AclBinding:
    return AclBinding(kind, name, pattern, "User:alice", "*", operation, permission)


WRITE_ORDERS = of_alice(AclOperation.WRITE, "orders", PREFIXED)


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    config = {
        "listeners": "SASL_PLAINTEXT://:0",
        "super.users": "User:root",
        "group.consumer.assignment.interval.ms": 0,
        "connection.failed.authentication.delay.ms": 0,
    }
    users = {"root": "root-secret", "alice": "alice-secret"}
    with Cluster(config=config, users=users, rules=[]) as cluster:
        yield cluster


@pytest.fixture
def guarded(running: Cluster, root: Client, admin: AdminClient) -> Iterator[Cluster]:
    """A cluster without topics and rules."""
    yield running
    admin.delete_acls([EVERYTHING])[EVERYTHING].result(GUARD_S)
    for topic in root.ask(apis.METADATA, topics=None).topics:
        delete(root, name=topic.name, topic_id=None)


def connected(cluster: Cluster, user: str) -> Iterator[Client]:
    with Client(cluster.bootstrap_servers) as client:
        log_in(client, user, f"{user}-secret")
        yield client


@pytest.fixture
def root(running: Cluster) -> Iterator[Client]:
    yield from connected(running, "root")


@pytest.fixture
def alice(running: Cluster) -> Iterator[Client]:
    yield from connected(running, "alice")


def options(cluster: Cluster, user: str, mechanism: str = "PLAIN") -> dict[str, object]:
    return {
        "bootstrap.servers": cluster.bootstrap_servers,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.username": user,
        "sasl.password": f"{user}-secret",
        "log_level": 0,
    }


@pytest.fixture(scope="module")
def admin(running: Cluster) -> AdminClient:
    return AdminClient(options(running, "root"))


def give(admin: AdminClient, *rules: AclBinding) -> None:
    for future in admin.create_acls(list(rules)).values():
        future.result(GUARD_S)


def test_rights_are_given_and_taken_back_while_a_client_is_connected(
    guarded: Cluster, admin: AdminClient, alice: Client
) -> None:
    guarded.create_topic("orders-eu")
    assert produce(alice, "orders-eu", values("one")).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    give(admin, WRITE_ORDERS)
    assert produce(alice, "orders-eu", values("one")).error_code == ErrorCode.NONE
    assert admin.delete_acls([EVERYTHING])[EVERYTHING].result(GUARD_S) == [WRITE_ORDERS]
    assert produce(alice, "orders-eu", values("two")).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


@pytest.mark.usefixtures("guarded")
def test_rules_are_found_by_name(admin: AdminClient) -> None:
    give(admin, WRITE_ORDERS)
    for name, pattern, is_found in (
        (None, ResourcePatternType.ANY, True),
        ("orders", ResourcePatternType.ANY, True),
        ("orders-eu", ResourcePatternType.ANY, False),
        ("orders", LITERAL, False),
        ("orders", PREFIXED, True),
        ("orders-eu", ResourcePatternType.MATCH, True),
        ("order", ResourcePatternType.MATCH, False),
    ):
        wanted = (ResourceType.TOPIC, name, pattern, None, None, AclOperation.ANY, AclPermissionType.ANY)
        found = admin.describe_acls(AclBindingFilter(*wanted)).result(GUARD_S)
        assert found == ([WRITE_ORDERS] if is_found else [])


@pytest.mark.usefixtures("guarded")
def test_what_can_be_no_rule_is_refused_alone(root: Client) -> None:
    right = {
        "resource_type": 2,
        "resource_name": "orders",
        "resource_pattern_type": 3,
        "principal": "User:alice",
        "host": "*",
        "operation": 3,
        "permission_type": 3,
    }
    wrong = [
        {"resource_name": ""},
        {"principal": "alice"},
        {"operation": 1},
        {"resource_pattern_type": 2},
        {"permission_type": 1},
        {"resource_type": 4},
        {"resource_type": 99},
    ]
    answer = root.ask(apis.CREATE_ACLS, creations=[right | each for each in (*wrong, {})])
    errors = [result.error_code for result in answer.results]
    assert errors == [ErrorCode.INVALID_REQUEST] * len(wrong) + [ErrorCode.NONE]


def test_without_an_authorizer_there_are_no_rules_to_change() -> None:
    names = Names("orders", NO_TOPIC_ID, "billing", "payments")
    with Cluster() as cluster, Client(cluster.bootstrap_servers) as client:
        for api in (apis.DESCRIBE_ACLS, apis.CREATE_ACLS, apis.DELETE_ACLS):
            ((message, version),) = requests_of(api, names)
            assert set(error_codes(client.ask(api, message, version))) == {ErrorCode.SECURITY_DISABLED}


def test_a_user_gets_another_password_for_scram_and_loses_it(guarded: Cluster, admin: AdminClient) -> None:
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 8192)
    given = UserScramCredentialUpsertion("carol", info, b"carol-secret")
    admin.alter_user_scram_credentials([given])["carol"].result(GUARD_S)
    (told,) = admin.describe_user_scram_credentials(["carol"])["carol"].result(GUARD_S).scram_credential_infos
    assert (told.mechanism, told.iterations) == (ScramMechanism.SCRAM_SHA_256, 8192)
    assert Producer(options(guarded, "carol", "SCRAM-SHA-256")).list_topics(timeout=GUARD_S).topics == {}
    taken = UserScramCredentialDeletion("carol", ScramMechanism.SCRAM_SHA_256)
    admin.alter_user_scram_credentials([taken])["carol"].result(GUARD_S)
    with pytest.raises(KafkaException) as refused:
        admin.describe_user_scram_credentials(["carol"])["carol"].result(GUARD_S)
    assert refused.value.args[0].code() == KafkaError.RESOURCE_NOT_FOUND


def test_credentials_are_as_strong_as_kafka_wants_them(root: Client) -> None:
    keys = {"name": "dave", "salt": b"s" * 16, "salted_password": b"p" * 64}
    for mechanism, iterations, error in (
        (1, 4095, ErrorCode.UNACCEPTABLE_CREDENTIAL),
        (1, 16_385, ErrorCode.UNACCEPTABLE_CREDENTIAL),
        (0, 4096, ErrorCode.UNSUPPORTED_SASL_MECHANISM),
        (2, 4096, ErrorCode.NONE),
    ):
        upsertion = {**keys, "mechanism": mechanism, "iterations": iterations}
        answer = root.ask(apis.ALTER_USER_SCRAM_CREDENTIALS, upsertions=[upsertion])
        assert answer.results[0].error_code == error


def test_what_may_not_be_seen_is_left_out_in_silence(
    guarded: Cluster, admin: AdminClient, root: Client, alice: Client
) -> None:
    for name in ("orders", "payments"):
        guarded.create_topic(name)
    give(admin, WRITE_ORDERS)
    everything = {"include_topic_authorized_operations": True, "include_cluster_authorized_operations": True}
    told = alice.ask(apis.METADATA, version=10, topics=None, **everything)
    assert [topic.name for topic in told.topics] == ["orders"]
    assert told.topics[0].authorized_operations == {AclOperation.WRITE.value, AclOperation.DESCRIBE.value}
    assert told.authorized_operations == set()
    by_id = metadata(alice, ids=[topic_id_of(root, "payments")]).topics[0]
    assert (by_id.error_code, by_id.name) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, None)
    for name in ("payments", "not-there"):
        hidden = metadata(alice, name).topics[0]
        assert (hidden.error_code, hidden.topic_id) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, None)


def test_groups_are_listed_to_those_who_may_describe_them(
    guarded: Cluster, admin: AdminClient, root: Client, alice: Client
) -> None:
    guarded.create_topic("orders")
    for group in ("billing", "auditing"):
        commit(root, group, "orders", 0)
    give(admin, of_alice(AclOperation.READ, "billing", kind=ResourceType.GROUP))
    assert {group.group_id for group in root.ask(apis.LIST_GROUPS).groups} >= {"billing", "auditing"}
    assert {group.group_id for group in alice.ask(apis.LIST_GROUPS).groups} == {"billing"}


def test_a_pattern_matches_what_the_member_may_see(
    guarded: Cluster, admin: AdminClient, root: Client, alice: Client
) -> None:
    for name in ("orders-eu", "payments-eu"):
        guarded.create_topic(name)
    give(admin, WRITE_ORDERS, of_alice(AclOperation.READ, "*", kind=ResourceType.GROUP))
    answers: list[Any] = [heartbeat(alice, "matching", 0, subscribed_topic_regex=".*-eu")]

    def assigned() -> set[object]:
        told = [answer.assignment for answer in answers if answer.assignment is not None]
        return {topic.topic_id for assignment in told for topic in assignment.topic_partitions}

    def has_assignment() -> bool:
        answers.append(heartbeat(alice, "matching", answers[-1].member_epoch))
        return bool(assigned())

    eventually("the member has what its pattern matches", has_assignment)
    assert assigned() == {topic_id_of(root, "orders-eu")}
    assert {answer.error_code for answer in answers} == {ErrorCode.NONE}


def test_a_topic_is_deleted_by_id_by_whom_it_may_be_deleted_and_named_to_those_who_may_see_it(
    guarded: Cluster, admin: AdminClient, root: Client, alice: Client
) -> None:
    give(
        admin,
        of_alice(AclOperation.DELETE, "hidden"),
        of_alice(AclOperation.DESCRIBE, "hidden", permission=DENY),
        of_alice(AclOperation.READ, "seen"),
    )
    for name in ("hidden", "seen", "secret"):
        guarded.create_topic(name)
    topics = [{"name": None, "topic_id": topic_id_of(root, name)} for name in ("hidden", "seen", "secret")]
    deleted, *kept = alice.ask(apis.DELETE_TOPICS, topics=topics, timeout_ms=5_000).responses
    refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert [(topic.error_code, topic.name) for topic in kept] == [(refused, "seen"), (refused, None)]
    assert deleted.error_code == ErrorCode.NONE

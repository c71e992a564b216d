"""Rights and passwords that change while clients are at work, by confluent-kafka's admin client."""

from __future__ import annotations

from collections.abc import Iterator

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

from kafka_nextgen.bridge.topics import NO_TOPIC_ID
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.testing import Cluster
from kafka_nextgen.wire import apis
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.apis import Api
from tests.broker.client import Client
from tests.broker.requests import metadata, produce, values
from tests.broker.security.asking import REQUESTS, Names, error_codes
from tests.broker.security.logging_in import log_in
from tests.support.waiting import eventually

READ_ORDERS = AclBinding(
    ResourceType.TOPIC,
    "orders",
    ResourcePatternType.PREFIXED,
    "User:alice",
    "*",
    AclOperation.WRITE,
    AclPermissionType.ALLOW,
)
EVERYTHING = AclBindingFilter(
    ResourceType.ANY, None, ResourcePatternType.ANY, None, None, AclOperation.ANY, AclPermissionType.ANY
)


@pytest.fixture
def guarded() -> Iterator[Cluster]:
    config = {
        "listeners": "SASL_PLAINTEXT://:0",
        "super.users": "User:root",
        "group.consumer.assignment.interval.ms": 0,
        "connection.failed.authentication.delay.ms": 0,
    }
    users = {"root": "root-secret", "alice": "alice-secret"}
    with Cluster(config=config, users=users, rules=[]) as cluster:
        yield cluster


def options(cluster: Cluster, user: str, password: str, mechanism: str = "PLAIN") -> dict[str, object]:
    return {
        "bootstrap.servers": cluster.bootstrap_servers,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.username": user,
        "sasl.password": password,
        "log_level": 0,
    }


@pytest.fixture
def admin(guarded: Cluster) -> AdminClient:
    return AdminClient(options(guarded, "root", "root-secret"))


def test_rights_are_given_and_taken_back_while_a_client_is_connected(guarded: Cluster, admin: AdminClient) -> None:
    guarded.create_topic("orders-eu")
    with Client(guarded.bootstrap_servers) as alice:
        log_in(alice, "alice", "alice-secret")
        assert produce(alice, "orders-eu", values("one")).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
        admin.create_acls([READ_ORDERS])[READ_ORDERS].result(20)
        assert produce(alice, "orders-eu", values("one")).error_code == ErrorCode.NONE
        gone = admin.delete_acls([EVERYTHING])[EVERYTHING].result(20)
        assert gone == [READ_ORDERS]
        assert produce(alice, "orders-eu", values("two")).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED


@pytest.mark.parametrize(
    ("name", "pattern", "is_found"),
    [
        (None, ResourcePatternType.ANY, True),
        ("orders", ResourcePatternType.ANY, True),
        ("orders-eu", ResourcePatternType.ANY, False),
        ("orders", ResourcePatternType.LITERAL, False),
        ("orders", ResourcePatternType.PREFIXED, True),
        ("orders-eu", ResourcePatternType.MATCH, True),
        ("order", ResourcePatternType.MATCH, False),
    ],
)
def test_rules_are_found_by_name(
    admin: AdminClient, name: str | None, pattern: ResourcePatternType, is_found: bool
) -> None:
    admin.create_acls([READ_ORDERS])[READ_ORDERS].result(20)
    wanted = AclBindingFilter(ResourceType.TOPIC, name, pattern, None, None, AclOperation.ANY, AclPermissionType.ANY)
    assert admin.describe_acls(wanted).result(20) == ([READ_ORDERS] if is_found else [])


@pytest.mark.parametrize(
    "wrong",
    [
        {"resource_name": ""},
        {"principal": "alice"},
        {"operation": 1},
        {"resource_pattern_type": 2},
        {"permission_type": 1},
        {"resource_type": 4},
        {"resource_type": 99},
    ],
)
def test_what_can_be_no_rule_is_refused_alone(guarded: Cluster, wrong: dict[str, object]) -> None:
    right = {
        "resource_type": 2,
        "resource_name": "orders",
        "resource_pattern_type": 3,
        "principal": "User:alice",
        "host": "*",
        "operation": 3,
        "permission_type": 3,
    }
    creations = [m.CreateAclsRequest.AclCreation(**(right | each)) for each in (wrong, {})]
    with Client(guarded.bootstrap_servers) as root:
        log_in(root, "root", "root-secret")
        answer = root.ask(apis.CREATE_ACLS, m.CreateAclsRequest(creations=creations))
    assert [result.error_code for result in answer.results] == [ErrorCode.INVALID_REQUEST, ErrorCode.NONE]


@pytest.mark.parametrize("api", [apis.DESCRIBE_ACLS, apis.CREATE_ACLS, apis.DELETE_ACLS], ids=str)
def test_without_an_authorizer_there_are_no_rules_to_change(api: Api) -> None:
    message, version = REQUESTS[api][0](Names("orders", NO_TOPIC_ID, "billing", "payments"))
    with Cluster() as cluster, Client(cluster.bootstrap_servers) as client:
        assert set(error_codes(client.ask(api, message, version))) == {ErrorCode.SECURITY_DISABLED}


def test_a_user_gets_another_password_for_scram_and_loses_it(guarded: Cluster, admin: AdminClient) -> None:
    info = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 8192)
    given = UserScramCredentialUpsertion("carol", info, b"carol-secret")
    admin.alter_user_scram_credentials([given])["carol"].result(20)
    described = admin.describe_user_scram_credentials(["carol"])["carol"].result(20)
    assert [(each.mechanism, each.iterations) for each in described.scram_credential_infos] == [
        (ScramMechanism.SCRAM_SHA_256, 8192)
    ]
    as_carol = options(guarded, "carol", "carol-secret", "SCRAM-SHA-256")
    assert Producer(as_carol).list_topics(timeout=20).topics == {}
    taken = UserScramCredentialDeletion("carol", ScramMechanism.SCRAM_SHA_256)
    admin.alter_user_scram_credentials([taken])["carol"].result(20)
    with pytest.raises(KafkaException) as refused:
        admin.describe_user_scram_credentials(["carol"])["carol"].result(20)
    assert refused.value.args[0].code() == KafkaError.RESOURCE_NOT_FOUND


@pytest.mark.parametrize(
    ("mechanism", "iterations", "error"),
    [
        (1, 4095, ErrorCode.UNACCEPTABLE_CREDENTIAL),
        (1, 16_385, ErrorCode.UNACCEPTABLE_CREDENTIAL),
        (0, 4096, ErrorCode.UNSUPPORTED_SASL_MECHANISM),
        (2, 4096, ErrorCode.NONE),
    ],
)
def test_credentials_are_as_strong_as_kafka_wants_them(
    guarded: Cluster, mechanism: int, iterations: int, error: ErrorCode
) -> None:
    upsertion = m.AlterUserScramCredentialsRequest.ScramCredentialUpsertion(
        name="carol", mechanism=mechanism, iterations=iterations, salt=b"s" * 16, salted_password=b"p" * 64
    )
    request = m.AlterUserScramCredentialsRequest(deletions=[], upsertions=[upsertion])
    with Client(guarded.bootstrap_servers) as root:
        log_in(root, "root", "root-secret")
        assert root.ask(apis.ALTER_USER_SCRAM_CREDENTIALS, request).results[0].error_code == error


def test_what_may_not_be_seen_is_left_out_in_silence(guarded: Cluster, admin: AdminClient) -> None:
    for name in ("orders", "payments"):
        guarded.create_topic(name)
    admin.create_acls([READ_ORDERS])[READ_ORDERS].result(20)
    with Client(guarded.bootstrap_servers) as alice:
        log_in(alice, "alice", "alice-secret")
        everything = m.MetadataRequest(
            topics=None, include_topic_authorized_operations=True, include_cluster_authorized_operations=True
        )
        told = alice.ask(apis.METADATA, everything, 10)
        assert [topic.name for topic in told.topics] == ["orders"]
        assert told.topics[0].authorized_operations == {AclOperation.WRITE.value, AclOperation.DESCRIBE.value}
        assert told.authorized_operations == set()
        by_id = metadata(alice, ids=[_id_of(guarded, "payments")]).topics[0]
        assert (by_id.error_code, by_id.name) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, None)
        for name in ("payments", "not-there"):
            hidden = metadata(alice, name).topics[0]
            assert (hidden.error_code, hidden.topic_id) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, None)


def _id_of(cluster: Cluster, name: str) -> object:
    with Client(cluster.bootstrap_servers) as root:
        log_in(root, "root", "root-secret")
        return metadata(root, name).topics[0].topic_id


def test_groups_are_listed_to_those_who_may_describe_them(guarded: Cluster, admin: AdminClient) -> None:
    commit = m.OffsetCommitRequest.OffsetCommitRequestTopic
    guarded.create_topic("orders")
    with Client(guarded.bootstrap_servers) as root, Client(guarded.bootstrap_servers) as alice:
        log_in(root, "root", "root-secret")
        log_in(alice, "alice", "alice-secret")
        for group in ("billing", "auditing"):
            partition = commit.OffsetCommitRequestPartition(partition_index=0, committed_offset=0)
            request = m.OffsetCommitRequest(
                group_id=group, member_id="", topics=[commit(name="orders", partitions=[partition])]
            )
            root.ask(apis.OFFSET_COMMIT, request, 9)
        of_billing = AclBinding(
            ResourceType.GROUP,
            "billing",
            ResourcePatternType.LITERAL,
            "User:alice",
            "*",
            AclOperation.READ,
            AclPermissionType.ALLOW,
        )
        admin.create_acls([of_billing])[of_billing].result(20)
        for client, groups in ((root, {"billing", "auditing"}), (alice, {"billing"})):
            listed = client.ask(apis.LIST_GROUPS, m.ListGroupsRequest())
            assert {group.group_id for group in listed.groups} == groups


def test_a_pattern_matches_what_the_member_may_see(guarded: Cluster, admin: AdminClient) -> None:
    for name in ("orders-eu", "payments-eu"):
        guarded.create_topic(name)
    literal, allow = ResourcePatternType.LITERAL, AclPermissionType.ALLOW
    of_groups = AclBinding(ResourceType.GROUP, "*", literal, "User:alice", "*", AclOperation.READ, allow)
    for rule in (READ_ORDERS, of_groups):
        admin.create_acls([rule])[rule].result(20)
    orders = _id_of(guarded, "orders-eu")
    with Client(guarded.bootstrap_servers) as alice:
        log_in(alice, "alice", "alice-secret")
        assigned: set[object] = set()

        def beat(epoch: int) -> int:
            request = m.ConsumerGroupHeartbeatRequest(
                group_id="billing",
                member_id="member",
                member_epoch=epoch,
                rebalance_timeout_ms=60_000 if epoch == 0 else -1,
                subscribed_topic_regex=".*-eu" if epoch == 0 else None,
                topic_partitions=[] if epoch == 0 else None,
            )
            answer = alice.ask(apis.CONSUMER_GROUP_HEARTBEAT, request)
            assert answer.error_code == ErrorCode.NONE
            if answer.assignment is not None:
                assigned.update(topic.topic_id for topic in answer.assignment.topic_partitions)
            return int(answer.member_epoch)

        epochs = [beat(0)]

        def has_assignment() -> bool:
            epochs.append(beat(epochs[-1]))
            return bool(assigned)

        eventually("the member has what its pattern matches", has_assignment)
    assert assigned == {orders}


def test_a_topic_is_deleted_by_id_by_whoever_may_delete_it_and_named_to_those_who_may_see_it(
    guarded: Cluster, admin: AdminClient
) -> None:
    def rule(operation: AclOperation, permission: AclPermissionType, name: str) -> AclBinding:
        return AclBinding(
            ResourceType.TOPIC, name, ResourcePatternType.LITERAL, "User:alice", "*", operation, permission
        )

    rules = [
        rule(AclOperation.DELETE, AclPermissionType.ALLOW, "hidden"),
        rule(AclOperation.DESCRIBE, AclPermissionType.DENY, "hidden"),
        rule(AclOperation.READ, AclPermissionType.ALLOW, "seen"),
    ]
    for future in admin.create_acls(rules).values():
        future.result(20)
    for name in ("hidden", "seen", "secret"):
        guarded.create_topic(name)
    state = m.DeleteTopicsRequest.DeleteTopicState
    topics = [state(name=None, topic_id=_id_of(guarded, name)) for name in ("hidden", "seen", "secret")]
    with Client(guarded.bootstrap_servers) as alice:
        log_in(alice, "alice", "alice-secret")
        answer = alice.ask(apis.DELETE_TOPICS, m.DeleteTopicsRequest(topics=topics, timeout_ms=5_000))
    refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert [(topic.error_code, topic.name) for topic in answer.responses[1:]] == [(refused, "seen"), (refused, None)]
    assert answer.responses[0].error_code == ErrorCode.NONE

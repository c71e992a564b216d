"""Asking and changing everything a broker can be asked by the admin clients of confluent-kafka and kafka-python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicCollection, TopicPartition
from confluent_kafka import admin as confluent
from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

from kafka_nextgen.admin import GroupAdmin
from kafka_nextgen.types import TopicPartition as OurPartition

_TIMEOUT_S = 15


def confluent_administers(servers: str, topic: str, group: str, user: str, password: str) -> None:
    """Ask by confluent-kafka; what is refused has been answered, too."""
    client = confluent.AdminClient({"bootstrap.servers": servers, "log_level": 0})
    for futures in _confluent_questions(client, topic, group, user, password):
        for future in futures.values() if isinstance(futures, dict) else [futures]:
            with suppress(KafkaException, AttributeError):  # some answer with values instead
                future.result(_TIMEOUT_S)


def _confluent_questions(
    client: confluent.AdminClient, topic: str, group: str, user: str, password: str
) -> Iterator[object]:
    mechanism = confluent.ScramMechanism.SCRAM_SHA_256
    other = confluent.ScramMechanism.SCRAM_SHA_512
    info, more = confluent.ScramCredentialInfo(mechanism, 4096), confluent.ScramCredentialInfo(other, 8192)
    for each in (info, more):
        credential = confluent.UserScramCredentialUpsertion(user, each, password.encode())
        client.alter_user_scram_credentials([credential])[user].result(_TIMEOUT_S)
    yield client.alter_user_scram_credentials([confluent.UserScramCredentialDeletion("nobody", mechanism)])
    yield client.describe_user_scram_credentials([user, "nobody"])
    yield client.describe_cluster(include_authorized_operations=True)
    yield client.describe_topics(TopicCollection([topic, "nowhere"]))
    yield client.list_groups()
    yield client.describe_consumer_groups([group, "nowhere"], include_authorized_operations=True)
    yield client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])
    yield client.list_offsets({TopicPartition(topic, 0): confluent.OffsetSpec.max_timestamp()})
    yield client.list_offsets({TopicPartition(topic, 0): confluent.OffsetSpec.latest()})
    yield client.create_partitions([confluent.NewPartitions(topic, 3)])
    yield client.delete_records([TopicPartition(topic, 0, 1)])
    resource = confluent.ConfigResource(confluent.ConfigResource.Type.TOPIC, topic)
    yield client.describe_configs([resource])
    entry = confluent.ConfigEntry(
        "retention.ms", "999", incremental_operation=confluent.AlterConfigOpType.SET, source=None
    )
    changed = confluent.ConfigResource(resource.restype, topic, incremental_configs=[entry])
    yield client.incremental_alter_configs([changed])
    yield client.alter_configs([confluent.ConfigResource(resource.restype, topic, set_config={"retention.ms": "999"})])
    rule = ("Topic", confluent.ResourcePatternType.LITERAL, "User:bob", "*")
    operation, allow = confluent.AclOperation.READ, confluent.AclPermissionType.ALLOW
    topics = confluent.ResourceType.TOPIC
    yield client.create_acls([confluent.AclBinding(topics, topic, *rule[1:], operation, allow)])
    wanted = confluent.AclBindingFilter(topics, topic, *rule[1:], operation, allow)
    yield client.describe_acls(wanted)
    yield client.delete_acls([wanted])
    yield client.delete_consumer_groups([f"{group}-elsewhere"])
    yield client.create_topics([confluent.NewTopic(f"{topic}-more", 2), confluent.NewTopic("?", 1)])
    yield client.delete_topics([f"{topic}-more", "nowhere"])


def kafka_python_administers(servers: str, topic: str, group: str) -> None:
    """Ask by kafka-python what confluent-kafka can't."""
    client = KafkaAdminClient(bootstrap_servers=servers)
    questions: list[Callable[[], object]] = [
        client.describe_log_dirs,
        client.list_transactions,
        lambda: client.describe_transactions(["t-none", "nobody"]),
        lambda: client.describe_producers([(topic, 0)]),
        lambda: client.describe_topic_partitions([topic]),
        client.list_config_resources,
        client.describe_cluster,
        client.list_groups,
        lambda: client.describe_groups([group, "nowhere"]),
        lambda: client.list_group_offsets([group]),
        lambda: client.delete_groups(["nowhere"]),
    ]
    for ask in questions:
        with suppress(KafkaError, TypeError, ValueError, AttributeError):  # the recording is of what was sent
            ask()
    client.close()


def we_administer(servers: str, topic: str, group: str) -> None:
    """Ask by the admin client of this project."""
    with GroupAdmin({"bootstrap.servers": servers}) as client:
        client.list()
        client.describe([group, "nowhere"])
        client.offsets(group)
        client.describe_config(group)
        client.alter_config(group, {"consumer.session.timeout.ms": "5000"})
        client.delete_offsets(group, [OurPartition(topic, 0)])
        client.remove_members(group, ["nobody"])
        client.delete(["nowhere", group])

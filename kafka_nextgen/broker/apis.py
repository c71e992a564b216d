"""Which APIs this broker serves, in which versions, and by which handler: the table that ApiVersions shows.

The ranges are those of the release that is followed, as far as ``wire.apis`` has them. One is wider than what is
served, as in Kafka since 4.0: librdkafka before 2.11 compresses only if Produce begins at version 0 (KAFKA-18659), and
never uses it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from attrs import frozen

from kafka_nextgen.broker.handlers.acls import create_acls, delete_acls, describe_acls
from kafka_nextgen.broker.handlers.add_offsets_to_txn import handle as add_offsets_to_txn
from kafka_nextgen.broker.handlers.add_partitions_to_txn import handle as add_partitions_to_txn
from kafka_nextgen.broker.handlers.classic_groups import heartbeat, join_group, leave_group, sync_group
from kafka_nextgen.broker.handlers.client_quotas import alter_client_quotas, describe_client_quotas
from kafka_nextgen.broker.handlers.configs import (
    alter_configs,
    describe_configs,
    incremental_alter_configs,
    list_config_resources,
)
from kafka_nextgen.broker.handlers.consumer_group_extensions import (
    consumer_group_add_members,
    consumer_group_history,
    consumer_group_install_assignment,
    consumer_group_prepare_assignment,
)
from kafka_nextgen.broker.handlers.consumer_group_heartbeat import handle as consumer_group_heartbeat
from kafka_nextgen.broker.handlers.create_partitions import handle as create_partitions
from kafka_nextgen.broker.handlers.create_topics import handle as create_topics
from kafka_nextgen.broker.handlers.delete_groups import handle as delete_groups
from kafka_nextgen.broker.handlers.delete_records import handle as delete_records
from kafka_nextgen.broker.handlers.delete_topics import handle as delete_topics
from kafka_nextgen.broker.handlers.describe_cluster import handle as describe_cluster
from kafka_nextgen.broker.handlers.describe_groups import consumer_group_describe, describe_groups
from kafka_nextgen.broker.handlers.describe_log_dirs import handle as describe_log_dirs
from kafka_nextgen.broker.handlers.describe_producers import handle as describe_producers
from kafka_nextgen.broker.handlers.describe_topic_partitions import handle as describe_topic_partitions
from kafka_nextgen.broker.handlers.describe_transactions import handle as describe_transactions
from kafka_nextgen.broker.handlers.end_txn import handle as end_txn
from kafka_nextgen.broker.handlers.fetch import handle as fetch
from kafka_nextgen.broker.handlers.find_coordinator import handle as find_coordinator
from kafka_nextgen.broker.handlers.init_producer_id import handle as init_producer_id
from kafka_nextgen.broker.handlers.list_groups import handle as list_groups
from kafka_nextgen.broker.handlers.list_offsets import handle as list_offsets
from kafka_nextgen.broker.handlers.list_transactions import handle as list_transactions
from kafka_nextgen.broker.handlers.metadata import handle as metadata
from kafka_nextgen.broker.handlers.offset_commit import handle as offset_commit
from kafka_nextgen.broker.handlers.offset_delete import handle as offset_delete
from kafka_nextgen.broker.handlers.offset_fetch import handle as offset_fetch
from kafka_nextgen.broker.handlers.offset_for_leader_epoch import handle as offset_for_leader_epoch
from kafka_nextgen.broker.handlers.produce import handle as produce
from kafka_nextgen.broker.handlers.sasl import sasl_authenticate, sasl_handshake
from kafka_nextgen.broker.handlers.txn_offset_commit import handle as txn_offset_commit
from kafka_nextgen.broker.handlers.user_scram_credentials import (
    alter_user_scram_credentials,
    describe_user_scram_credentials,
)
from kafka_nextgen.broker.handlers.write_txn_markers import handle as write_txn_markers
from kafka_nextgen.broker.releases import RELEASES
from kafka_nextgen.coordinator.settings import Profile
from kafka_nextgen.wire import apis as api
from kafka_nextgen.wire.apis import Api, VersionRange
from kafka_nextgen.wire.schema import Message

__all__ = ["EXTENSIONS", "SERVED", "Handler", "ServedApi", "advertised", "served_as", "serves"]

#: Takes the request and its ``Context``; answers with the response, or with None if there is none to send.
Handler = Callable[..., Awaitable[Message | None]]

_FIRST_ADVERTISED_PRODUCE = 0


@frozen
class ServedApi:
    """An API and who handles it."""

    api: Api
    handle: Handler


#: Every API but ApiVersions, which is answered from this table, by Kafka's key.
SERVED: Mapping[int, ServedApi] = {
    served.api.key: served
    for served in (
        ServedApi(api.PRODUCE, produce),
        ServedApi(api.FETCH, fetch),
        ServedApi(api.LIST_OFFSETS, list_offsets),
        ServedApi(api.METADATA, metadata),
        ServedApi(api.OFFSET_COMMIT, offset_commit),
        ServedApi(api.OFFSET_FETCH, offset_fetch),
        ServedApi(api.FIND_COORDINATOR, find_coordinator),
        ServedApi(api.JOIN_GROUP, join_group),
        ServedApi(api.HEARTBEAT, heartbeat),
        ServedApi(api.LEAVE_GROUP, leave_group),
        ServedApi(api.SYNC_GROUP, sync_group),
        ServedApi(api.DESCRIBE_GROUPS, describe_groups),
        ServedApi(api.LIST_GROUPS, list_groups),
        ServedApi(api.SASL_HANDSHAKE, sasl_handshake),
        ServedApi(api.CREATE_TOPICS, create_topics),
        ServedApi(api.DELETE_TOPICS, delete_topics),
        ServedApi(api.INIT_PRODUCER_ID, init_producer_id),
        ServedApi(api.DESCRIBE_ACLS, describe_acls),
        ServedApi(api.CREATE_ACLS, create_acls),
        ServedApi(api.DELETE_ACLS, delete_acls),
        ServedApi(api.DESCRIBE_CONFIGS, describe_configs),
        ServedApi(api.SASL_AUTHENTICATE, sasl_authenticate),
        ServedApi(api.ALTER_CONFIGS, alter_configs),
        ServedApi(api.CREATE_PARTITIONS, create_partitions),
        ServedApi(api.DELETE_GROUPS, delete_groups),
        ServedApi(api.INCREMENTAL_ALTER_CONFIGS, incremental_alter_configs),
        ServedApi(api.DESCRIBE_CLIENT_QUOTAS, describe_client_quotas),
        ServedApi(api.ALTER_CLIENT_QUOTAS, alter_client_quotas),
        ServedApi(api.DESCRIBE_USER_SCRAM_CREDENTIALS, describe_user_scram_credentials),
        ServedApi(api.ALTER_USER_SCRAM_CREDENTIALS, alter_user_scram_credentials),
        ServedApi(api.OFFSET_DELETE, offset_delete),
        ServedApi(api.DESCRIBE_CLUSTER, describe_cluster),
        ServedApi(api.ADD_OFFSETS_TO_TXN, add_offsets_to_txn),
        ServedApi(api.ADD_PARTITIONS_TO_TXN, add_partitions_to_txn),
        ServedApi(api.END_TXN, end_txn),
        ServedApi(api.TXN_OFFSET_COMMIT, txn_offset_commit),
        ServedApi(api.WRITE_TXN_MARKERS, write_txn_markers),
        ServedApi(api.OFFSET_FOR_LEADER_EPOCH, offset_for_leader_epoch),
        ServedApi(api.DELETE_RECORDS, delete_records),
        ServedApi(api.DESCRIBE_TOPIC_PARTITIONS, describe_topic_partitions),
        ServedApi(api.LIST_TRANSACTIONS, list_transactions),
        ServedApi(api.DESCRIBE_TRANSACTIONS, describe_transactions),
        ServedApi(api.DESCRIBE_PRODUCERS, describe_producers),
        ServedApi(api.DESCRIBE_LOG_DIRS, describe_log_dirs),
        ServedApi(api.CONSUMER_GROUP_HEARTBEAT, consumer_group_heartbeat),
        ServedApi(api.CONSUMER_GROUP_DESCRIBE, consumer_group_describe),
        ServedApi(api.LIST_CONFIG_RESOURCES, list_config_resources),
    )
}

#: What Apache Kafka never shipped, which is told and answered to clients only that can use it.
EXTENSIONS: Mapping[int, ServedApi] = {
    served.api.key: served
    for served in (
        ServedApi(api.CONSUMER_GROUP_PREPARE_ASSIGNMENT, consumer_group_prepare_assignment),
        ServedApi(api.CONSUMER_GROUP_INSTALL_ASSIGNMENT, consumer_group_install_assignment),
        ServedApi(api.CONSUMER_GROUP_ADD_MEMBERS, consumer_group_add_members),
        ServedApi(api.CONSUMER_GROUP_HISTORY, consumer_group_history),
    )
}


def served_as(asked: Api, with_extensions: bool) -> ServedApi | None:
    """The handler of an API on a connection that speaks extensions or not; None if there is none."""
    return SERVED.get(asked.key) or (EXTENSIONS.get(asked.key) if with_extensions else None)


def advertised(profile: Profile, with_extensions: bool = False) -> dict[int, VersionRange]:
    """The versions of each API that clients of such a release are told, by Kafka's key."""
    served = [*(entry.api for entry in SERVED.values()), api.API_VERSIONS]
    if with_extensions:
        served += [entry.api for entry in EXTENSIONS.values()]
    ranges = {entry.key: _range(entry, profile) for entry in served}
    ranges[api.PRODUCE.key] = (_FIRST_ADVERTISED_PRODUCE, ranges[api.PRODUCE.key][1])
    return ranges


def serves(profile: Profile, asked: Api, version: int) -> bool:
    """Whether a broker of such a release answers this version of an API that is in the table."""
    lowest, highest = _range(asked, profile)
    return lowest <= version <= highest


def _range(served: Api, profile: Profile) -> VersionRange:
    lowest, highest = RELEASES[profile].ranges.get(served.key, (served.min_version, served.max_version))
    return max(lowest, served.min_version), min(highest, served.max_version)

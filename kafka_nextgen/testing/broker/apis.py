"""The APIs that this broker serves, with their versions and handlers.

The version ranges match the emulated release, limited to the versions in ``wire.apis``. As in Kafka since 4.0, Produce
is advertised from version 0 on although that version is not served: librdkafka before 2.11 compresses only if it is
advertised (KAFKA-18659), and never uses it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from kafka_nextgen.testing.broker.handlers import (
    acls,
    authentication,
    classic_groups,
    client_quotas,
    configs,
    consumer_group_extensions,
    consumer_group_heartbeat,
    deletions,
    describe_log_dirs,
    features,
    fetch,
    groups,
    hanging_transactions,
    list_offsets,
    metadata,
    offsets,
    produce,
    topics,
    transactional_offsets,
    transactions,
)
from kafka_nextgen.testing.broker.releases import RELEASES
from kafka_nextgen.testing.coordinator.settings import Profile
from kafka_nextgen.wire import apis as api
from kafka_nextgen.wire.apis import Api, VersionRange
from kafka_nextgen.wire.schema import Message

__all__ = ["EXTENSIONS", "SERVED", "Handler", "advertised", "handler_of", "version_range"]

#: Takes the request and its ``Context``; returns the response, or None if there is none to send.
Handler = Callable[..., Awaitable[Message | None]]

_FIRST_ADVERTISED_PRODUCE = 0

#: Every API but ApiVersions, which is answered from this table (``answered_versions``).
SERVED: Mapping[Api, Handler] = {
    api.PRODUCE: produce.handle,
    api.FETCH: fetch.handle,
    api.LIST_OFFSETS: list_offsets.list_offsets,
    api.METADATA: metadata.metadata,
    api.OFFSET_COMMIT: offsets.offset_commit,
    api.OFFSET_FETCH: offsets.offset_fetch,
    api.FIND_COORDINATOR: groups.find_coordinator,
    api.JOIN_GROUP: classic_groups.join_group,
    api.HEARTBEAT: classic_groups.heartbeat,
    api.LEAVE_GROUP: classic_groups.leave_group,
    api.SYNC_GROUP: classic_groups.sync_group,
    api.DESCRIBE_GROUPS: groups.describe_groups,
    api.LIST_GROUPS: groups.list_groups,
    api.SASL_HANDSHAKE: authentication.sasl_handshake,
    api.CREATE_TOPICS: topics.create_topics,
    api.DELETE_TOPICS: deletions.delete_topics,
    api.INIT_PRODUCER_ID: transactions.init_producer_id,
    api.DESCRIBE_ACLS: acls.describe_acls,
    api.CREATE_ACLS: acls.create_acls,
    api.DELETE_ACLS: acls.delete_acls,
    api.DESCRIBE_CONFIGS: configs.describe_configs,
    api.SASL_AUTHENTICATE: authentication.sasl_authenticate,
    api.ALTER_CONFIGS: configs.alter_configs,
    api.CREATE_PARTITIONS: topics.create_partitions,
    api.DELETE_GROUPS: groups.delete_groups,
    api.INCREMENTAL_ALTER_CONFIGS: configs.incremental_alter_configs,
    api.DESCRIBE_CLIENT_QUOTAS: client_quotas.describe_client_quotas,
    api.ALTER_CLIENT_QUOTAS: client_quotas.alter_client_quotas,
    api.DESCRIBE_USER_SCRAM_CREDENTIALS: authentication.describe_user_scram_credentials,
    api.ALTER_USER_SCRAM_CREDENTIALS: authentication.alter_user_scram_credentials,
    api.OFFSET_DELETE: offsets.offset_delete,
    api.DESCRIBE_CLUSTER: metadata.describe_cluster,
    api.ADD_OFFSETS_TO_TXN: transactions.add_offsets_to_txn,
    api.ADD_PARTITIONS_TO_TXN: transactions.add_partitions_to_txn,
    api.END_TXN: transactions.end_txn,
    api.TXN_OFFSET_COMMIT: transactional_offsets.txn_offset_commit,
    api.WRITE_TXN_MARKERS: hanging_transactions.write_txn_markers,
    api.OFFSET_FOR_LEADER_EPOCH: list_offsets.offset_for_leader_epoch,
    api.DELETE_RECORDS: deletions.delete_records,
    api.DESCRIBE_TOPIC_PARTITIONS: metadata.describe_topic_partitions,
    api.LIST_TRANSACTIONS: hanging_transactions.list_transactions,
    api.DESCRIBE_TRANSACTIONS: hanging_transactions.describe_transactions,
    api.DESCRIBE_PRODUCERS: hanging_transactions.describe_producers,
    api.DESCRIBE_LOG_DIRS: describe_log_dirs.handle,
    api.CONSUMER_GROUP_HEARTBEAT: consumer_group_heartbeat.handle,
    api.CONSUMER_GROUP_DESCRIBE: groups.consumer_group_describe,
    api.LIST_CONFIG_RESOURCES: configs.list_config_resources,
    api.UPDATE_FEATURES: features.update_features,
}

#: APIs that Apache Kafka never shipped; they are advertised to, and served for, only clients that can use them.
EXTENSIONS: Mapping[Api, Handler] = {
    api.CONSUMER_GROUP_PREPARE_ASSIGNMENT: consumer_group_extensions.consumer_group_prepare_assignment,
    api.CONSUMER_GROUP_INSTALL_ASSIGNMENT: consumer_group_extensions.consumer_group_install_assignment,
    api.CONSUMER_GROUP_ADD_MEMBERS: consumer_group_extensions.consumer_group_add_members,
    api.CONSUMER_GROUP_ANNOUNCE_LEAVING: consumer_group_extensions.consumer_group_announce_leaving,
    api.CONSUMER_GROUP_HISTORY: consumer_group_extensions.consumer_group_history,
}


def handler_of(asked: Api, version: int, profile: Profile, with_extensions: bool) -> Handler | None:
    """The handler of an API in this version; None if it is not served, or only to clients ``with_extensions``."""
    lowest, highest = version_range(asked, profile)
    if not lowest <= version <= highest:
        return None
    return SERVED.get(asked) or (EXTENSIONS.get(asked) if with_extensions else None)


def advertised(profile: Profile, with_extensions: bool = False) -> dict[int, VersionRange]:
    """The advertised version range of each API, by its key."""
    served = [*SERVED, api.API_VERSIONS, *(EXTENSIONS if with_extensions else ())]
    ranges = {entry.key: version_range(entry, profile) for entry in served}
    ranges[api.PRODUCE.key] = (_FIRST_ADVERTISED_PRODUCE, ranges[api.PRODUCE.key][1])
    return ranges


def version_range(served: Api, profile: Profile) -> VersionRange:
    """The versions of an API that are served."""
    lowest, highest = RELEASES[profile].ranges.get(served.key, (served.min_version, served.max_version))
    return max(lowest, served.min_version), min(highest, served.max_version)

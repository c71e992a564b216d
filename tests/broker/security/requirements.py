"""Which rights each API asks for: the whole table. The checks themselves stand in the handlers, one place for each API.

Three kinds of need:

* ``refused``: without the right there is an error, the one that belongs to its type of resource;
* ``hidden``: without it the answer leaves something out, in silence;
* ``or_else``: rights that do as well in place of the others, such as to create anything in the cluster instead of this
  topic.

As in Kafka, rights are looked at before anything else that could tell of the resource, even whether there is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import frozen

from kafka_nextgen.broker.security import acls as r
from kafka_nextgen.broker.security.acls import Right
from kafka_nextgen.wire import apis as api
from kafka_nextgen.wire.apis import Api

__all__ = ["NEEDS", "Needs"]


@frozen
class Needs:
    """What an API asks for; by default nothing."""

    refused: tuple[Right, ...] = ()
    hidden: tuple[Right, ...] = ()
    or_else: tuple[Right, ...] = ()


_TO_DESCRIBE_CONFIGS = (r.DESCRIBE_TOPIC_CONFIGS, r.DESCRIBE_GROUP_CONFIGS, r.DESCRIBE_CLUSTER_CONFIGS)
_TO_ALTER_CONFIGS = (r.ALTER_TOPIC_CONFIGS, r.ALTER_GROUP_CONFIGS, r.ALTER_CLUSTER_CONFIGS)

#: By API. Those that come before authentication, or carry it, need nothing.
NEEDS: Final[Mapping[Api, Needs]] = {
    api.API_VERSIONS: Needs(),
    api.SASL_HANDSHAKE: Needs(),
    api.SASL_AUTHENTICATE: Needs(),
    # Records.
    api.PRODUCE: Needs(refused=(r.WRITE_TOPIC, r.WRITE_TRANSACTIONAL_ID)),
    api.FETCH: Needs(refused=(r.READ_TOPIC,)),
    api.LIST_OFFSETS: Needs(refused=(r.DESCRIBE_TOPIC,)),
    api.OFFSET_FOR_LEADER_EPOCH: Needs(refused=(r.DESCRIBE_TOPIC,), or_else=(r.ACT_FOR_CLUSTER,)),
    api.DELETE_RECORDS: Needs(refused=(r.DELETE_TOPIC,)),
    api.DESCRIBE_PRODUCERS: Needs(refused=(r.READ_TOPIC,)),
    api.DESCRIBE_LOG_DIRS: Needs(refused=(r.DESCRIBE_CLUSTER,)),
    # Groups.
    api.FIND_COORDINATOR: Needs(refused=(r.DESCRIBE_GROUP, r.DESCRIBE_TRANSACTIONAL_ID)),
    api.CONSUMER_GROUP_HEARTBEAT: Needs(refused=(r.READ_GROUP, r.DESCRIBE_TOPIC)),
    api.JOIN_GROUP: Needs(refused=(r.READ_GROUP,)),
    api.SYNC_GROUP: Needs(refused=(r.READ_GROUP,)),
    api.HEARTBEAT: Needs(refused=(r.READ_GROUP,)),
    api.LEAVE_GROUP: Needs(refused=(r.READ_GROUP,)),
    api.OFFSET_COMMIT: Needs(refused=(r.READ_GROUP, r.READ_TOPIC)),
    api.OFFSET_FETCH: Needs(refused=(r.DESCRIBE_GROUP, r.DESCRIBE_TOPIC)),
    api.LIST_GROUPS: Needs(hidden=(r.DESCRIBE_GROUP,), or_else=(r.DESCRIBE_CLUSTER,)),
    api.DESCRIBE_GROUPS: Needs(refused=(r.DESCRIBE_GROUP,)),
    api.CONSUMER_GROUP_HISTORY: Needs(refused=(r.DESCRIBE_GROUP,)),
    api.CONSUMER_GROUP_DESCRIBE: Needs(refused=(r.DESCRIBE_GROUP, r.DESCRIBE_TOPIC)),
    api.DELETE_GROUPS: Needs(refused=(r.DELETE_GROUP,)),
    api.OFFSET_DELETE: Needs(refused=(r.DELETE_GROUP, r.READ_TOPIC)),
    # Groups, by what Kafka never shipped.
    api.CONSUMER_GROUP_PREPARE_ASSIGNMENT: Needs(refused=(r.READ_GROUP,)),
    api.CONSUMER_GROUP_INSTALL_ASSIGNMENT: Needs(refused=(r.READ_GROUP,)),
    api.CONSUMER_GROUP_ADD_MEMBERS: Needs(refused=(r.READ_GROUP,)),
    # Transactions.
    api.INIT_PRODUCER_ID: Needs(refused=(r.WRITE_IDEMPOTENTLY, r.WRITE_TRANSACTIONAL_ID), or_else=(r.WRITE_TOPIC,)),
    api.ADD_PARTITIONS_TO_TXN: Needs(refused=(r.WRITE_TRANSACTIONAL_ID, r.WRITE_TOPIC, r.ACT_FOR_CLUSTER)),
    api.ADD_OFFSETS_TO_TXN: Needs(refused=(r.WRITE_TRANSACTIONAL_ID, r.READ_GROUP)),
    api.TXN_OFFSET_COMMIT: Needs(refused=(r.WRITE_TRANSACTIONAL_ID, r.READ_GROUP, r.READ_TOPIC)),
    api.END_TXN: Needs(refused=(r.WRITE_TRANSACTIONAL_ID,)),
    api.WRITE_TXN_MARKERS: Needs(refused=(r.ACT_FOR_CLUSTER,), or_else=(r.ALTER_CLUSTER,)),
    api.LIST_TRANSACTIONS: Needs(hidden=(r.DESCRIBE_TRANSACTIONAL_ID,)),
    api.DESCRIBE_TRANSACTIONS: Needs(refused=(r.DESCRIBE_TRANSACTIONAL_ID,), hidden=(r.DESCRIBE_TOPIC,)),
    # Topics and the cluster.
    api.METADATA: Needs(
        refused=(r.DESCRIBE_TOPIC, r.CREATE_TOPIC), hidden=(r.DESCRIBE_CLUSTER,), or_else=(r.CREATE_IN_CLUSTER,)
    ),
    api.DESCRIBE_TOPIC_PARTITIONS: Needs(refused=(r.DESCRIBE_TOPIC,)),
    api.CREATE_TOPICS: Needs(refused=(r.CREATE_TOPIC, r.DESCRIBE_TOPIC_CONFIGS), or_else=(r.CREATE_IN_CLUSTER,)),
    api.CREATE_PARTITIONS: Needs(refused=(r.ALTER_TOPIC,)),
    api.DELETE_TOPICS: Needs(refused=(r.DESCRIBE_TOPIC, r.DELETE_TOPIC)),
    api.DESCRIBE_CLUSTER: Needs(hidden=(r.DESCRIBE_CLUSTER,)),
    api.DESCRIBE_CONFIGS: Needs(refused=_TO_DESCRIBE_CONFIGS),
    api.ALTER_CONFIGS: Needs(refused=_TO_ALTER_CONFIGS),
    api.INCREMENTAL_ALTER_CONFIGS: Needs(refused=_TO_ALTER_CONFIGS),
    api.LIST_CONFIG_RESOURCES: Needs(refused=(r.DESCRIBE_CLUSTER_CONFIGS,)),
    # Security and quotas.
    api.DESCRIBE_CLIENT_QUOTAS: Needs(refused=(r.DESCRIBE_CLUSTER_CONFIGS,)),
    api.ALTER_CLIENT_QUOTAS: Needs(refused=(r.ALTER_CLUSTER_CONFIGS,)),
    api.DESCRIBE_ACLS: Needs(refused=(r.DESCRIBE_CLUSTER,)),
    api.CREATE_ACLS: Needs(refused=(r.ALTER_CLUSTER,)),
    api.DELETE_ACLS: Needs(refused=(r.ALTER_CLUSTER,)),
    api.DESCRIBE_USER_SCRAM_CREDENTIALS: Needs(refused=(r.DESCRIBE_CLUSTER,)),
    api.ALTER_USER_SCRAM_CREDENTIALS: Needs(refused=(r.ALTER_CLUSTER,)),
}

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

from kafka_nextgen.testing.broker.security.acls import Right
from kafka_nextgen.wire import apis as api
from kafka_nextgen.wire.apis import Api


@frozen
class Needs:
    """What an API asks for; by default nothing."""

    refused: tuple[Right, ...] = ()
    hidden: tuple[Right, ...] = ()
    or_else: tuple[Right, ...] = ()


_TO_DESCRIBE_CONFIGS = (Right.DESCRIBE_TOPIC_CONFIGS, Right.DESCRIBE_GROUP_CONFIGS, Right.DESCRIBE_CLUSTER_CONFIGS)
_TO_ALTER_CONFIGS = (Right.ALTER_TOPIC_CONFIGS, Right.ALTER_GROUP_CONFIGS, Right.ALTER_CLUSTER_CONFIGS)

#: By API. Those that come before authentication, or carry it, need nothing.
NEEDS: Final[Mapping[Api, Needs]] = {
    api.API_VERSIONS: Needs(),
    api.SASL_HANDSHAKE: Needs(),
    api.SASL_AUTHENTICATE: Needs(),
    # Records.
    api.PRODUCE: Needs(refused=(Right.WRITE_TOPIC, Right.WRITE_TRANSACTIONAL_ID)),
    api.FETCH: Needs(refused=(Right.READ_TOPIC,)),
    api.LIST_OFFSETS: Needs(refused=(Right.DESCRIBE_TOPIC,)),
    api.OFFSET_FOR_LEADER_EPOCH: Needs(refused=(Right.DESCRIBE_TOPIC,), or_else=(Right.ACT_FOR_CLUSTER,)),
    api.DELETE_RECORDS: Needs(refused=(Right.DELETE_TOPIC,)),
    api.DESCRIBE_PRODUCERS: Needs(refused=(Right.READ_TOPIC,)),
    api.DESCRIBE_LOG_DIRS: Needs(refused=(Right.DESCRIBE_CLUSTER,)),
    # Groups.
    api.FIND_COORDINATOR: Needs(refused=(Right.DESCRIBE_GROUP, Right.DESCRIBE_TRANSACTIONAL_ID)),
    api.CONSUMER_GROUP_HEARTBEAT: Needs(refused=(Right.READ_GROUP, Right.DESCRIBE_TOPIC)),
    api.JOIN_GROUP: Needs(refused=(Right.READ_GROUP,)),
    api.SYNC_GROUP: Needs(refused=(Right.READ_GROUP,)),
    api.HEARTBEAT: Needs(refused=(Right.READ_GROUP,)),
    api.LEAVE_GROUP: Needs(refused=(Right.READ_GROUP,)),
    api.OFFSET_COMMIT: Needs(refused=(Right.READ_GROUP, Right.READ_TOPIC)),
    api.OFFSET_FETCH: Needs(refused=(Right.DESCRIBE_GROUP, Right.DESCRIBE_TOPIC)),
    api.LIST_GROUPS: Needs(hidden=(Right.DESCRIBE_GROUP,), or_else=(Right.DESCRIBE_CLUSTER,)),
    api.DESCRIBE_GROUPS: Needs(refused=(Right.DESCRIBE_GROUP,)),
    api.CONSUMER_GROUP_HISTORY: Needs(refused=(Right.DESCRIBE_GROUP,)),
    api.CONSUMER_GROUP_DESCRIBE: Needs(refused=(Right.DESCRIBE_GROUP, Right.DESCRIBE_TOPIC)),
    api.DELETE_GROUPS: Needs(refused=(Right.DELETE_GROUP,)),
    api.OFFSET_DELETE: Needs(refused=(Right.DELETE_GROUP, Right.READ_TOPIC)),
    # Groups, by what Kafka never shipped.
    api.CONSUMER_GROUP_PREPARE_ASSIGNMENT: Needs(refused=(Right.READ_GROUP,)),
    api.CONSUMER_GROUP_INSTALL_ASSIGNMENT: Needs(refused=(Right.READ_GROUP,)),
    api.CONSUMER_GROUP_ADD_MEMBERS: Needs(refused=(Right.READ_GROUP,)),
    api.CONSUMER_GROUP_ANNOUNCE_LEAVING: Needs(refused=(Right.READ_GROUP,)),
    # Transactions.
    api.INIT_PRODUCER_ID: Needs(
        refused=(Right.WRITE_IDEMPOTENTLY, Right.WRITE_TRANSACTIONAL_ID), or_else=(Right.WRITE_TOPIC,)
    ),
    api.ADD_PARTITIONS_TO_TXN: Needs(refused=(Right.WRITE_TRANSACTIONAL_ID, Right.WRITE_TOPIC, Right.ACT_FOR_CLUSTER)),
    api.ADD_OFFSETS_TO_TXN: Needs(refused=(Right.WRITE_TRANSACTIONAL_ID, Right.READ_GROUP)),
    api.TXN_OFFSET_COMMIT: Needs(refused=(Right.WRITE_TRANSACTIONAL_ID, Right.READ_GROUP, Right.READ_TOPIC)),
    api.END_TXN: Needs(refused=(Right.WRITE_TRANSACTIONAL_ID,)),
    api.WRITE_TXN_MARKERS: Needs(refused=(Right.ACT_FOR_CLUSTER,), or_else=(Right.ALTER_CLUSTER,)),
    api.LIST_TRANSACTIONS: Needs(hidden=(Right.DESCRIBE_TRANSACTIONAL_ID,)),
    api.DESCRIBE_TRANSACTIONS: Needs(refused=(Right.DESCRIBE_TRANSACTIONAL_ID,), hidden=(Right.DESCRIBE_TOPIC,)),
    # Topics and the cluster.
    api.METADATA: Needs(
        refused=(Right.DESCRIBE_TOPIC, Right.CREATE_TOPIC),
        hidden=(Right.DESCRIBE_CLUSTER,),
        or_else=(Right.CREATE_IN_CLUSTER,),
    ),
    api.DESCRIBE_TOPIC_PARTITIONS: Needs(refused=(Right.DESCRIBE_TOPIC,)),
    api.CREATE_TOPICS: Needs(
        refused=(Right.CREATE_TOPIC, Right.DESCRIBE_TOPIC_CONFIGS), or_else=(Right.CREATE_IN_CLUSTER,)
    ),
    api.CREATE_PARTITIONS: Needs(refused=(Right.ALTER_TOPIC,)),
    api.DELETE_TOPICS: Needs(refused=(Right.DESCRIBE_TOPIC, Right.DELETE_TOPIC)),
    api.DESCRIBE_CLUSTER: Needs(hidden=(Right.DESCRIBE_CLUSTER,)),
    api.DESCRIBE_CONFIGS: Needs(refused=_TO_DESCRIBE_CONFIGS),
    api.ALTER_CONFIGS: Needs(refused=_TO_ALTER_CONFIGS),
    api.INCREMENTAL_ALTER_CONFIGS: Needs(refused=_TO_ALTER_CONFIGS),
    api.LIST_CONFIG_RESOURCES: Needs(refused=(Right.DESCRIBE_CLUSTER_CONFIGS,)),
    api.UPDATE_FEATURES: Needs(refused=(Right.ALTER_CLUSTER,)),
    # Security and quotas.
    api.DESCRIBE_CLIENT_QUOTAS: Needs(refused=(Right.DESCRIBE_CLUSTER_CONFIGS,)),
    api.ALTER_CLIENT_QUOTAS: Needs(refused=(Right.ALTER_CLUSTER_CONFIGS,)),
    api.DESCRIBE_ACLS: Needs(refused=(Right.DESCRIBE_CLUSTER,)),
    api.CREATE_ACLS: Needs(refused=(Right.ALTER_CLUSTER,)),
    api.DELETE_ACLS: Needs(refused=(Right.ALTER_CLUSTER,)),
    api.DESCRIBE_USER_SCRAM_CREDENTIALS: Needs(refused=(Right.DESCRIBE_CLUSTER,)),
    api.ALTER_USER_SCRAM_CREDENTIALS: Needs(refused=(Right.ALTER_CLUSTER,)),
}

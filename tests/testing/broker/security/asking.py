"""A request for every API that asks for a right, and what its answer says of rights.

The topic, group and transactional id in a request are chosen by the test: ``Names``. The requests are as plain as can
be; what else they are answered with does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import frozen

from kafka_nextgen.types import TopicId
from kafka_nextgen.wire import apis
from kafka_nextgen.wire.apis import Api
from kafka_nextgen.wire.records import NewRecord, encode_batch
from kafka_nextgen.wire.schema import Message
from tests.support.plain_messages import as_dict, message_of
from tests.testing.broker.requests import fetch_request, produce_request
from tests.testing.broker.topic_requests import new_topic_request

TOPIC, BROKER, GROUP = 2, 4, 32  # kinds of configuration
OF_PRODUCER = {"producer_id": 1_000_000, "producer_epoch": 0}
A_RULE = {"resource_type": 2, "resource_name": "x", "resource_pattern_type": 3, "operation": 3, "permission_type": 3}
RULES = {
    "resource_type_filter": 2,
    "pattern_type_filter": 1,
    "resource_name_filter": "x",
    "operation": 1,
    "permission_type": 1,
}
CHANGE = {"key": "producer_byte_rate", "value": 0.0, "remove": True}


@frozen
class Names:
    """What a request is about; ``topic`` is there, ``new_topic`` is not."""

    topic: str
    topic_id: TopicId
    group: str
    transactional_id: str
    new_topic: str = "not-there"


Fields = Mapping[str, Any]


def _produce(names: Names) -> Fields:
    batch = encode_batch([NewRecord(b"one")], **OF_PRODUCER, base_sequence=0, transactional=True)
    request = produce_request(names.topic, batch)
    return {"transactional_id": names.transactional_id, "acks": -1, "topic_data": request.topic_data}


def _topics(names: Names, **partition: int) -> list[Fields]:
    return [{"name": names.topic, "partitions": [partition]}]


def _topic_and_partition(names: Names) -> list[Fields]:
    return [{"name": names.topic, "partitions": [0]}]


def _heartbeat(names: Names) -> Fields:
    who = {"group_id": names.group, "member_id": "member", "rebalance_timeout_ms": 60_000}
    return {**who, "subscribed_topic_names": [names.topic], "topic_partitions": []}


def _join(names: Names) -> Fields:
    timeouts = {"session_timeout_ms": 10_000, "rebalance_timeout_ms": 10_000}
    return {"group_id": names.group, **timeouts, "protocol_type": "consumer", "protocols": [{"name": "range"}]}


def _classic_member(names: Names) -> Fields:
    return {"group_id": names.group, "generation_id": 1, "member_id": "member"}


def _prepared_member(names: Names) -> Fields:
    return {"group_id": names.group, "member_id": "member"}


def _commit(names: Names) -> Fields:
    topics = _topics(names, partition_index=0, committed_offset=1)
    return {"group_id": names.group, "generation_id_or_member_epoch": -1, "topics": topics}


def _fetch_offsets(names: Names) -> Fields:
    topics = [{"name": names.topic, "partition_indexes": [0]}]
    return {"groups": [{"group_id": names.group, "member_id": None, "member_epoch": -1, "topics": topics}]}


def _init_producer_id(transactional_id: str | None) -> Fields:
    who = {"transactional_id": transactional_id, "producer_id": -1, "producer_epoch": -1}
    return {**who, "transaction_timeout_ms": 10_000}


def _of_transaction(names: Names) -> Fields:
    return {"transactional_id": names.transactional_id, **OF_PRODUCER}


def _add_partitions(names: Names) -> Fields:
    named = {**_of_transaction(names), "topics": _topic_and_partition(names)}
    return {f"v3_and_below_{name}": value for name, value in named.items()}


def _add_partitions_of_several(names: Names) -> Fields:
    return {"transactions": [{**_of_transaction(names), "topics": _topic_and_partition(names)}]}


def _commit_in_transaction(names: Names) -> Fields:
    topics = _topics(names, partition_index=0, committed_offset=1)
    return {**_of_transaction(names), "group_id": names.group, "topics": topics}


def _write_markers(names: Names) -> Fields:
    topics = [{"name": names.new_topic, "partition_indexes": [0]}]
    return {"markers": [{**OF_PRODUCER, "transaction_result": False, "topics": topics, "coordinator_epoch": 0}]}


def _metadata(name: str, may_create: bool) -> Fields:
    return {"topics": [{"name": name}], "allow_auto_topic_creation": may_create}


def _delete_topic(names: Names) -> Fields:
    name = names.new_topic if names.topic == "all" else names.topic  # what may be deleted is still needed
    return {"topics": [{"name": name, "topic_id": None}], "timeout_ms": 5_000}


def _resources(names: Names, **more: Any) -> Iterator[Fields]:
    for kind, name in ((TOPIC, names.topic), (GROUP, names.group), (BROKER, "1")):
        yield {"resources": [{"resource_type": kind, "resource_name": name, **more}]}


def _altered(names: Names) -> list[Fields]:
    return [{**fields, "validate_only": True} for fields in _resources(names, configs=[])]


#: For each API the version that is asked in, and of whose requests together ask for every right in its need.
_REQUESTS: Mapping[Api, tuple[int, Callable[[Names], Fields | list[Fields]]]] = {
    apis.PRODUCE: (11, _produce),
    apis.FETCH: (13, lambda names: {"topics": fetch_request(names.topic_id).topics, "max_bytes": 10_000}),
    apis.LIST_OFFSETS: (7, lambda names: {"replica_id": -1, "topics": _topics(names, partition_index=0, timestamp=-1)}),
    apis.OFFSET_FOR_LEADER_EPOCH: (
        4,
        lambda names: {"replica_id": -2, "topics": [{"topic": names.topic, "partitions": [{"partition": 0}]}]},
    ),
    apis.METADATA: (12, lambda names: [_metadata(names.topic, False), _metadata(names.new_topic, True)]),
    apis.FIND_COORDINATOR: (
        4,
        lambda names: [
            {"key_type": 0, "coordinator_keys": [names.group]},
            {"key_type": 1, "coordinator_keys": [names.transactional_id]},
        ],
    ),
    apis.CONSUMER_GROUP_HEARTBEAT: (1, _heartbeat),
    apis.CONSUMER_GROUP_PREPARE_ASSIGNMENT: (0, _prepared_member),
    apis.CONSUMER_GROUP_INSTALL_ASSIGNMENT: (0, _prepared_member),
    apis.CONSUMER_GROUP_ADD_MEMBERS: (0, lambda names: {"group_id": names.group, "timeout_ms": 0}),
    apis.CONSUMER_GROUP_ANNOUNCE_LEAVING: (0, lambda names: {"group_id": names.group, "timeout_ms": 0}),
    apis.CONSUMER_GROUP_HISTORY: (0, lambda names: {"group_id": names.group}),
    apis.JOIN_GROUP: (5, _join),
    apis.SYNC_GROUP: (3, _classic_member),
    apis.HEARTBEAT: (3, _classic_member),
    apis.LEAVE_GROUP: (3, lambda names: {"group_id": names.group, "members": [{"member_id": "nobody"}]}),
    apis.OFFSET_COMMIT: (8, _commit),
    apis.OFFSET_FETCH: (9, _fetch_offsets),
    apis.DESCRIBE_GROUPS: (5, lambda names: {"groups": [names.group]}),
    apis.CONSUMER_GROUP_DESCRIBE: (1, lambda names: {"group_ids": [names.group]}),
    apis.DELETE_GROUPS: (2, lambda names: {"groups_names": [names.group]}),
    apis.OFFSET_DELETE: (0, lambda names: {"group_id": names.group, "topics": _topics(names, partition_index=0)}),
    apis.INIT_PRODUCER_ID: (4, lambda names: [*map(_init_producer_id, (None, names.transactional_id))]),
    apis.ADD_OFFSETS_TO_TXN: (3, lambda names: {**_of_transaction(names), "group_id": names.group}),
    apis.TXN_OFFSET_COMMIT: (3, _commit_in_transaction),
    apis.END_TXN: (3, lambda names: {**_of_transaction(names), "committed": True}),
    apis.WRITE_TXN_MARKERS: (1, _write_markers),
    apis.DELETE_RECORDS: (2, lambda names: {"topics": _topics(names, partition_index=0), "timeout_ms": 1_000}),
    apis.DESCRIBE_PRODUCERS: (0, lambda names: {"topics": [{"name": names.topic, "partition_indexes": [0]}]}),
    apis.DESCRIBE_LOG_DIRS: (4, lambda names: {"topics": None}),
    apis.DESCRIBE_TRANSACTIONS: (0, lambda names: {"transactional_ids": [names.transactional_id]}),
    apis.DESCRIBE_TOPIC_PARTITIONS: (
        0,
        lambda names: {"topics": [{"name": names.topic}], "response_partition_limit": 10},
    ),
    apis.CREATE_TOPICS: (7, lambda names: {"topics": [new_topic_request(names.new_topic)], "validate_only": True}),
    apis.CREATE_PARTITIONS: (
        3,
        lambda names: {"topics": [{"name": names.topic, "count": 7, "assignments": None}], "validate_only": True},
    ),
    apis.DELETE_TOPICS: (6, _delete_topic),
    apis.DESCRIBE_CONFIGS: (4, lambda names: [*_resources(names)]),
    apis.ALTER_CONFIGS: (2, _altered),
    apis.INCREMENTAL_ALTER_CONFIGS: (1, _altered),
    apis.LIST_CONFIG_RESOURCES: (1, lambda names: {"resource_types": [TOPIC]}),
    apis.UPDATE_FEATURES: (2, lambda names: {"feature_updates": [], "validate_only": True}),
    apis.DESCRIBE_ACLS: (3, lambda names: RULES),
    apis.CREATE_ACLS: (3, lambda names: {"creations": [{**A_RULE, "principal": "User:x", "host": "*"}]}),
    apis.DELETE_ACLS: (3, lambda names: {"filters": [RULES]}),
    apis.DESCRIBE_CLIENT_QUOTAS: (1, lambda names: {}),
    apis.ALTER_CLIENT_QUOTAS: (
        1,
        lambda names: {
            "entries": [{"entity": [{"entity_type": "user", "entity_name": "nobody"}], "ops": [CHANGE]}],
            "validate_only": True,
        },
    ),
    apis.DESCRIBE_USER_SCRAM_CREDENTIALS: (0, lambda names: {"users": []}),
    apis.ALTER_USER_SCRAM_CREDENTIALS: (0, lambda names: {"deletions": [{"name": "nobody", "mechanism": 1}]}),
}

ASKED = (*_REQUESTS, apis.ADD_PARTITIONS_TO_TXN)


def requests_of(api: Api, names: Names) -> list[tuple[Message, int]]:
    """The requests with their versions."""
    if api is apis.ADD_PARTITIONS_TO_TXN:
        asked = [(_add_partitions(names), 3), (_add_partitions_of_several(names), 4)]
    else:
        version, draw = _REQUESTS[api]
        drawn = draw(names)
        asked = [(fields, version) for fields in (drawn if isinstance(drawn, list) else [drawn])]
    return [(message_of(api.request, **fields), version) for fields, version in asked]


def error_codes(answer: Any) -> Iterator[int]:
    """Every error code in an answer, wherever it stands."""
    yield from _codes(as_dict(answer))


def _codes(value: object) -> Iterator[int]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from [inner] if name.endswith("error_code") else _codes(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _codes(inner)

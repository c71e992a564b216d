"""Every key of a consumer: its name, the type of its value, its default and its documentation.

Keys of TLS and SASL are in ``properties.security_config``. With the consumer group protocol the broker sets the session
timeout, the heartbeat interval and the assignor (KIP-848, "Consumer API"). So these three keys are refused, except with
``group.protocol=classic`` or ``auto``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import attrs
from attrs import Factory

from kafka_nextgen.assignors.local_assignors import local_assignors
from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.properties import value_types as p
from kafka_nextgen.properties.deserialization import (
    DeserializationPolicy,
    Deserializer,
    OnDeserializationError,
    deserializer,
    on_deserialization_error,
)
from kafka_nextgen.properties.offset_reset import OffsetReset, Reset
from kafka_nextgen.properties.security_config import SecurityConfig
from kafka_nextgen.properties.strategies import strategies
from kafka_nextgen.properties.value_types import MIB, GroupProtocol, IsolationLevel, RecoveryStrategy
from kafka_nextgen.properties.value_types import config_key as _key
from kafka_nextgen.types import JoinReason

__all__ = ["FORBIDDEN", "KEYS", "ConsumerKeys", "Key"]


#: Keys that ``group.protocol=consumer`` does not allow, and what replaces them.
FORBIDDEN: Mapping[str, str] = {
    "session.timeout.ms": "the broker's group.consumer.session.timeout.ms, or the group's "
    "consumer.session.timeout.ms, decides when a silent member is removed",
    "heartbeat.interval.ms": "the broker's group.consumer.heartbeat.interval.ms, or the group's "
    "consumer.heartbeat.interval.ms, decides how often a member heartbeats",
    "partition.assignment.strategy": "the broker assigns; group.remote.assignor chooses among its assignors, "
    "group.local.assignors adds client-side ones",
}


_MS = p.whole_number(0)
_BYTES = p.whole_number(1)
_POLL_INTERVAL = Factory(lambda config: cast(int, config.max_poll_interval_ms), takes_self=True)
_STRATEGIES = Factory(
    lambda config: () if config.group_local_assignors else ("range", "cooperative-sticky"), takes_self=True
)
_WITH_A_GROUP = Factory(lambda config: config.group_id is not None, takes_self=True)


@frozen(kw_only=True, repr=False)
class ConsumerKeys(SecurityConfig):
    """The keys as attributes. Those ending in ``_ms`` are milliseconds, those ending in ``_bytes`` bytes."""

    bootstrap_servers: tuple[p.ServerAddress, ...] = _key(
        p.servers, (), "Servers for the first connection to the cluster; one that answers is enough. Required."
    )
    bootstrap_resolve_timeout_ms: int = _key(
        _MS,
        0,
        "How long to keep trying bootstrap servers that can't be resolved or reached, before raising an error "
        "(KIP-909); 0 means 10 seconds. A constructor never waits.",
    )
    client_id: str = _key(p.text(), "kafka-nextgen", "The name that brokers log and apply quotas to.")
    client_rack: str | None = _key(
        p.text(),
        None,
        "The rack of this client: brokers with a rack-aware replica.selector.class let it read from a replica in that "
        "rack, for metadata.max.age.ms at a time (KIP-392). Rack-aware assignors use it as well (KIP-881).",
    )
    group_id: str | None = _key(p.text(), None, "The group to join, and to commit offsets for.")
    group_protocol: GroupProtocol = _key(
        p.group_protocol,
        GroupProtocol.CONSUMER,
        "The group protocol (KIP-848, where classic is called generic); auto means consumer if the cluster supports "
        "it, otherwise classic.",
    )
    group_instance_id: str | None = _key(
        p.name, None, "The name of a static member, which keeps its partitions across restarts (KIP-345)."
    )
    group_remote_assignor: str | None = _key(
        p.text(),
        None,
        "The server-side assignor to ask for, such as uniform or range. Default: the broker chooses.",
    )
    group_local_assignors: tuple[PartitionAssignor, ...] = _key(
        local_assignors,
        (),
        "Client-side assignors in order of preference, instead of group.remote.assignor. One member runs an assignor "
        "that all members have, if the coordinator supports client-side assignors (KIP-848) or the group uses the "
        "classic protocol.",
    )
    join_reason: JoinReason | None = _key(
        p.join_reason,
        None,
        "The reason for the first join: restart lets a known member return without a rebalance, upgrade requests a "
        "rebalance. Only coordinators with extensions use it. Default: restart for static members, except for those "
        "of the consumer protocol with local assignors; none for others. Not in Kafka.",
    )
    partition_assignment_strategy: tuple[str, ...] = _key(
        strategies,
        _STRATEGIES,
        "With the classic protocol: the assignors in order of preference, after those of group.local.assignors. "
        "Rebalances are cooperative only if all assignors are (KIP-429). Default: range,cooperative-sticky, or none "
        "with group.local.assignors.",
    )
    session_timeout_ms: int = _key(
        p.whole_number(1), 45_000, "With the classic protocol: a member that is silent for this long is removed."
    )
    heartbeat_interval_ms: int = _key(
        p.whole_number(1), 3_000, "With the classic protocol: the time between two heartbeats."
    )
    history_log_dir: str | None = _key(
        p.text(),
        None,
        "A directory for this consumer's event log, which kafka-nextgen history reads. Not in Kafka.",
    )
    auto_offset_reset: Reset = _key(
        p.offset_reset,
        OffsetReset.LATEST,
        "Where to start without a committed offset. none raises OffsetOutOfRangeError; by_duration starts at the first "
        "record that is no older than the given ISO 8601 duration (KIP-1106).",
    )
    auto_offset_reset_new_partitions: Reset | None = _key(
        p.offset_place,
        None,
        "Where to start in a new partition: one without a committed offset, in a topic where the group has committed "
        "offsets for other partitions. Default: auto.offset.reset, with a warning about records that latest skips. Not "
        "in Kafka (KIP-1327 proposes a similar key).",
    )
    enable_auto_commit: bool = _key(
        p.boolean,
        _WITH_A_GROUP,
        "Commit the records returned before the last poll, and on close all of them. Default: true with a group.",
    )
    enable_auto_offset_store: bool = _key(
        p.boolean,
        True,
        "Whether returned records count as processed at the next poll. With false, auto-commit and commit() cover only "
        "what was passed to store_offsets(). From librdkafka.",
    )
    auto_commit_interval_ms: int = _key(p.whole_number(1), 5_000, "The time between two auto-commits.")
    max_poll_interval_ms: int = _key(
        p.whole_number(1), 300_000, "A member that does not poll for this long leaves its group."
    )
    max_poll_records: int = _key(p.whole_number(1), 500, "The maximum number of records that one poll returns.")
    consumer_timeout_ms: int | None = _key(
        p.whole_number(1),
        None,
        "A loop over the consumer ends when everything is read and no record has come for this long. Default: it waits "
        "forever. From kafka-python.",
    )
    fetch_min_bytes: int = _key(_BYTES, 1, "A broker delays its response until it has this many bytes.")
    fetch_max_bytes: int = _key(
        _BYTES, 50 * MIB, "The maximum number of bytes that one fetch from one broker should return."
    )
    fetch_max_wait_ms: int = _key(_MS, 500, "The maximum time a broker waits for fetch.min.bytes.")
    max_partition_fetch_bytes: int = _key(
        _BYTES, MIB, "The maximum number of bytes that one fetch should return for one partition."
    )
    check_crcs: bool = _key(p.boolean, True, "Check the checksum of every record batch.")
    isolation_level: IsolationLevel = _key(
        p.isolation_level,
        IsolationLevel.READ_UNCOMMITTED,
        "Which records of transactions are read: all, or with read_committed only those of committed transactions, and "
        "only up to the start of the first open transaction.",
    )
    request_timeout_ms: int = _key(p.whole_number(1), 30_000, "How long to wait for the response to one request.")
    default_api_timeout_ms: int = _key(_MS, 60_000, "The timeout of methods that are called without one.")
    retry_backoff_ms: int = _key(_MS, 100, "The delay before the first retry; doubles with each retry.")
    retry_backoff_max_ms: int = _key(_MS, 1_000, "The longest delay before a retry.")
    reconnect_backoff_ms: int = _key(_MS, 50, "The delay before reconnecting to a broker; doubles each time.")
    reconnect_backoff_max_ms: int = _key(_MS, 1_000, "The longest delay before reconnecting to a broker.")
    metadata_max_age_ms: int = _key(
        p.whole_number(1),
        300_000,
        "Metadata older than this is refreshed, and topics no longer in use are dropped.",
    )
    metadata_recovery_strategy: RecoveryStrategy = _key(
        p.one_of(RecoveryStrategy),
        RecoveryStrategy.REBOOTSTRAP,
        "What to do when no known broker can be reached (KIP-1102).",
    )
    metadata_recovery_rebootstrap_trigger_ms: int = _key(
        _MS, 300_000, "After this long without metadata, reconnect to the bootstrap servers."
    )
    metadata_cluster_check_enable: bool = _key(
        p.boolean,
        True,
        "Tell brokers (Kafka 4.4 or later) which cluster and node the client expects; if another one answers, restart "
        "from the bootstrap servers (KIP-1242). Has no effect with metadata.recovery.strategy=none.",
    )
    connections_max_idle_ms: int = _key(p.whole_number(1), 540_000, "A connection unused for this long is closed.")
    socket_connection_setup_timeout_ms: int = _key(
        p.whole_number(1), 10_000, "How long connecting to one address may take."
    )
    allow_auto_create_topics: bool = _key(
        p.boolean,
        True,
        "Let brokers create subscribed or assigned topics that don't exist, if the brokers allow it.",
    )
    key_deserializer: Deserializer | None = _key(
        deserializer, None, "Converts a record's key from bytes. Default: keys are bytes."
    )
    value_deserializer: Deserializer | None = _key(
        deserializer, None, "Converts a record's value from bytes. Default: values are bytes."
    )
    on_deserialization_error: OnDeserializationError = _key(
        on_deserialization_error,
        DeserializationPolicy.RAISE,
        "What to do with a record that can't be deserialized: raise DeserializationError and stop there until the "
        "application seeks, skip the record, return the error as its key or value, or call this function with the "
        "error and then skip the record. Not in Kafka.",
    )
    rebalance_timeout_ms: int = _key(
        p.whole_number(1),
        _POLL_INTERVAL,
        "How long a member may take to revoke partitions. Default: max.poll.interval.ms. Not in Kafka.",
    )
    instance_id_retry_timeout_ms: int = _key(
        _MS, 60_000, "How long to wait for a group.instance.id that another member still uses. Not in Kafka."
    )
    offset_reset_strict: bool = _key(
        p.boolean,
        False,
        "Raise instead of resetting when an offset is out of range or the log was truncated. Not in Kafka.",
    )
    fetch_buffer_bytes: int = _key(
        _BYTES,
        64 * MIB,
        "The limit for all records that are buffered, in flight or being decoded, over all partitions. The compressed "
        "batches of one partition in one response may decompress to as much as this limit, and in any case to 16 MiB. "
        "If records become larger than before, fetches in flight can exceed the limit: each of the two fetches per "
        "broker can exceed it by the size of its first batch and of the partitions being decoded. A process also keeps "
        "up to 32 MiB of freed memory for new records. Not in Kafka.",
    )
    receive_message_max_bytes: int = _key(
        p.whole_number(1024), 100 * MIB, "A larger frame is refused and its connection closed. From librdkafka."
    )


@frozen
class Key:
    """A key: Kafka's name, the attribute, the type of its value, its documentation and its default.

    A default can depend on other keys. ``is_security`` means that the key is about TLS or SASL.
    """

    name: str
    attribute: str
    value_type: p.ValueType[object]
    doc: str
    default: Callable[[ConsumerKeys], object]
    is_security: bool


def _key_of(attribute: attrs.Attribute[Any]) -> Key:
    name, metadata, default = attribute.name, attribute.metadata, attribute.default
    default_of = getattr(default, "factory", None) or (lambda _: default)
    is_security = hasattr(attrs.fields(SecurityConfig), name)
    return Key(name.replace("_", "."), name, metadata["value_type"], metadata["doc"], default_of, is_security)


#: All keys by Kafka's names.
KEYS: Mapping[str, Key] = {
    key.name: key for key in (_key_of(one) for one in attrs.fields(ConsumerKeys) if "value_type" in one.metadata)
}

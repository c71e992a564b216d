"""The configuration of a consumer as keyword arguments, for type checkers and editors.

Written by ``python docs/tools/make_consumer_settings.py`` from the table of keys; a test checks that they agree. At run
time, values may also be text, as in a properties file, and ``ConfigError`` reports mistakes.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias, TypedDict

from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.errors import DeserializationError
from kafka_nextgen.properties.deserialization import DeserializationPolicy, Deserializer
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset
from kafka_nextgen.properties.secret import Secret, SecretSource
from kafka_nextgen.properties.security_config import EndpointIdentification, OauthMethod, SaslMechanism, StoreType
from kafka_nextgen.properties.value_types import (
    GroupProtocol,
    IsolationLevel,
    RecoveryStrategy,
    SecurityProtocol,
    ServerAddress,
)
from kafka_nextgen.types import JoinReason

__all__ = ["AllSettings", "ConsumerSettings"]

#: An assignor, its class, or ``module:Class``.
OneAssignor: TypeAlias = str | PartitionAssignor | type[PartitionAssignor]


class ConsumerSettings(TypedDict, total=False):
    """The keyword arguments of ``Consumer`` and ``AsyncConsumer``, without the deserializers; None is the default."""

    bootstrap_servers: str | Iterable[str | ServerAddress] | None
    """Servers for the first connection to the cluster; one that answers is enough. Required."""
    bootstrap_resolve_timeout_ms: int | None
    """How long to keep trying bootstrap servers that can't be resolved or reached, before raising an error (KIP-909);
    0 means 10 seconds. A constructor never waits."""
    client_id: str | None
    """The name that brokers log and apply quotas to."""
    client_rack: str | None
    """The rack of this client: brokers with a rack-aware replica.selector.class let it read from a replica in that
    rack, for metadata.max.age.ms at a time (KIP-392). Rack-aware assignors use it as well (KIP-881)."""
    group_id: str | None
    """The group to join, and to commit offsets for."""
    group_protocol: GroupProtocol | Literal["consumer", "classic", "auto"] | None
    """The group protocol (KIP-848, where classic is called generic); auto means consumer if the cluster supports it,
    otherwise classic."""
    group_instance_id: str | None
    """The name of a static member, which keeps its partitions across restarts (KIP-345)."""
    group_remote_assignor: str | None
    """The server-side assignor to ask for, such as uniform or range. Default: the broker chooses."""
    group_local_assignors: OneAssignor | Iterable[OneAssignor] | None
    """Client-side assignors in order of preference, instead of group.remote.assignor. One member runs an assignor
    that all members have, if the coordinator supports client-side assignors (KIP-848) or the group uses the classic
    protocol."""
    join_reason: JoinReason | Literal["restart", "upgrade"] | None
    """The reason for the first join: restart lets a known member return without a rebalance, upgrade requests a
    rebalance. Only coordinators with extensions use it. Default: restart for static members, except for those of the
    consumer protocol with local assignors; none for others. Not in Kafka."""
    partition_assignment_strategy: str | Iterable[str] | None
    """With the classic protocol: the assignors in order of preference, after those of group.local.assignors.
    Rebalances are cooperative only if all assignors are (KIP-429). Default: range,cooperative-sticky, or none with
    group.local.assignors."""
    session_timeout_ms: int | None
    """With the classic protocol: a member that is silent for this long is removed."""
    heartbeat_interval_ms: int | None
    """With the classic protocol: the time between two heartbeats."""
    history_log_dir: str | None
    """A directory for this consumer's event log, which kafka-nextgen history reads. Not in Kafka."""
    auto_offset_reset: OffsetReset | ByDuration | Literal["latest", "earliest", "none"] | str | None
    """Where to start without a committed offset. none raises OffsetOutOfRangeError; by_duration starts at the first
    record that is no older than the given ISO 8601 duration (KIP-1106)."""
    auto_offset_reset_new_partitions: OffsetReset | ByDuration | Literal["latest", "earliest"] | str | None
    """Where to start in a new partition: one without a committed offset, in a topic where the group has committed
    offsets for other partitions. Default: auto.offset.reset, with a warning about records that latest skips. Not in
    Kafka (KIP-1327 proposes a similar key)."""
    enable_auto_commit: bool | None
    """Commit the records returned before the last poll, and on close all of them. Default: true with a group."""
    enable_auto_offset_store: bool | None
    """Whether returned records count as processed at the next poll. With false, auto-commit and commit() cover only
    what was passed to store_offsets(). From librdkafka."""
    auto_commit_interval_ms: int | None
    """The time between two auto-commits."""
    max_poll_interval_ms: int | None
    """A member that does not poll for this long leaves its group."""
    max_poll_records: int | None
    """The maximum number of records that one poll returns."""
    consumer_timeout_ms: int | None
    """A loop over the consumer ends when everything is read and no record has come for this long. Default: it waits
    forever. From kafka-python."""
    fetch_min_bytes: int | None
    """A broker delays its response until it has this many bytes."""
    fetch_max_bytes: int | None
    """The maximum number of bytes that one fetch from one broker should return."""
    fetch_max_wait_ms: int | None
    """The maximum time a broker waits for fetch.min.bytes."""
    max_partition_fetch_bytes: int | None
    """The maximum number of bytes that one fetch should return for one partition."""
    check_crcs: bool | None
    """Check the checksum of every record batch."""
    isolation_level: IsolationLevel | Literal["read_uncommitted", "read_committed"] | None
    """Which records of transactions are read: all, or with read_committed only those of committed transactions, and
    only up to the start of the first open transaction."""
    request_timeout_ms: int | None
    """How long to wait for the response to one request."""
    default_api_timeout_ms: int | None
    """The timeout of methods that are called without one."""
    retry_backoff_ms: int | None
    """The delay before the first retry; doubles with each retry."""
    retry_backoff_max_ms: int | None
    """The longest delay before a retry."""
    reconnect_backoff_ms: int | None
    """The delay before reconnecting to a broker; doubles each time."""
    reconnect_backoff_max_ms: int | None
    """The longest delay before reconnecting to a broker."""
    metadata_max_age_ms: int | None
    """Metadata older than this is refreshed, and topics no longer in use are dropped."""
    metadata_recovery_strategy: RecoveryStrategy | Literal["rebootstrap", "none"] | None
    """What to do when no known broker can be reached (KIP-1102)."""
    metadata_recovery_rebootstrap_trigger_ms: int | None
    """After this long without metadata, reconnect to the bootstrap servers."""
    metadata_cluster_check_enable: bool | None
    """Tell brokers (Kafka 4.4 or later) which cluster and node the client expects; if another one answers, restart
    from the bootstrap servers (KIP-1242). Has no effect with metadata.recovery.strategy=none."""
    connections_max_idle_ms: int | None
    """A connection unused for this long is closed."""
    socket_connection_setup_timeout_ms: int | None
    """How long connecting to one address may take."""
    allow_auto_create_topics: bool | None
    """Let brokers create subscribed or assigned topics that don't exist, if the brokers allow it."""
    on_deserialization_error: (
        DeserializationPolicy | Literal["raise", "skip", "value"] | Callable[[DeserializationError], object] | None
    )
    """What to do with a record that can't be deserialized: raise DeserializationError and stop there until the
    application seeks, skip the record, return the error as its key or value, or call this function with the error and
    then skip the record. Not in Kafka."""
    rebalance_timeout_ms: int | None
    """How long a member may take to revoke partitions. Default: max.poll.interval.ms. Not in Kafka."""
    instance_id_retry_timeout_ms: int | None
    """How long to wait for a group.instance.id that another member still uses. Not in Kafka."""
    offset_reset_strict: bool | None
    """Raise instead of resetting when an offset is out of range or the log was truncated. Not in Kafka."""
    fetch_buffer_bytes: int | None
    """The limit for all records that are buffered, in flight or being decoded, over all partitions. The compressed
    batches of one partition in one response may decompress to as much as this limit, and in any case to 16 MiB. If
    records become larger than before, fetches in flight can exceed the limit: each of the two fetches per broker can
    exceed it by the size of its first batch and of the partitions being decoded. A process also keeps up to 32 MiB of
    freed memory for new records. Not in Kafka."""
    receive_message_max_bytes: int | None
    """A larger frame is refused and its connection closed. From librdkafka."""
    security_protocol: SecurityProtocol | Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] | None
    """How to connect to brokers: with TLS (SSL), with SASL (SASL_PLAINTEXT), or with both (SASL_SSL)."""
    ssl_ca_location: str | None
    """A PEM file, or a directory in OpenSSL's layout, with trusted CA certificates. Default: the system's. Alias:
    ssl.truststore.location."""
    ssl_ca_pem: str | None
    """Trusted CA certificates as PEM text. Alias: ssl.truststore.certificates."""
    ssl_certificate_location: str | None
    """A PEM file with the client's certificate and its chain, for brokers that require one; may include the private
    key. Alias: ssl.keystore.location."""
    ssl_key_location: str | None
    """A PEM file with the private key, if it is a separate file."""
    ssl_key_password: Secret | str | None
    """The password of the private key."""
    ssl_truststore_type: StoreType | Literal["PEM"] | None
    """Convert other formats to PEM first (KIP-651)."""
    ssl_keystore_type: StoreType | Literal["PEM"] | None
    """Convert other formats to PEM first (KIP-651)."""
    ssl_cipher_suites: str | None
    """The allowed TLS 1.2 ciphers, by OpenSSL's names. Default: Python's."""
    ssl_endpoint_identification_algorithm: EndpointIdentification | Literal["https", "none"] | None
    """https checks that the certificate has the broker's host name; none accepts every trusted certificate."""
    enable_ssl_certificate_verification: bool | None
    """Whether to check certificates; false accepts every server. From librdkafka."""
    ssl_context: ssl.SSLContext | Callable[[], ssl.SSLContext] | None
    """An existing context that replaces the other ssl keys; it is used unchanged. Or a callable without arguments
    that returns one, called in a thread for each new connection. From kafka-python."""
    sasl_mechanism: SaslMechanism | Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI"] | None
    """The SASL mechanism; required with SASL. Alias: sasl.mechanisms."""
    sasl_username: str | None
    """The user name for PLAIN and SCRAM. From librdkafka."""
    sasl_password: Secret | SecretSource | str | Callable[[], str | Secret] | None
    """The password for PLAIN and SCRAM. Or a callable without arguments that returns it, called in a thread for each
    login. From librdkafka."""
    oauth_cb: Callable[[str], object] | None
    """For OAUTHBEARER: called in a thread with sasl.oauthbearer.config; returns a token, or (token, expiry time in
    seconds since 1970). From confluent-kafka."""
    sasl_oauthbearer_config: str | None
    """The argument of oauth.cb. From librdkafka."""
    sasl_oauthbearer_method: OauthMethod | Literal["default", "oidc"] | None
    """default takes tokens from oauth.cb, oidc from an OpenID provider (client credentials). From librdkafka."""
    sasl_oauthbearer_token_endpoint_url: str | None
    """With oidc: the URL of the token endpoint."""
    sasl_oauthbearer_client_id: str | None
    """With oidc: the client id. From librdkafka."""
    sasl_oauthbearer_client_secret: Secret | str | None
    """With oidc: the client secret. From librdkafka."""
    sasl_oauthbearer_scope: str | None
    """With oidc: the requested scope. From librdkafka."""
    https_ca_location: str | None
    """With oidc: trusted CA certificates for the token endpoint, in the form of ssl.ca.location. From librdkafka."""
    sasl_kerberos_service_name: str | None
    """With GSSAPI (needs kafka-nextgen[gssapi]): the first part of the brokers' principals."""

    # Names of other clients for the same keys
    sasl_mechanisms: SaslMechanism | Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI"] | None
    ssl_truststore_location: str | None
    ssl_truststore_certificates: str | None
    ssl_keystore_location: str | None


class AllSettings(ConsumerSettings, total=False):
    """The keyword arguments of ``ConsumerConfig.parse``."""

    key_deserializer: Deserializer | None
    """Converts a record's key from bytes. Default: keys are bytes."""
    value_deserializer: Deserializer | None
    """Converts a record's value from bytes. Default: values are bytes."""

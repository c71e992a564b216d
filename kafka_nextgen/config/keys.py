"""The configuration of a consumer: Kafka's keys, with dots or in snake_case.

Each attribute of ``ConsumerConfig`` is a key, with the type of its value, its default and its documentation. ``KEYS``
has the same as a mapping. Unknown keys, invalid values and contradictions raise ``ConfigError``: nothing is silently
ignored.

With the consumer group protocol the broker sets the session timeout, the heartbeat interval and the assignor (KIP-848,
"Consumer API"). So these three keys are refused, except with ``group.protocol=classic`` or ``auto``.
``ConsumerConfig.from_properties(..., migrate=True)`` reads the configuration of other clients.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

import attrs
from attrs import Factory, frozen

from kafka_nextgen.assignors.local_assignors import local_assignors
from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.properties import value_types as p
from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset, Reset
from kafka_nextgen.properties.security_config import ALIASES, SecurityConfig
from kafka_nextgen.properties.value_types import (
    FRAME_OVERHEAD_BYTES,
    MIB,
    GroupProtocol,
    IsolationLevel,
    RecoveryStrategy,
    SecurityProtocol,
)
from kafka_nextgen.properties.value_types import config_key as _key
from kafka_nextgen.types import JoinReason

if TYPE_CHECKING:
    from kafka_nextgen.other_clients.translation import Setting

__all__ = [
    "FORBIDDEN",
    "KEYS",
    "ByDuration",
    "ConsumerConfig",
    "GroupProtocol",
    "IsolationLevel",
    "Key",
    "OffsetReset",
    "RecoveryStrategy",
    "SecurityProtocol",
    "migrated_config",
]


#: Keys that ``group.protocol=consumer`` does not allow, and what replaces them.
FORBIDDEN: Mapping[str, str] = {
    "session.timeout.ms": "the broker's group.consumer.session.timeout.ms, or the group's "
    "consumer.session.timeout.ms, decides when a silent member is removed",
    "heartbeat.interval.ms": "the broker's group.consumer.heartbeat.interval.ms, or the group's "
    "consumer.heartbeat.interval.ms, decides how often a member heartbeats",
    "partition.assignment.strategy": "the broker assigns; group.remote.assignor chooses among its assignors, "
    "group.local.assignors adds client-side ones",
}


#: Keys that decide what other keys mean.
_CHOOSING = ("security.protocol", "sasl.mechanism", "group.protocol")

# ruff: noqa: RUF009  (these defaults are attrs fields)

_MS = p.whole_number(0)
_BYTES = p.whole_number(1)
_POLL_INTERVAL = Factory(lambda config: cast(int, config.max_poll_interval_ms), takes_self=True)
_STRATEGIES = Factory(
    lambda config: () if config.group_local_assignors else ("range", "cooperative-sticky"), takes_self=True
)
_WITH_A_GROUP = Factory(lambda config: config.group_id is not None, takes_self=True)


@frozen(kw_only=True, repr=False)
class ConsumerConfig(SecurityConfig):
    """A valid configuration of a consumer; ``parse`` makes one. Raises ``ConfigError``.

    Attributes ending in ``_ms`` are milliseconds, those ending in ``_bytes`` bytes.
    """

    bootstrap_servers: tuple[p.ServerAddress, ...] = _key(
        p.servers, (), "Servers for the first connection to the cluster; one that answers is enough. Required."
    )
    bootstrap_resolve_timeout_ms: int = _key(
        _MS,
        0,
        "How long bootstrap servers whose names can't be looked up, or that can't be reached, are tried before it is "
        "an error (KIP-909); 0 means 10 seconds. A constructor never waits.",
    )
    client_id: str = _key(p.text(), "kafka-nextgen", "The name that brokers log and apply quotas to.")
    client_rack: str | None = _key(
        p.text(),
        None,
        "The rack of this client: brokers with a rack-aware replica.selector.class let it read from a replica in that "
        "rack, for metadata.max.age.ms at a time (KIP-392). Rack-aware assignors use it as well (KIP-881).",
    )
    group_id: str | None = _key(p.text(), None, "The group to join and to commit for.")
    group_protocol: GroupProtocol = _key(
        p.group_protocol,
        GroupProtocol.CONSUMER,
        "The group protocol (KIP-848, where classic is called generic); auto is consumer if the cluster supports it.",
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
        "Client-side assignors, the preferred first, instead of group.remote.assignor. One member runs one that all "
        "members have, if the coordinator supports client-side assignors (KIP-848), or with the classic protocol.",
    )
    join_reason: JoinReason | None = _key(
        p.join_reason,
        None,
        "The reason for the first join: restart lets a known member return without a rebalance, upgrade requests a "
        "rebalance. Only coordinators with extensions use it. Not in Kafka.",
    )
    partition_assignment_strategy: tuple[str, ...] = _key(
        p.strategies,
        _STRATEGIES,
        "With the classic protocol: the assignors, the preferred first; cooperative only if all are (KIP-429). They "
        "follow group.local.assignors. Default: range,cooperative-sticky, or none with group.local.assignors.",
    )
    session_timeout_ms: int = _key(
        p.whole_number(1), 45_000, "With the classic protocol: a member without a heartbeat for this long is removed."
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
        "record that is at most this old, an ISO 8601 duration (KIP-1106).",
    )
    auto_offset_reset_new_partitions: Reset | None = _key(
        p.offset_place,
        None,
        "Where to start in a new partition: one without a committed offset, in a topic where the group has committed "
        "others. Default: auto.offset.reset, with a warning for records that latest skips. Not in Kafka (KIP-1327 asks "
        "for the like).",
    )
    enable_auto_commit: bool = _key(
        p.boolean, _WITH_A_GROUP, "Commit the records returned before the last poll. Default: true with a group."
    )
    auto_commit_interval_ms: int = _key(p.whole_number(1), 5_000, "The time between two auto-commits.")
    max_poll_interval_ms: int = _key(
        p.whole_number(1), 300_000, "A member that does not poll for this long leaves its group."
    )
    max_poll_records: int = _key(p.whole_number(1), 500, "The most records that one poll returns.")
    fetch_min_bytes: int = _key(_BYTES, 1, "A broker delays its response until it has this many bytes.")
    fetch_max_bytes: int = _key(_BYTES, 50 * MIB, "The most bytes that one fetch from one broker should return.")
    fetch_max_wait_ms: int = _key(_MS, 500, "The longest a broker waits for fetch.min.bytes.")
    max_partition_fetch_bytes: int = _key(_BYTES, MIB, "The most bytes of one partition that one fetch should return.")
    check_crcs: bool = _key(p.boolean, True, "Check the checksum of every record batch.")
    isolation_level: IsolationLevel = _key(
        p.isolation_level,
        IsolationLevel.READ_UNCOMMITTED,
        "Which records of transactions are read: all, or with read_committed those of committed transactions, up to "
        "the start of the first open transaction.",
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
        "Tell brokers from Kafka 4.4 on which cluster and node is meant; where another one answers, start again from "
        "the bootstrap servers (KIP-1242). Has no effect with metadata.recovery.strategy=none.",
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
    key_deserializer: p.Deserializer | None = _key(
        p.deserializer, None, "Converts a record's key from bytes. Default: keys are bytes."
    )
    value_deserializer: p.Deserializer | None = _key(
        p.deserializer, None, "Converts a record's value from bytes. Default: values are bytes."
    )
    on_deserialization_error: p.OnDeserializationError = _key(
        p.on_deserialization_error,
        p.DeserializationPolicy.RAISE,
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
        "The limit of all records that are buffered, in flight or being decoded, over all partitions. The compressed "
        "batches of one partition in one response may decompress to as much, and at least to 16 MiB. Fetches in flight "
        "when records become larger than before may exceed the limit: each of the two fetches of a broker by its first "
        "batch and by the partitions being decoded. A process also keeps up to 32 MiB of freed memory for new records. "
        "Not in Kafka.",
    )
    receive_message_max_bytes: int = _key(
        p.whole_number(1024), 100 * MIB, "A larger frame is refused and its connection closed. From librdkafka."
    )

    def __attrs_post_init__(self) -> None:
        broken = [rule for rule in (*_contradictions(self), *self.contradictions()) if rule[0]]
        if broken:
            raise _together([ConfigError(self.as_written(text), self.written_name(key)) for _, text, key in broken])

    @classmethod
    def parse(cls, properties: Mapping[str, object] | None = None, /, **kwargs: object) -> ConsumerConfig:
        """Read a configuration. Keys have dots or underscores; values may be text, as in a properties file.

        None stands for the default. Raises ``ConfigError`` with the key as it was written.
        """
        _refuse_no_mapping(properties)
        given: dict[str, tuple[str, object]] = {}
        items = [*(properties or {}).items(), *kwargs.items()]
        _refuse_unknown(items)
        _refuse_classic(items)
        for written, value in items:
            key = _lookup(written)
            converted = None if value is None else _read(key, written, value)
            if key.attribute in given and given[key.attribute][1] != converted:
                first = given[key.attribute][0]
                raise ConfigError(f"{key.name} is given twice, as {first} and as {written}, and differs", written)
            given[key.attribute] = written, converted
        return _configured(given)

    @classmethod
    def from_properties(
        cls, properties: Mapping[str, object] | os.PathLike[str], *, migrate: bool = False
    ) -> ConsumerConfig:
        """Read a configuration as ``parse`` does; with ``migrate`` it may be that of another client.

        Arguments:
            properties: a mapping, or a ``Path`` to a file with the syntax of Java's ``.properties`` in UTF-8.
            migrate: whether to translate the keys and values of Java's consumer, of librdkafka (confluent-kafka), of
                kafka-python and of aiokafka. A key that has no effect here is ignored with a ``UserWarning``, and so is
                one that the consumer group protocol does not allow.

        Raises ``ConfigError``; with ``migrate`` it has all problems with keys and values, not only the first.
        """
        if isinstance(properties, os.PathLike):
            from kafka_nextgen.java_config.properties_file import read_properties_file

            properties = read_properties_file(properties)
        _refuse_no_mapping(properties)
        return migrated_config(properties, {}) if migrate else cls.parse(properties)

    def __repr__(self) -> str:
        values = [(key, getattr(self, key.attribute)) for key in KEYS.values()]
        shown = [f"{key.attribute}={_plain(value)!r}" for key, value in values if value != key.default(self)]
        return f"ConsumerConfig({', '.join(shown)})"


@frozen
class Key:
    """A key: Kafka's name, the attribute, the type of its value, its documentation and its default.

    A default may depend on other keys. ``is_security`` is whether the key is about TLS or SASL.
    """

    name: str
    attribute: str
    value_type: p.ValueType[object]
    doc: str
    default: Callable[[ConsumerConfig], object]
    is_security: bool


def _key_of(attribute: attrs.Attribute[Any]) -> Key:
    name, metadata, default = attribute.name, attribute.metadata, attribute.default
    default_of = getattr(default, "factory", None) or (lambda _: default)
    is_security = hasattr(attrs.fields(SecurityConfig), name)
    return Key(name.replace("_", "."), name, metadata["value_type"], metadata["doc"], default_of, is_security)


#: All keys by Kafka's names.
KEYS: Mapping[str, Key] = {
    key.name: key for key in (_key_of(one) for one in attrs.fields(ConsumerConfig) if "value_type" in one.metadata)
}


def _lookup(written: str) -> Key:
    return KEYS[_canonical(written)]


def _canonical(written: str) -> str:
    return ALIASES.get(_dotted(written), _dotted(written))


def migrated_config(properties: Mapping[str, object], overriding: Mapping[str, object]) -> ConsumerConfig:
    """Read the configuration of another client, beside keys of this library that override it.

    Arguments:
        properties: keys and values of Java's consumer, librdkafka, kafka-python or aiokafka.
        overriding: keys that are read as ``ConsumerConfig.parse`` reads them.

    Raises ``ConfigError`` with all problems. Each key without an effect causes a ``UserWarning``.
    """
    from kafka_nextgen.other_clients.translation import Setting, translate  # few consumers need these tables

    _refuse_unknown(overriding.items())
    protocols = {**_protocol_of(properties), **_protocol_of(overriding)}
    _refuse_classic([*protocols.items(), *overriding.items()])
    named = {_lookup(written).name: Setting(written, value) for written, value in overriding.items()}
    kept = {written: value for written, value in properties.items() if _canonical(written) not in named}
    chosen = {key: named[key].value for key in _CHOOSING if key in named}
    ignored = FORBIDDEN if _protocol_in(protocols.items()) is GroupProtocol.CONSUMER else {}
    found = translate({**kept, **chosen}, KEYS, ignored)
    config = _configured(_read_all({**found.settings, **named}, found.problems))
    for warning in found.warnings:
        warnings.warn(warning, UserWarning, stacklevel=3)
    return config


def _protocol_of(properties: Mapping[str, object]) -> dict[str, object]:
    given = [value for written, value in properties.items() if _dotted(written) == "group.protocol" and value]
    return {"group.protocol": given[-1]} if given else {}


def _read_all(settings: Mapping[str, Setting], problems: list[ConfigError]) -> dict[str, tuple[str, object]]:
    """Read values by their keys. Raises ``ConfigError`` with these problems and all further ones."""
    given: dict[str, tuple[str, object]] = {}
    for name, setting in settings.items():
        try:
            value = None if setting.value is None else _read(KEYS[name], setting.written, setting.value)
            given[KEYS[name].attribute] = setting.written, value
        except ConfigError as error:
            problems.append(error)
    if problems:
        raise _together(problems)
    return given


def _together(problems: Sequence[ConfigError]) -> ConfigError:
    """One error with the text of all, and the key of the first."""
    texts = [str(problem) for problem in problems]
    count = "" if len(texts) == 1 else f"{len(texts)} problems: "
    return ConfigError(count + "; ".join(texts), problems[0].key)


def _configured(given: Mapping[str, tuple[str, object]]) -> ConsumerConfig:
    """Return a configuration of values by attribute, each with its key as it was written."""
    said = {attribute: value for attribute, (_, value) in given.items() if value is not None}
    return ConsumerConfig(**said, written_names=_other_names(given))  # type: ignore[arg-type]


def _other_names(given: Mapping[str, tuple[str, object]]) -> dict[str, str]:
    """The names of the keys that were set under another name than Kafka's, by that name."""
    names = ((attribute.replace("_", "."), written) for attribute, (written, _) in given.items())
    return {name: written for name, written in names if _dotted(written) != name}


def _refuse_no_mapping(properties: object) -> None:
    """Raise ConfigError for servers, or a topic, in place of a configuration. Their text may contain a password."""
    if properties is not None and not isinstance(properties, Mapping):
        raise ConfigError(
            "a configuration is a mapping such as {'bootstrap.servers': 'localhost:9092'}, or keywords such as "
            f"bootstrap_servers='localhost:9092', not {type(properties).__name__}; topics go to subscribe()"
        )


def _refuse_unknown(items: Iterable[tuple[str, object]]) -> None:
    """Raise ConfigError that names every unknown key."""
    unknown = [written for written, _ in items if _canonical(written) not in KEYS]
    if not unknown:
        return
    from kafka_nextgen.other_clients.advice import unknown_keys

    raise ConfigError(unknown_keys([str(one) for one in unknown], [*KEYS, *ALIASES]), unknown[0])


def _read(key: Key, written: str, value: object) -> object:
    try:
        return key.value_type.read(value)
    except p.NotInThisVersionError as error:
        why = f"is not available in this version, which has {error}{_hint(key, value)}"
        raise ConfigError(f"{written}={value} {why}", written) from None
    except ValueError as error:
        raise ConfigError(f"{written}: {error}{_hint(key, value)}", written) from None


def _hint(key: Key, value: object) -> str:
    """What to do about a value that another client allows; else nothing."""
    from kafka_nextgen.other_clients.advice import MIGRATE, is_understood

    return f"; {MIGRATE}" if is_understood(key.name, value, key.value_type.read) else ""


def _dotted(written: str) -> str:
    return str(written).replace("_", ".")


def _protocol_in(items: Iterable[tuple[str, object]]) -> object:
    said = [(written, value) for written, value in items if _dotted(written) == "group.protocol" and value is not None]
    return _read(KEYS["group.protocol"], *said[0]) if said else GroupProtocol.CONSUMER


def _refuse_classic(items: Collection[tuple[str, object]]) -> None:
    """Raise ConfigError for a key that the consumer group protocol does not allow."""
    for written, value in items:
        instead = FORBIDDEN.get(_dotted(written))
        if instead and value is not None and _protocol_in(items) is GroupProtocol.CONSUMER:
            why = f"{written} can't be set with group.protocol=consumer: {instead}"
            raise ConfigError(f"{why}; remove it", written)


def _contradictions(config: ConsumerConfig) -> Iterator[tuple[bool, str, str]]:
    """Rules about several keys: whether each is broken, its message, and the key to change."""
    yield not config.bootstrap_servers, "bootstrap.servers is required: host:port,...", "bootstrap.servers"
    if config.group_id is None:
        yield config.enable_auto_commit, "enable.auto.commit=true needs a group.id", "enable.auto.commit"
        yield config.group_instance_id is not None, "group.instance.id needs a group.id", "group.instance.id"
    if config.group_protocol is GroupProtocol.CLASSIC:
        why = "group.remote.assignor can't be set with group.protocol=classic: use partition.assignment.strategy"
        yield config.group_remote_assignor is not None, why, "group.remote.assignor"
    if config.group_local_assignors:
        yield config.group_id is None, "group.local.assignors needs a group.id", "group.local.assignors"
        why = "group.local.assignors and group.remote.assignor can't both be set: either a member or the broker assigns"
        yield config.group_remote_assignor is not None, why, "group.local.assignors"
    for low, high, margin in _ORDERED:
        low_value, high_value = (cast(int, getattr(config, KEYS[name].attribute)) for name in (low, high))
        rule = f"at least {margin} below" if margin else "at most"
        yield low_value > high_value - margin, f"{low}={low_value} must be {rule} {high}={high_value}", low


#: Pairs of keys whose first value must be at most the second value minus a margin.
_ORDERED = (
    ("fetch.min.bytes", "fetch.max.bytes", 0),
    ("fetch.max.bytes", "receive.message.max.bytes", FRAME_OVERHEAD_BYTES),
    ("fetch.max.wait.ms", "request.timeout.ms", 1),
    ("retry.backoff.ms", "retry.backoff.max.ms", 0),
    ("heartbeat.interval.ms", "session.timeout.ms", 1),
    ("reconnect.backoff.ms", "reconnect.backoff.max.ms", 0),
)


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, ByDuration):
        return str(value)
    if isinstance(value, PartitionAssignor):
        return value.name
    return ",".join(str(_plain(one)) for one in value) if isinstance(value, tuple) else value

"""The configuration of a consumer: Kafka's own keys, in Kafka's spelling or in snake_case.

The attributes of ``ConsumerConfig`` are the table of keys: each says how its value is read, its default and what
it does, and ``KEYS`` is that table as data, for programs that print it. A key's name in Kafka's spelling is the
attribute's with dots. A value that is unknown, out of bounds, contradictory or the broker's business is a
``ConfigError``: a misspelt key that is silently ignored is found in production.

With the consumer group protocol the broker decides when a session ends, how often a member heartbeats and who
assigns (KIP-848, "Consumer API"), so those three keys are refused except with the classic protocol, or with auto,
which may come to that. Properties written for a classic consumer can be taken over with
``ConsumerConfig.from_properties(..., migrate=True)``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, cast

import attrs
from attrs import Factory, frozen

from kafka_nextgen import properties as p
from kafka_nextgen.assignors.local_assignors import local_assignors
from kafka_nextgen.assignors.spec import PartitionAssignor
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.offset_reset import ByDuration, OffsetReset, Reset
from kafka_nextgen.properties import GroupProtocol, IsolationLevel, RecoveryStrategy, SecurityProtocol
from kafka_nextgen.properties import config_key as _key
from kafka_nextgen.security_config import ALIASES, SecurityConfig
from kafka_nextgen.text import nearest, with_nearest
from kafka_nextgen.types import JoinReason

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
]

MIB = 1024 * 1024
#: What a fetch answer may have around its records; as much as librdkafka demands.
FRAME_OVERHEAD_BYTES = 512


#: Keys that have no place beside ``group.protocol=consumer``, and what has.
FORBIDDEN: Mapping[str, str] = {
    "session.timeout.ms": "the broker's group.consumer.session.timeout.ms, or the group's "
    "consumer.session.timeout.ms, decides when a silent member is removed",
    "heartbeat.interval.ms": "the broker's group.consumer.heartbeat.interval.ms, or the group's "
    "consumer.heartbeat.interval.ms, decides how often a member heartbeats",
    "partition.assignment.strategy": "the broker assigns; group.remote.assignor chooses among its assignors, "
    "group.local.assignors brings one's own",
}


# ruff: noqa: RUF009  (a default here is attrs's description of a field, made once)

_MS = p.whole_number(0)
_BYTES = p.whole_number(1)
_POLL_INTERVAL = Factory(lambda config: cast(int, config.max_poll_interval_ms), takes_self=True)
_STRATEGIES = Factory(
    lambda config: () if config.group_local_assignors else ("range", "cooperative-sticky"), takes_self=True
)
_WITH_A_GROUP = Factory(lambda config: config.group_id is not None, takes_self=True)


@frozen(kw_only=True, repr=False)
class ConsumerConfig(SecurityConfig):
    """Everything a consumer can be told, checked; make one with ``parse``.

    Attributes ending in ``_ms`` are milliseconds, in ``_bytes`` bytes. Raises ``ConfigError``.
    """

    bootstrap_servers: tuple[p.ServerAddress, ...] = _key(
        p.servers, (), "Servers to learn the cluster from; one that answers is enough. Required."
    )
    client_id: str = _key(p.text(), "kafka-nextgen", "The name a broker logs and applies quotas to.")
    client_rack: str | None = _key(
        p.text(),
        None,
        "Where this client is: brokers whose replica.selector.class is rack-aware let it read from a replica there, "
        "for metadata.max.age.ms at a time (KIP-392); rack-aware assignors are told (KIP-881).",
    )
    group_id: str | None = _key(p.text(), None, "The group to join and to commit for.")
    group_protocol: GroupProtocol = _key(
        p.group_protocol,
        GroupProtocol.CONSUMER,
        "The protocol of the group (KIP-848, which calls classic generic); auto is consumer where the cluster has it.",
    )
    group_instance_id: str | None = _key(
        p.name, None, "The name of a static member, which keeps its partitions over a restart (KIP-345)."
    )
    group_remote_assignor: str | None = _key(
        p.text(),
        None,
        "The broker's assignor to vote for, such as uniform or range; unset leaves the choice to the broker.",
    )
    group_local_assignors: tuple[PartitionAssignor, ...] = _key(
        local_assignors,
        (),
        "Assignors of one's own, the preferred first, instead of group.remote.assignor: one that all members have is "
        "run by one of them, where the coordinator lets members assign (KIP-848), or with the classic protocol.",
    )
    join_reason: JoinReason | None = _key(
        p.join_reason,
        None,
        "What to state when joining first: restart keeps the place of a member that is known without a rebalance, "
        "upgrade asks for one. Coordinators without extensions are not told. Not Kafka's.",
    )
    partition_assignment_strategy: tuple[str, ...] = _key(
        p.strategies,
        _STRATEGIES,
        "With the classic protocol: who may assign, the preferred first; cooperative only if all are (KIP-429). After "
        "group.local.assignors, if there are any. Default: range,cooperative-sticky, or none beside those.",
    )
    session_timeout_ms: int = _key(
        p.whole_number(1), 45_000, "With the classic protocol: a member silent for this long is removed."
    )
    heartbeat_interval_ms: int = _key(
        p.whole_number(1), 3_000, "With the classic protocol: the time between two heartbeats."
    )
    history_log_dir: str | None = _key(
        p.text(),
        None,
        "A directory in which this consumer keeps an event log of its own, for kafka-nextgen history. Not Kafka's.",
    )
    auto_offset_reset: Reset = _key(
        p.offset_reset,
        OffsetReset.LATEST,
        "Where to start without a committed offset; none raises OffsetOutOfRangeError, by_duration takes the first "
        "record that is at most this old, an ISO 8601 duration (KIP-1106).",
    )
    enable_auto_commit: bool = _key(
        p.boolean, _WITH_A_GROUP, "Commit what was handed over before the last poll. Default: true, with a group."
    )
    auto_commit_interval_ms: int = _key(p.whole_number(1), 5_000, "The time between two such commits.")
    max_poll_interval_ms: int = _key(
        p.whole_number(1), 300_000, "A member that does not poll for this long leaves its group."
    )
    max_poll_records: int = _key(p.whole_number(1), 500, "The most records that one poll hands over.")
    fetch_min_bytes: int = _key(_BYTES, 1, "A broker waits until it has this much.")
    fetch_max_bytes: int = _key(_BYTES, 50 * MIB, "The most that one fetch from one broker should bring.")
    fetch_max_wait_ms: int = _key(_MS, 500, "The longest a broker waits for fetch.min.bytes.")
    max_partition_fetch_bytes: int = _key(_BYTES, MIB, "The most that one fetch should bring of one partition.")
    check_crcs: bool = _key(p.boolean, True, "Check the checksum of every record batch.")
    isolation_level: IsolationLevel = _key(
        p.isolation_level,
        IsolationLevel.READ_UNCOMMITTED,
        "Which records of transactions are read: all, or (read_committed) those that were committed, as far as the "
        "beginning of the first one that is open.",
    )
    request_timeout_ms: int = _key(p.whole_number(1), 30_000, "How long to wait for the answer to one request.")
    default_api_timeout_ms: int = _key(_MS, 60_000, "How long a method without a timeout of its own may take.")
    retry_backoff_ms: int = _key(_MS, 100, "The pause before the first retry; doubles from there.")
    retry_backoff_max_ms: int = _key(_MS, 1_000, "The longest pause before a retry.")
    reconnect_backoff_ms: int = _key(_MS, 50, "The pause before connecting to a broker again; doubles from there.")
    reconnect_backoff_max_ms: int = _key(_MS, 1_000, "The longest pause before connecting to a broker again.")
    metadata_max_age_ms: int = _key(
        p.whole_number(1),
        300_000,
        "Metadata older than this is asked for again, and topics that are not needed any more are forgotten.",
    )
    metadata_recovery_strategy: RecoveryStrategy = _key(
        p.one_of(RecoveryStrategy),
        RecoveryStrategy.REBOOTSTRAP,
        "What to do when no known broker can be reached (KIP-1102).",
    )
    metadata_recovery_rebootstrap_trigger_ms: int = _key(
        _MS, 300_000, "After this long without metadata, start again from the bootstrap servers."
    )
    connections_max_idle_ms: int = _key(p.whole_number(1), 540_000, "A connection unused for this long is closed.")
    socket_connection_setup_timeout_ms: int = _key(
        p.whole_number(1), 10_000, "How long connecting to one address may take."
    )
    allow_auto_create_topics: bool = _key(
        p.boolean,
        True,
        "Let a broker create topics that are subscribed to or assigned but never were there, if it does so at all.",
    )
    key_deserializer: p.Deserializer | None = _key(
        p.deserializer, None, "Makes an object of a record's key; unset leaves bytes."
    )
    value_deserializer: p.Deserializer | None = _key(
        p.deserializer, None, "Makes an object of a record's value; unset leaves bytes."
    )
    on_deserialization_error: p.OnDeserializationError = _key(
        p.on_deserialization_error,
        p.DeserializationPolicy.RAISE,
        "What to do with a record that can't be deserialized: raise DeserializationError and read no further until the "
        "application seeks, skip it, let the error stand as its key or value, or call this with the error and skip the "
        "record once that returns. Not Kafka's.",
    )
    rebalance_timeout_ms: int = _key(
        p.whole_number(1),
        _POLL_INTERVAL,
        "How long a member may take to give partitions up. Default: max.poll.interval.ms. Not Kafka's.",
    )
    instance_id_retry_timeout_ms: int = _key(
        _MS, 60_000, "How long to wait for a group.instance.id that another member still has. Not Kafka's."
    )
    offset_reset_strict: bool = _key(
        p.boolean,
        False,
        "Raise instead of resetting when an offset is out of range, or when the log lost what was read. Not Kafka's.",
    )
    fetch_buffer_bytes: int = _key(
        _BYTES,
        64 * MIB,
        "What may wait to be polled, be on its way or be decoded, of all partitions together. A partition's compressed "
        "batches may become as much in one answer, and 16 MiB in any case. What is asked for already when records turn "
        "out larger than the ones before may exceed it, each of two fetches of a broker by the first batch and by the "
        "partitions then being decoded. Besides, a process keeps up to 32 MiB of memory that records lay in for those "
        "to come. Not Kafka's.",
    )
    receive_message_max_bytes: int = _key(
        p.whole_number(1024), 100 * MIB, "A longer frame is refused and its connection closed. librdkafka's."
    )

    def __attrs_post_init__(self) -> None:
        for wrong, message, key in (*_contradictions(self), *self.contradictions()):
            if wrong:
                raise ConfigError(message, key)

    @classmethod
    def parse(cls, properties: Mapping[str, object] | None = None, /, **kwargs: object) -> ConsumerConfig:
        """Read a configuration; a key may be in either spelling, a value may be text as in a properties file.

        A value of None stands for the default. Raises ``ConfigError`` with the key as it was written.
        """
        given: dict[str, tuple[str, object]] = {}
        items = [*(properties or {}).items(), *kwargs.items()]
        _refuse_unknown(items)
        _refuse_foreign(items)
        for written, value in items:
            key = _lookup(written)
            converted = None if value is None else _read(key, written, value)
            if key.attribute in given and given[key.attribute][1] != converted:
                first = given[key.attribute][0]
                raise ConfigError(f"{key.name} is given twice, as {first} and as {written}, and differs", written)
            given[key.attribute] = written, converted
        said = {attribute: value for attribute, (_, value) in given.items() if value is not None}
        return cls(**said)  # type: ignore[arg-type]

    @classmethod
    def from_properties(cls, properties: Mapping[str, object], *, migrate: bool = False) -> ConsumerConfig:
        """Read a configuration as ``parse`` does; with ``migrate`` it may be one of the classic protocol's.

        Then keys that the consumer group protocol has no place for are left out with a ``UserWarning`` each, unless
        ``group.protocol`` is another one.
        """
        kept = dict(properties)
        migrates = migrate and _protocol_in(properties.items()) is GroupProtocol.CONSUMER
        for written in properties if migrates else ():
            instead = FORBIDDEN.get(_dotted(written))
            if instead is not None:
                warnings.warn(f"{written} is ignored: {instead}", UserWarning, stacklevel=2)
                del kept[written]
        return cls.parse(kept)

    def __repr__(self) -> str:
        return f"ConsumerConfig({', '.join(self._said())})"

    def _said(self) -> Iterator[str]:
        for key in KEYS.values():
            value = getattr(self, key.attribute)
            if value != key.default(self):
                yield f"{key.attribute}={_plain(value)!r}"


@frozen
class Key:
    """One key: Kafka's name, our attribute, what its value is and does, and its default beside other values.

    ``is_security`` is whether it is about TLS or SASL.
    """

    name: str
    attribute: str
    value_type: p.ValueType[object]
    doc: str
    default: Callable[[ConsumerConfig], object]
    is_security: bool


def _key_of(attribute: attrs.Attribute[Any]) -> Key:
    name, metadata, default = attribute.name, attribute.metadata, attribute.default
    of_the_others = getattr(default, "factory", None)
    default_of = of_the_others or (lambda _: default)
    is_security = hasattr(attrs.fields(SecurityConfig), name)
    return Key(name.replace("_", "."), name, metadata["value_type"], metadata["doc"], default_of, is_security)


#: Every key, by Kafka's name of it.
KEYS: Mapping[str, Key] = {key.name: key for key in (_key_of(one) for one in attrs.fields(ConsumerConfig))}


def _lookup(written: str) -> Key:
    return KEYS[ALIASES.get(_dotted(written), _dotted(written))]


def _refuse_unknown(items: Iterable[tuple[str, object]]) -> None:
    """Raise ConfigError that names every unknown key."""
    unknown = [written for written, _ in items if ALIASES.get(_dotted(written), _dotted(written)) not in KEYS]
    if not unknown:
        return
    what = "there is no configuration key" if len(unknown) == 1 else "there are no configuration keys"
    named = [with_nearest(str(written), nearest(_dotted(written).lower(), [*KEYS, *ALIASES])) for written in unknown]
    raise ConfigError(f"{what} {', '.join(named)}", unknown[0])


def _read(key: Key, written: str, value: object) -> object:
    try:
        return key.value_type.read(value)
    except p.NotInThisVersionError as error:
        raise ConfigError(f"{written}={value} is not available in this version, which has {error}", written) from None
    except ValueError as error:
        raise ConfigError(f"{written}: {error}", written) from None


def _dotted(written: str) -> str:
    return str(written).replace("_", ".")


def _protocol_in(items: Iterable[tuple[str, object]]) -> object:
    said = [(written, value) for written, value in items if _dotted(written) == "group.protocol" and value is not None]
    return _read(KEYS["group.protocol"], *said[0]) if said else GroupProtocol.CONSUMER


def _refuse_foreign(items: Collection[tuple[str, object]]) -> None:
    """Raise ConfigError for a key of the classic protocol beside the consumer group protocol."""
    for written, value in items:
        instead = FORBIDDEN.get(_dotted(written))
        if instead is None or value is None:
            continue
        if _protocol_in(items) is GroupProtocol.CONSUMER:
            why = f"{written} can't be set with group.protocol=consumer: {instead}"
            raise ConfigError(f"{why}; remove it", written)


def _contradictions(config: ConsumerConfig) -> Iterator[tuple[bool, str, str]]:
    """Pairs of values that can't both be meant, each with the key to change."""
    yield not config.bootstrap_servers, "bootstrap.servers is required: host:port,...", "bootstrap.servers"
    if config.group_id is None:
        yield config.enable_auto_commit, "enable.auto.commit=true needs a group.id", "enable.auto.commit"
        yield config.group_instance_id is not None, "group.instance.id needs a group.id", "group.instance.id"
    if config.group_protocol is GroupProtocol.CLASSIC:
        why = "group.remote.assignor can't be set with group.protocol=classic: partition.assignment.strategy is its key"
        yield config.group_remote_assignor is not None, why, "group.remote.assignor"
    if config.group_local_assignors:
        yield config.group_id is None, "group.local.assignors needs a group.id", "group.local.assignors"
        why = "group.local.assignors and group.remote.assignor can't both be set: either a member or the broker assigns"
        yield config.group_remote_assignor is not None, why, "group.local.assignors"
    for low, high, spare in _ORDERED:
        yield _above(config, low, high, spare), _order_message(config, low, high, spare), low


#: Of two keys, the first must not be above the second less what is to be left.
_ORDERED = (
    ("fetch.min.bytes", "fetch.max.bytes", 0),
    ("fetch.max.bytes", "receive.message.max.bytes", FRAME_OVERHEAD_BYTES),
    ("fetch.max.wait.ms", "request.timeout.ms", 1),
    ("retry.backoff.ms", "retry.backoff.max.ms", 0),
    ("heartbeat.interval.ms", "session.timeout.ms", 1),
    ("reconnect.backoff.ms", "reconnect.backoff.max.ms", 0),
)


def _number(config: ConsumerConfig, name: str) -> int:
    return cast(int, getattr(config, KEYS[name].attribute))


def _above(config: ConsumerConfig, low: str, high: str, spare: int) -> bool:
    return _number(config, low) > _number(config, high) - spare


def _order_message(config: ConsumerConfig, low: str, high: str, spare: int) -> str:
    rule = f"at least {spare} below" if spare else "at most"
    return f"{low}={_number(config, low)} must be {rule} {high}={_number(config, high)}"


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, ByDuration):
        return str(value)
    if isinstance(value, PartitionAssignor):
        return value.name
    return ",".join(str(_plain(one)) for one in value) if isinstance(value, tuple) else value

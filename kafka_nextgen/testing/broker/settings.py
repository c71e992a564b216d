"""The broker's configuration, under Kafka's own names and with Kafka's defaults.

A key is a field with ``_`` for ``.``: ``group.consumer.session.timeout.ms`` is ``group_consumer_session_timeout_ms``.
A value may be of its type or text, as in a properties file; lists are separated by commas. Unknown keys are refused,
with a suggestion if a similar one exists, and so is everything Kafka refuses when it starts: numbers out of range, and
a session timeout, heartbeat interval or assignment interval outside its ``min`` and ``max`` (KIP-848, "Broker
Configurations"; KIP-1263).

All nodes of a cluster share these settings. Therefore ``broker.rack`` may list several racks, one for each node, in
order.

Three keys are not broker settings in Kafka. ``profile`` is the Kafka release to emulate. ``group.version`` is a cluster
feature in Kafka: 0 disables the consumer group protocol (KIP-848, "Enabling the protocol"); UpdateFeatures can change
it later. ``extensions`` offers features that Apache Kafka never shipped to clients that can use them.

The offsets topic has at most as many replicas as there are nodes; Kafka does not create it with fewer nodes than
``offsets.topic.replication.factor``. ``queued.max.request.bytes`` is limited by default, unlike in Kafka, and counts
only large requests.

Built-in assignors are given by name; the default is Kafka's two. Other assignors are given as an object, or as a class
without constructor arguments, by the program that starts the broker; network input and text settings never make the
broker load code. Members vote for an assignor by its ``name`` (``group.remote.assignor``), so names must be unique;
without votes the first assignor is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from attrs import Attribute, fields

from kafka_nextgen.assignors import PartitionAssignor, RangeAssignor, UniformAssignor
from kafka_nextgen.assignors.built_in import BUILT_IN
from kafka_nextgen.assignors.local_assignors import assignor_of
from kafka_nextgen.errors import ConfigError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.testing.broker.node import SELECTORS
from kafka_nextgen.testing.broker.security.settings import SecuritySettings
from kafka_nextgen.testing.broker.setting_keys import (
    INT32_MAX,
    bool_key,
    int_key,
    key,
    member_of,
    one_of,
    property_name,
)
from kafka_nextgen.testing.coordinator.settings import CoordinatorSettings, MigrationPolicy, Profile
from kafka_nextgen.text import nearest, with_nearest

__all__ = ["BrokerSettings"]

#: The default in Kafka.
_KAFKAS_ASSIGNORS: tuple[PartitionAssignor, ...] = (BUILT_IN[UniformAssignor.name], BUILT_IN[RangeAssignor.name])


def _racks(key: str, value: object) -> tuple[str, ...]:
    if value == "":
        return ()
    items = value.split(",") if isinstance(value, str) else value
    racks = tuple(str(item).strip() for item in items) if isinstance(items, (list, tuple)) else ("",)
    if not all(racks):
        raise ConfigError(f"{key} must be one rack, or a comma-separated list of one for each node, not {value!r}", key)
    return racks


def _assignors(key: str, value: object) -> tuple[PartitionAssignor, ...]:
    items = [item for item in value.split(",") if item.strip()] if isinstance(value, str) else value
    items = items if isinstance(items, (list, tuple)) else (items,)
    found = tuple(_assignor(key, item) for item in items)
    names = [assignor.name for assignor in found]
    if not names:
        raise ConfigError(f"{key} must have at least one assignor", key)
    if len(set(names)) < len(names):
        raise ConfigError(f"{key}: {', '.join(names)}: two assignors have the same name", key)
    return found


def _assignor(key: str, item: object) -> PartitionAssignor:
    if isinstance(item, str):
        return _built_in_assignor(key, item.strip())
    try:
        return assignor_of(item)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}", key) from error


def _built_in_assignor(key: str, name: str) -> PartitionAssignor:
    if name not in BUILT_IN:
        known = ", ".join(BUILT_IN)
        raise ConfigError(
            f"{key}: there is no assignor {name!r}, only {known}; give any other as an object, or on the command line "
            "as MODULE:CLASS",
            key,
        )
    return BUILT_IN[name]


@frozen(kw_only=True)
class BrokerSettings(SecuritySettings):
    """One value per key. Create it with ``from_properties``, which checks the values."""

    # The emulated release and its features.
    profile: Profile = key(Profile.V4_4, member_of(Profile))  # a field like the others
    group_version: int = int_key(1, low=0, high=1)
    extensions: bool = bool_key(True)

    # Topics and their logs.
    auto_create_topics_enable: bool = bool_key(True)
    num_partitions: int = int_key(1)
    default_replication_factor: int = int_key(1)
    message_max_bytes: int = int_key(1_048_588, low=0)
    log_segment_bytes: int = int_key(1_073_741_824, low=14)
    log_flush_interval_messages: int = int_key(2**63 - 1, high=2**63 - 1)
    log_retention_check_interval_ms: int = int_key(300_000)
    fetch_max_bytes: int = int_key(57_671_680, low=1024)
    max_incremental_fetch_session_cache_slots: int = int_key(1000, low=0)  # of each node

    # Racks, and the replicas that consumers read from (KIP-392).
    broker_rack: tuple[str, ...] = key((), _racks)
    replica_selector_class: str = key("", one_of(*SELECTORS))

    # Connections.
    socket_request_max_bytes: int = int_key(104_857_600)
    queued_max_request_bytes: int = int_key(268_435_456, low=-1, high=2**63 - 1)  # of each node, large requests only
    max_connections: int = int_key(INT32_MAX, low=0)
    connections_max_idle_ms: int = int_key(600_000, high=2**63 - 1)
    quota_window_num: int = int_key(11, low=2)
    quota_window_size_seconds: int = int_key(1)

    # Groups (KIP-848, "Broker Configurations").
    group_coordinator_threads: int = int_key(4)  # accepted and described; all coordinators run on one event loop
    group_consumer_session_timeout_ms: int = int_key(45_000)
    group_consumer_min_session_timeout_ms: int = int_key(45_000)
    group_consumer_max_session_timeout_ms: int = int_key(60_000)
    group_consumer_heartbeat_interval_ms: int = int_key(5_000)
    group_consumer_min_heartbeat_interval_ms: int = int_key(5_000)
    group_consumer_max_heartbeat_interval_ms: int = int_key(15_000)
    group_consumer_max_size: int = int_key(INT32_MAX)
    group_consumer_assignors: tuple[PartitionAssignor, ...] = key(_KAFKAS_ASSIGNORS, _assignors)
    group_consumer_assignment_interval_ms: int = int_key(1_000, low=0)
    group_consumer_min_assignment_interval_ms: int = int_key(0, low=0)
    group_consumer_max_assignment_interval_ms: int = int_key(15_000, low=0)
    group_consumer_regex_refresh_interval_ms: int = int_key(600_000, low=10_000)
    group_consumer_migration_policy: MigrationPolicy = key(  # a field like the others
        MigrationPolicy.BIDIRECTIONAL, member_of(MigrationPolicy)
    )
    group_min_session_timeout_ms: int = int_key(6_000)  # for classic groups
    group_max_session_timeout_ms: int = int_key(1_800_000)
    group_initial_rebalance_delay_ms: int = int_key(3_000, low=0)
    group_max_size: int = int_key(INT32_MAX)
    offset_metadata_max_bytes: int = int_key(4_096, low=0)
    offsets_retention_minutes: int = int_key(10_080)
    offsets_retention_check_interval_ms: int = int_key(600_000)
    group_rebalance_history_size: int = int_key(50, low=0)  # an extension; for groups of both protocols
    group_target_size: int = int_key(0, low=0)  # an extension: members beyond this number are standbys; 0 for no limit
    offsets_topic_num_partitions: int = int_key(50)  # determines which node coordinates a group
    offsets_topic_replication_factor: int = int_key(3)  # at most the number of nodes

    # Transactions (KIP-98).
    transaction_max_timeout_ms: int = int_key(900_000)
    transactional_id_expiration_ms: int = int_key(604_800_000)
    transaction_state_log_num_partitions: int = int_key(50)  # determines which node coordinates a transaction

    @classmethod
    def from_properties(cls, properties: Mapping[str, object]) -> BrokerSettings:
        """Parse settings by Kafka's names, with dots or underscores. Raises ``ConfigError``."""
        known = {property_name(attribute.name): attribute for attribute in fields(cls)}
        unknown = [key for key in properties if property_name(key) not in known]
        if unknown:
            named = (with_nearest(key, nearest(property_name(key), known)) for key in unknown)
            raise ConfigError(f"there is no broker setting {', '.join(named)}", unknown[0])
        values: dict[str, object] = {}
        for name, value in properties.items():
            attribute = known[property_name(name)]
            values[attribute.name] = attribute.metadata["parse"](property_name(name), value)
        settings = cls(**values)  # type: ignore[arg-type]  # each was parsed by its own field
        settings.check()
        return settings

    def check(self) -> None:
        """Check that the values do not contradict each other. Raises ``ConfigError``."""
        self.check_security()
        self._check_between_bounds("session.timeout.ms")
        self._check_between_bounds("heartbeat.interval.ms")
        self._check_between_bounds("assignment.interval.ms")
        self._check_target_size()
        if self.group_min_session_timeout_ms > self.group_max_session_timeout_ms:
            raise ConfigError(
                f"group.min.session.timeout.ms ({self.group_min_session_timeout_ms}) must not be above "
                f"group.max.session.timeout.ms ({self.group_max_session_timeout_ms})",
                "group.min.session.timeout.ms",
            )
        if self.group_consumer_heartbeat_interval_ms >= self.group_consumer_session_timeout_ms:
            raise ConfigError(
                f"group.consumer.heartbeat.interval.ms ({self.group_consumer_heartbeat_interval_ms}) must be less "
                f"than group.consumer.session.timeout.ms ({self.group_consumer_session_timeout_ms})",
                "group.consumer.heartbeat.interval.ms",
            )

    def for_coordinator(self) -> CoordinatorSettings:
        """The settings of a group coordinator."""
        return CoordinatorSettings(**{each.name: getattr(self, each.name) for each in fields(CoordinatorSettings)})

    def rack_of(self, index: int, nodes: int) -> str | None:
        """The rack of a node, None if it has none. Raises ``ConfigError`` if the racks don't match the nodes."""
        racks = self.broker_rack
        if len(racks) > 1 and len(racks) != nodes:
            message = f"broker.rack names {len(racks)} racks for {nodes} nodes; give one per node, or one for all"
            raise ConfigError(message, "broker.rack")
        return racks[index % len(racks)] if racks else None

    def as_properties(self) -> dict[str, str]:
        """Every setting by Kafka's name, as text; secrets as ``***``."""
        return {
            property_name(attribute.name): _as_text(getattr(self, attribute.name), attribute)
            for attribute in fields(type(self))
        }

    def _check_target_size(self) -> None:
        key, size, most = "group.target.size", self.group_target_size, self.group_consumer_max_size
        if size and not self.extensions:
            raise ConfigError(f"{key} ({size}) is an extension, but extensions are disabled", key)
        if size > most:
            raise ConfigError(f"{key} ({size}) must not be above group.consumer.max.size ({most})", key)

    def _check_between_bounds(self, what: str) -> None:
        key, low_key, high_key = (f"group.consumer.{bound}{what}" for bound in ("", "min.", "max."))
        value, low, high = (int(getattr(self, name.replace(".", "_"))) for name in (key, low_key, high_key))
        if not low <= value <= high:
            raise ConfigError(f"{key} ({value}) must lie between {low_key} ({low}) and {high_key} ({high})", key)


def _as_text(value: object, attribute: Attribute[object]) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        words = (item.name if isinstance(item, PartitionAssignor) else item for item in value)
        return str(attribute.metadata["separator"]).join(words)
    return "" if value is None else str(value)

"""A Python consumer for Apache Kafka's next-generation consumer group protocol (KIP-848).

``Consumer`` blocks, ``AsyncConsumer`` is for asyncio, and ``GroupAdmin`` describes and changes groups. All other names
are their arguments, results and errors. Consumers, administration, metrics and processing are imported on first use.
"""

from typing import TYPE_CHECKING

from kafka_nextgen import requirements as requirements  # imported first: its error names all missing packages

# isort: split
from kafka_nextgen import errors
from kafka_nextgen.compiled import ACCELERATED
from kafka_nextgen.errors import *  # noqa: F403  (all errors are public)
from kafka_nextgen.lazy_imports import lazy_dir, lazy_getattr
from kafka_nextgen.membership.classic.states import Status as ClassicStatus
from kafka_nextgen.types import (
    JoinReason,
    LeaveMode,
    OffsetAndMetadata,
    OffsetRange,
    RebalanceReason,
    Record,
    StandbyState,
    TimestampType,
    TopicDescription,
    TopicPartition,
)
from kafka_nextgen.version import VERSION

if TYPE_CHECKING:
    from kafka_nextgen.admin import (
        AclOperation,
        AddedMember,
        AnnouncedMember,
        AsyncGroupAdmin,
        ExpectedMember,
        GroupAdmin,
        GroupConfigEntry,
        GroupCoordinator,
        GroupDescription,
        GroupListing,
        GroupOffset,
        GroupState,
        GroupType,
        LeavingMember,
        ListedGroups,
        MemberDescription,
        NewMember,
        PatternCheck,
        PlannedOffset,
        RemovedMember,
        Results,
        ShiftBy,
        StreamsTasks,
    )
    from kafka_nextgen.aio import AsyncConsumer
    from kafka_nextgen.assignors.spec import PartitionAssignor
    from kafka_nextgen.config import ConsumerConfig, GroupProtocol
    from kafka_nextgen.config.settings import ConsumerSettings
    from kafka_nextgen.consumer import Consumer
    from kafka_nextgen.engine.application.rebalance_listener import (
        AsyncRebalanceConsumer,
        AsyncRebalanceListener,
        RebalanceConsumer,
        RebalanceListener,
    )
    from kafka_nextgen.engine.application.records import RecordBatch, Records
    from kafka_nextgen.engine.observability.health import Health
    from kafka_nextgen.engine.observability.hooks import Hooks
    from kafka_nextgen.engine.observability.rebalance import MemberName, Rebalance, RebalanceCause, RebalanceStep
    from kafka_nextgen.event_log import EventLog
    from kafka_nextgen.fetching import Truncation
    from kafka_nextgen.group_metadata import ConsumerGroupMetadata
    from kafka_nextgen.groups.partition_results import PartitionResults
    from kafka_nextgen.history.file_sink import FileSink
    from kafka_nextgen.membership.states import Phase, Status
    from kafka_nextgen.metrics.consumer_metrics import (
        CommitMetrics,
        ConnectionMetrics,
        GroupMetrics,
        Metrics,
        PartitionMetrics,
        PollingMetrics,
        ReadingMetrics,
        TopicMetrics,
    )
    from kafka_nextgen.metrics.timings import Latency
    from kafka_nextgen.processing import (
        AsyncDeadLetter,
        AsyncHandler,
        DeadLetter,
        Handler,
        Order,
        OutputRecord,
        Outputs,
        StopHandle,
    )
    from kafka_nextgen.properties.deserialization import DeserializationPolicy
    from kafka_nextgen.properties.deserializer_forms import DeserializationContext
    from kafka_nextgen.properties.offset_reset import ByDuration, OffsetReset
    from kafka_nextgen.properties.patterns import SubscriptionPattern
    from kafka_nextgen.properties.secret import Secret, SecretSource
    from kafka_nextgen.properties.security_config import EndpointIdentification, OauthMethod, SaslMechanism, StoreType
    from kafka_nextgen.properties.value_types import (
        IsolationLevel,
        RecoveryStrategy,
        SecurityProtocol,
        ServerAddress,
    )
    from kafka_nextgen.scanning import Scan, read_arrow, scan
    from kafka_nextgen.transport.offset_lookup import OffsetAndTimestamp

__all__ = [
    "AclOperation",
    "AddedMember",
    "AnnouncedMember",
    "AsyncConsumer",
    "AsyncDeadLetter",
    "AsyncGroupAdmin",
    "AsyncHandler",
    "AsyncRebalanceConsumer",
    "AsyncRebalanceListener",
    "ByDuration",
    "ClassicStatus",
    "CommitMetrics",
    "ConnectionMetrics",
    "Consumer",
    "ConsumerConfig",
    "ConsumerGroupMetadata",
    "ConsumerSettings",
    "DeadLetter",
    "DeserializationContext",
    "DeserializationPolicy",
    "EndpointIdentification",
    "EventLog",
    "ExpectedMember",
    "FileSink",
    "GroupAdmin",
    "GroupConfigEntry",
    "GroupCoordinator",
    "GroupDescription",
    "GroupListing",
    "GroupMetrics",
    "GroupOffset",
    "GroupProtocol",
    "GroupState",
    "GroupType",
    "Handler",
    "Health",
    "Hooks",
    "IsolationLevel",
    "JoinReason",
    "Latency",
    "LeaveMode",
    "LeavingMember",
    "ListedGroups",
    "MemberDescription",
    "MemberName",
    "Metrics",
    "NewMember",
    "OauthMethod",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "OffsetRange",
    "OffsetReset",
    "Order",
    "OutputRecord",
    "Outputs",
    "PartitionAssignor",
    "PartitionMetrics",
    "PartitionResults",
    "PatternCheck",
    "Phase",
    "PlannedOffset",
    "PollingMetrics",
    "ReadingMetrics",
    "Rebalance",
    "RebalanceCause",
    "RebalanceConsumer",
    "RebalanceListener",
    "RebalanceReason",
    "RebalanceStep",
    "Record",
    "RecordBatch",
    "Records",
    "RecoveryStrategy",
    "RemovedMember",
    "Results",
    "SaslMechanism",
    "Scan",
    "Secret",
    "SecretSource",
    "SecurityProtocol",
    "ServerAddress",
    "ShiftBy",
    "StandbyState",
    "Status",
    "StopHandle",
    "StoreType",
    "StreamsTasks",
    "SubscriptionPattern",
    "TimestampType",
    "TopicDescription",
    "TopicMetrics",
    "TopicPartition",
    "Truncation",
    "__version__",
    "accelerated",
    "read_arrow",
    "scan",
]
__all__ += errors.__all__

#: The version of this package.
__version__: str = VERSION

#: Whether the C extension decodes records. Pure Python decodes them if no compiler was available at installation time,
#: or with ``KAFKA_NEXTGEN_PURE=1`` in the environment.
accelerated: bool = ACCELERATED

_OF_ADMIN = (
    "AclOperation",
    "AddedMember",
    "AnnouncedMember",
    "AsyncGroupAdmin",
    "ExpectedMember",
    "GroupAdmin",
    "GroupConfigEntry",
    "GroupCoordinator",
    "GroupDescription",
    "GroupListing",
    "GroupOffset",
    "GroupState",
    "GroupType",
    "LeavingMember",
    "ListedGroups",
    "MemberDescription",
    "NewMember",
    "PatternCheck",
    "PlannedOffset",
    "RemovedMember",
    "Results",
    "ShiftBy",
    "StreamsTasks",
)
_OF_METRICS = (
    "CommitMetrics",
    "ConnectionMetrics",
    "GroupMetrics",
    "Metrics",
    "PartitionMetrics",
    "PollingMetrics",
    "ReadingMetrics",
    "TopicMetrics",
)
_OF_PROCESSING = (
    "AsyncDeadLetter",
    "AsyncHandler",
    "DeadLetter",
    "Handler",
    "Order",
    "OutputRecord",
    "Outputs",
    "StopHandle",
)
_APPLICATION = "kafka_nextgen.engine.application"
_OBSERVABILITY = "kafka_nextgen.engine.observability"
_LATER = {
    "AsyncConsumer": "kafka_nextgen.aio",
    "AsyncRebalanceConsumer": f"{_APPLICATION}.rebalance_listener",
    "AsyncRebalanceListener": f"{_APPLICATION}.rebalance_listener",
    "ByDuration": "kafka_nextgen.properties.offset_reset",
    "Consumer": "kafka_nextgen.consumer",
    "ConsumerConfig": "kafka_nextgen.config",
    "ConsumerGroupMetadata": "kafka_nextgen.group_metadata",
    "ConsumerSettings": "kafka_nextgen.config.settings",
    "DeserializationContext": "kafka_nextgen.properties.deserializer_forms",
    "DeserializationPolicy": "kafka_nextgen.properties.deserialization",
    "EndpointIdentification": "kafka_nextgen.properties.security_config",
    "EventLog": "kafka_nextgen.event_log",
    "FileSink": "kafka_nextgen.history.file_sink",
    "GroupProtocol": "kafka_nextgen.config",
    "Health": f"{_OBSERVABILITY}.health",
    "Hooks": f"{_OBSERVABILITY}.hooks",
    "IsolationLevel": "kafka_nextgen.properties.value_types",
    "Latency": "kafka_nextgen.metrics.timings",
    "MemberName": f"{_OBSERVABILITY}.rebalance",
    "OauthMethod": "kafka_nextgen.properties.security_config",
    "OffsetAndTimestamp": "kafka_nextgen.transport.offset_lookup",
    "OffsetReset": "kafka_nextgen.properties.offset_reset",
    "PartitionAssignor": "kafka_nextgen.assignors.spec",
    "PartitionResults": "kafka_nextgen.groups.partition_results",
    "Phase": "kafka_nextgen.membership.states",
    "Rebalance": f"{_OBSERVABILITY}.rebalance",
    "RebalanceCause": f"{_OBSERVABILITY}.rebalance",
    "RebalanceConsumer": f"{_APPLICATION}.rebalance_listener",
    "RebalanceListener": f"{_APPLICATION}.rebalance_listener",
    "RebalanceStep": f"{_OBSERVABILITY}.rebalance",
    "RecordBatch": f"{_APPLICATION}.records",
    "Records": f"{_APPLICATION}.records",
    "RecoveryStrategy": "kafka_nextgen.properties.value_types",
    "SaslMechanism": "kafka_nextgen.properties.security_config",
    "Secret": "kafka_nextgen.properties.secret",
    "SecretSource": "kafka_nextgen.properties.secret",
    "SecurityProtocol": "kafka_nextgen.properties.value_types",
    "ServerAddress": "kafka_nextgen.properties.value_types",
    "Status": "kafka_nextgen.membership.states",
    "StoreType": "kafka_nextgen.properties.security_config",
    "SubscriptionPattern": "kafka_nextgen.properties.patterns",
    "Truncation": "kafka_nextgen.fetching",
    **dict.fromkeys(_OF_ADMIN, "kafka_nextgen.admin"),
    **dict.fromkeys(_OF_METRICS, "kafka_nextgen.metrics.consumer_metrics"),
    **dict.fromkeys(_OF_PROCESSING, "kafka_nextgen.processing"),
    **dict.fromkeys(("Scan", "read_arrow", "scan"), "kafka_nextgen.scanning"),
}

__getattr__ = lazy_getattr(__name__, _LATER)
__dir__ = lazy_dir(__name__)

"""Every API of this project with its version range, for clients and brokers: the only table of versions.

A broker may support less (see ``kafka_nextgen.testing.broker``); a client uses the highest version that both support
(KIP-35). Ranges begin with the lowest version of Kafka 4.0 (KIP-896) and end with the highest version that is stable in
Kafka 4.4 and has no field that we would have to ignore.

Keys from 10000 up are *extensions*: features that KIPs propose and Kafka never shipped. A broker that has them
advertises them only to clients that can use them, because some clients fail on unknown keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from attrs import evolve

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import UnsupportedProtocolError
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.wire import messages as m
from kafka_nextgen.wire.fetch_request import RawFetchRequest
from kafka_nextgen.wire.schema import Message

#: The lowest and the highest version of an API that a broker supports.
VersionRange = tuple[int, int]

#: A request: a message of the schemas, or a Fetch, which has a faster writer.
Question = Message | RawFetchRequest

#: The answer to a request.
Answer = Message


class MissingExtensionError(UnsupportedProtocolError):
    """The broker lacks an API that Apache Kafka never shipped, like nearly all brokers."""


@frozen
class Api:
    """An API: its key and name in Kafka, which its two messages share, and the versions that we support."""

    key: int
    name: str
    min_version: int
    max_version: int

    @property
    def request(self) -> type[Message]:
        """The class of requests."""
        return cast("type[Message]", getattr(m, f"{self.name}Request"))

    @property
    def response(self) -> type[Message]:
        """The class of responses."""
        return cast("type[Message]", getattr(m, f"{self.name}Response"))

    def speaks(self, version: int) -> bool:
        """Whether we support ``version``."""
        return self.min_version <= version <= self.max_version

    def up_to(self, version: int) -> Api:
        """The same API with no version above ``version``."""
        return evolve(self, max_version=min(self.max_version, version))

    def at_least(self, version: int) -> Api:
        """The same API with no version below ``version``."""
        return evolve(self, min_version=max(self.min_version, version))

    def __str__(self) -> str:
        return self.name


# fmt: off
PRODUCE = Api(0, "Produce", 3, 13)
FETCH = Api(1, "Fetch", 4, 17)
LIST_OFFSETS = Api(2, "ListOffsets", 1, 11)
METADATA = Api(3, "Metadata", 0, 13)
OFFSET_COMMIT = Api(8, "OffsetCommit", 2, 10)
OFFSET_FETCH = Api(9, "OffsetFetch", 1, 10)
FIND_COORDINATOR = Api(10, "FindCoordinator", 0, 6)
JOIN_GROUP = Api(11, "JoinGroup", 0, 9)
HEARTBEAT = Api(12, "Heartbeat", 0, 4)
LEAVE_GROUP = Api(13, "LeaveGroup", 0, 5)
SYNC_GROUP = Api(14, "SyncGroup", 0, 5)
DESCRIBE_GROUPS = Api(15, "DescribeGroups", 0, 6)
LIST_GROUPS = Api(16, "ListGroups", 0, 5)
SASL_HANDSHAKE = Api(17, "SaslHandshake", 0, 1)
API_VERSIONS = Api(18, "ApiVersions", 0, 5)
CREATE_TOPICS = Api(19, "CreateTopics", 2, 7)
DELETE_TOPICS = Api(20, "DeleteTopics", 1, 6)
DELETE_RECORDS = Api(21, "DeleteRecords", 0, 2)
INIT_PRODUCER_ID = Api(22, "InitProducerId", 0, 5)
OFFSET_FOR_LEADER_EPOCH = Api(23, "OffsetForLeaderEpoch", 2, 4)
ADD_PARTITIONS_TO_TXN = Api(24, "AddPartitionsToTxn", 0, 5)
ADD_OFFSETS_TO_TXN = Api(25, "AddOffsetsToTxn", 0, 4)
END_TXN = Api(26, "EndTxn", 0, 5)
WRITE_TXN_MARKERS = Api(27, "WriteTxnMarkers", 1, 2)
TXN_OFFSET_COMMIT = Api(28, "TxnOffsetCommit", 0, 6)
DESCRIBE_ACLS = Api(29, "DescribeAcls", 1, 3)
CREATE_ACLS = Api(30, "CreateAcls", 1, 3)
DELETE_ACLS = Api(31, "DeleteAcls", 1, 3)
DESCRIBE_CONFIGS = Api(32, "DescribeConfigs", 1, 4)
DESCRIBE_LOG_DIRS = Api(35, "DescribeLogDirs", 1, 4)
ALTER_CONFIGS = Api(33, "AlterConfigs", 0, 2)
SASL_AUTHENTICATE = Api(36, "SaslAuthenticate", 0, 2)
CREATE_PARTITIONS = Api(37, "CreatePartitions", 0, 3)
DELETE_GROUPS = Api(42, "DeleteGroups", 0, 3)
INCREMENTAL_ALTER_CONFIGS = Api(44, "IncrementalAlterConfigs", 0, 1)
OFFSET_DELETE = Api(47, "OffsetDelete", 0, 0)
DESCRIBE_CLIENT_QUOTAS = Api(48, "DescribeClientQuotas", 0, 1)
ALTER_CLIENT_QUOTAS = Api(49, "AlterClientQuotas", 0, 1)
DESCRIBE_USER_SCRAM_CREDENTIALS = Api(50, "DescribeUserScramCredentials", 0, 0)
ALTER_USER_SCRAM_CREDENTIALS = Api(51, "AlterUserScramCredentials", 0, 0)
UPDATE_FEATURES = Api(57, "UpdateFeatures", 0, 2)
DESCRIBE_CLUSTER = Api(60, "DescribeCluster", 0, 2)
DESCRIBE_PRODUCERS = Api(61, "DescribeProducers", 0, 0)
DESCRIBE_TRANSACTIONS = Api(65, "DescribeTransactions", 0, 0)
LIST_TRANSACTIONS = Api(66, "ListTransactions", 0, 2)
CONSUMER_GROUP_HEARTBEAT = Api(68, "ConsumerGroupHeartbeat", 0, 1)
CONSUMER_GROUP_DESCRIBE = Api(69, "ConsumerGroupDescribe", 0, 1)
DESCRIBE_TOPIC_PARTITIONS = Api(75, "DescribeTopicPartitions", 0, 0)
LIST_CONFIG_RESOURCES = Api(74, "ListConfigResources", 0, 1)
SHARE_GROUP_DESCRIBE = Api(77, "ShareGroupDescribe", 1, 1)
STREAMS_GROUP_DESCRIBE = Api(89, "StreamsGroupDescribe", 0, 0)
DESCRIBE_SHARE_GROUP_OFFSETS = Api(90, "DescribeShareGroupOffsets", 0, 1)
CONSUMER_GROUP_PREPARE_ASSIGNMENT = Api(10000, "ConsumerGroupPrepareAssignment", 0, 0)
CONSUMER_GROUP_INSTALL_ASSIGNMENT = Api(10001, "ConsumerGroupInstallAssignment", 0, 0)
CONSUMER_GROUP_ADD_MEMBERS = Api(10002, "ConsumerGroupAddMembers", 0, 0)
CONSUMER_GROUP_HISTORY = Api(10003, "ConsumerGroupHistory", 0, 0)
CONSUMER_GROUP_ANNOUNCE_LEAVING = Api(10004, "ConsumerGroupAnnounceLeaving", 0, 0)
# fmt: on

#: All APIs, by Kafka's key.
APIS: Mapping[int, Api] = {api.key: api for api in tuple(globals().values()) if isinstance(api, Api)}

#: The APIs that Apache Kafka never shipped, by keys that it does not use.
EXTENSIONS: Mapping[int, Api] = {key: api for key, api in APIS.items() if key >= CONSUMER_GROUP_PREPARE_ASSIGNMENT.key}


def negotiate(api: Api, ranges: Mapping[int, VersionRange], at_most: int | None = None) -> int:
    """Choose the highest version of ``api`` that we and the broker both support (KIP-35).

    ``ranges`` is the broker's answer to ApiVersions, by API key; ``at_most`` limits our side if a later version can't
    express the request. Raises ``UnsupportedProtocolError`` if no version can.
    """
    theirs = ranges.get(api.key)
    ours = (api.min_version, api.max_version if at_most is None else min(at_most, api.max_version))
    if theirs is None:
        kind = MissingExtensionError if api.key in EXTENSIONS else UnsupportedProtocolError
        raise kind(_missing(api), code=ErrorCode.UNSUPPORTED_VERSION)
    version = min(theirs[1], ours[1])
    if version < max(theirs[0], ours[0]):
        raise UnsupportedProtocolError(
            f"the broker supports {api.name} {theirs[0]} to {theirs[1]}, this client {ours[0]} to {ours[1]}: "
            "upgrade the older of the two",
            code=ErrorCode.UNSUPPORTED_VERSION,
        )
    return version


#: Advice for brokers that lack an extension.
_INSTEAD: Mapping[int, str] = {
    CONSUMER_GROUP_ADD_MEMBERS.key: "have the members join within consumer.assignment.interval.ms of each other (Kafka "
    "4.3, KIP-1263), or within group.initial.rebalance.delay.ms of a classic group that is empty",
    CONSUMER_GROUP_ANNOUNCE_LEAVING.key: "stop the members, and remove them with one request (remove_members, "
    "KIP-345), or have them leave within consumer.assignment.interval.ms of each other (Kafka 4.3, KIP-1263)",
}


def _missing(api: Api) -> str:
    if api in (CONSUMER_GROUP_HEARTBEAT, CONSUMER_GROUP_DESCRIBE):
        return (
            f"the broker has no {api.name}, so it lacks the consumer group protocol (KIP-848), which needs "
            "Apache Kafka 4.0 or later and its feature group.version=1; for this broker set group.protocol=classic"
        )
    if api.key in EXTENSIONS:
        instead = _INSTEAD.get(api.key)
        return (
            f"the broker has no {api.name}, which no release of Apache Kafka has: it requires kafka_nextgen's own "
            f"coordinator with its extensions{f'; otherwise, {instead}' if instead else ''}"
        )
    return f"the broker has no {api.name} API"

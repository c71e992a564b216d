"""The messages of all APIs, by name.

Creating classes takes time, so a module of ``kafka_nextgen.wire.schemas`` is loaded when one of its messages is first
requested. A consumer never loads what only administration, producers, logins and the broker need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kafka_nextgen.wire.schemas.access import *  # noqa: F403
    from kafka_nextgen.wire.schemas.classic_group import *  # noqa: F403
    from kafka_nextgen.wire.schemas.configs import *  # noqa: F403
    from kafka_nextgen.wire.schemas.consumer_group import *  # noqa: F403
    from kafka_nextgen.wire.schemas.extensions import *  # noqa: F403
    from kafka_nextgen.wire.schemas.fetch import *  # noqa: F403
    from kafka_nextgen.wire.schemas.groups import *  # noqa: F403
    from kafka_nextgen.wire.schemas.metadata import *  # noqa: F403
    from kafka_nextgen.wire.schemas.offsets import *  # noqa: F403
    from kafka_nextgen.wire.schemas.other_groups import *  # noqa: F403
    from kafka_nextgen.wire.schemas.produce import *  # noqa: F403
    from kafka_nextgen.wire.schemas.sasl import *  # noqa: F403
    from kafka_nextgen.wire.schemas.topics import *  # noqa: F403
    from kafka_nextgen.wire.schemas.transactions import *  # noqa: F403

#: The APIs in each module of schemas.
_APIS = {
    "access": "DescribeAcls CreateAcls DeleteAcls DescribeUserScramCredentials AlterUserScramCredentials "
    "DescribeClientQuotas AlterClientQuotas",
    "classic_group": "JoinGroup SyncGroup Heartbeat LeaveGroup",
    "configs": "DescribeConfigs AlterConfigs IncrementalAlterConfigs ListConfigResources UpdateFeatures",
    "consumer_group": "ConsumerGroupHeartbeat",
    "extensions": "ConsumerGroupPrepareAssignment ConsumerGroupInstallAssignment ConsumerGroupAddMembers "
    "ConsumerGroupHistory ConsumerGroupAnnounceLeaving",
    "fetch": "Fetch ListOffsets OffsetForLeaderEpoch",
    "groups": "ListGroups DescribeGroups ConsumerGroupDescribe DeleteGroups",
    "metadata": "ApiVersions Metadata FindCoordinator DescribeCluster",
    "offsets": "OffsetCommit OffsetFetch OffsetDelete",
    "other_groups": "ShareGroupDescribe StreamsGroupDescribe DescribeShareGroupOffsets",
    "produce": "Produce InitProducerId DescribeProducers",
    "sasl": "SaslHandshake SaslAuthenticate",
    "topics": "CreateTopics DeleteTopics CreatePartitions DeleteRecords DescribeTopicPartitions DescribeLogDirs",
    "transactions": "AddPartitionsToTxn AddOffsetsToTxn EndTxn TxnOffsetCommit WriteTxnMarkers DescribeTransactions "
    "ListTransactions",
}
_MODULES = {api: module for module, apis in _APIS.items() for api in apis.split()}


def __getattr__(name: str) -> object:
    module = _MODULES.get(name.removesuffix("Request").removesuffix("Response"))
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    message: object = getattr(import_module(f"kafka_nextgen.wire.schemas.{module}"), name)
    globals()[name] = message
    return message

"""The messages of APIs that Apache Kafka never shipped, made from ``kafka_nextgen.wire.schemas.extensions``.

Their keys begin at 10000, as do the tags of fields that are added to Kafka's own messages. Clients that don't know them
never see any: a broker tells of these APIs to clients that can use them only.
"""

from __future__ import annotations

from kafka_nextgen.wire.messages import ApiMessage

__all__ = [
    "ConsumerGroupAddMembersRequest",
    "ConsumerGroupAddMembersResponse",
    "ConsumerGroupHistoryRequest",
    "ConsumerGroupHistoryResponse",
    "ConsumerGroupInstallAssignmentRequest",
    "ConsumerGroupInstallAssignmentResponse",
    "ConsumerGroupPrepareAssignmentRequest",
    "ConsumerGroupPrepareAssignmentResponse",
]

_SCHEMAS = "kafka_nextgen.wire.schemas.extensions"


class ConsumerGroupPrepareAssignmentRequest(ApiMessage, load_json=_SCHEMAS):
    """KIP-848, "ConsumerGroupPrepareAssignment API": what is there to assign?"""


class ConsumerGroupPrepareAssignmentResponse(ApiMessage, load_json=_SCHEMAS):
    """KIP-848, "ConsumerGroupPrepareAssignment API": the group as its assignor is to see it, and the racks of
    partitions, which the KIP leaves out.
    """


class ConsumerGroupInstallAssignmentRequest(ApiMessage, load_json=_SCHEMAS):
    """KIP-848, "ConsumerGroupInstallAssignment API": what was computed. The version of metadata has 16 bits as in all
    other messages that carry it, where the KIP writes 32.
    """


class ConsumerGroupInstallAssignmentResponse(ApiMessage, load_json=_SCHEMAS):
    """KIP-848, "ConsumerGroupInstallAssignment API": whether that is the group's target now."""


class ConsumerGroupAddMembersRequest(ApiMessage, load_json=_SCHEMAS):
    """KIP-345, "Future Works", and the draft of batched joins: the static members to expect."""


class ConsumerGroupAddMembersResponse(ApiMessage, load_json=_SCHEMAS):
    """What became of each of them."""


class ConsumerGroupHistoryRequest(ApiMessage, load_json=_SCHEMAS):
    """The draft "JoinReason", beside KIP-345: what did a group rebalance for?"""


class ConsumerGroupHistoryResponse(ApiMessage, load_json=_SCHEMAS):
    """The rebalances that are remembered of the group, each with its cause and its times."""

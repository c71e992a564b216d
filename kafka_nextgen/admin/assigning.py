"""The input of an assignor for a live group: the described group, and its topics.

The two are requested in sequence, so a topic created or deleted in between may be in only one of them. Missing topics
are ignored, as in a coordinator. A topic that can't be described is an error, since without it the assignment would
differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.admin.describing import describe_group
from kafka_nextgen.admin.requests import AdminCall, broker_error
from kafka_nextgen.admin.values import GroupDescription, GroupState
from kafka_nextgen.assignors import AssignmentSpec, TopicMetadata, spec_of
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError, MisuseError
from kafka_nextgen.groups.consumer_protocol import PROTOCOL_TYPE
from kafka_nextgen.transport.topic_lookup import id_of, topic_metadata

if TYPE_CHECKING:
    from kafka_nextgen.requests.cluster_image import ClusterImage
    from kafka_nextgen.types import TopicId

__all__ = ["assignment_spec"]

#: States of classic groups only.
_REBALANCING = frozenset({GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE})
_REBALANCE = ErrorCode.REBALANCE_IN_PROGRESS

_ABSENT = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_TOPIC_EXCEPTION})


async def assignment_spec(call: AdminCall, group_id: str, assignor: str | None) -> AssignmentSpec:
    """Return a group of either protocol for the assignor with this name, by default the current one.

    Raises GroupNotFoundError, MisuseError if the members are not consumers, and the errors of ``AdminCall.send``.
    """
    group = await _describe_at_rest(call, group_id)
    names = {name for member in group.members for name in member.subscribed_topics}
    if any(member.subscribed_pattern for member in group.members):
        image = await call.cluster.all_topics(call.deadline.left_s())
    else:
        await call.cluster.refresh_metadata(topics=names, timeout_s=call.deadline.left_s())
        image = call.cluster.metadata
    return spec_of(group, _topics_in(image, names, group_id), group.assignor if assignor is None else assignor)


async def _describe_at_rest(call: AdminCall, group_id: str) -> GroupDescription:
    """Describe the group; wait while a classic one rebalances, since its subscriptions and assignments are unknown."""
    tries = 0
    while True:
        group = await describe_group(call, group_id)
        if group.protocol_type not in ("", PROTOCOL_TYPE):
            kind = repr(group.protocol_type)
            raise MisuseError(
                f"group {group_id}: its members are of type {kind}, not consumers, and use different assignors"
            )
        if group.state not in _REBALANCING:
            return group
        tries += 1
        text = f"group {group_id}: it is rebalancing ({group.state.value}), so its members can't be read"
        failure = BrokerError(text, code=_REBALANCE, retriable=True)
        await call.deadline.pause(call.cluster.retry_backoff_s(tries), failure)


def _topics_in(image: ClusterImage, names: set[str], group_id: str) -> dict[TopicId, TopicMetadata]:
    """Return all topics; raise errors only for topics that members subscribe to by name."""
    found = {}
    for topic in image.topics_by_name.values():
        if topic.error == ErrorCode.NONE:
            found[id_of(image, topic.name)] = topic_metadata(image, topic)
        elif topic.name in names and topic.error not in _ABSENT:
            raise broker_error(f"group {group_id}: describing topic {topic.name}", topic.error, None, group_id)
    return found

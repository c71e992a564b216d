"""A live group as an assignor would see it: what describes the group, and its topics as the cluster knows them.

The two are asked for one after the other, so a topic that is made or deleted in between may be in one and not in the
other. Topics that are not there are nobody's, as for a coordinator. One that may not be described, or can't be just
now, is an error, since without it the assignment would be another.
"""

from __future__ import annotations

from kafka_nextgen.admin.asking import Asking, refused
from kafka_nextgen.admin.describing import describe_group
from kafka_nextgen.admin.values import GroupDescription, GroupState
from kafka_nextgen.assignors import AssignmentSpec, TopicMetadata, spec_of
from kafka_nextgen.bridge.cluster_image import ClusterImage
from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.embedded import PROTOCOL_TYPE
from kafka_nextgen.engine.member.topic_lookup import id_of, topic_metadata
from kafka_nextgen.errors import BrokerError, MisuseError
from kafka_nextgen.transport.deadline import Deadline
from kafka_nextgen.types import TopicId

__all__ = ["assignment_spec"]

#: States of classic groups only.
_REBALANCING = frozenset({GroupState.PREPARING_REBALANCE, GroupState.COMPLETING_REBALANCE})
_REBALANCE = ErrorCode.REBALANCE_IN_PROGRESS

_ABSENT = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_TOPIC_EXCEPTION})


async def assignment_spec(asking: Asking, group_id: str, assignor: str | None, deadline: Deadline) -> AssignmentSpec:
    """The group, whichever protocol it is of, for the assignor of this name, or for the one in use.

    Raises GroupNotFoundError, MisuseError for a group of others than consumers, and what ``Asking.ask`` does.
    """
    group = await _describe_at_rest(asking, group_id, deadline)
    names = {name for member in group.members for name in member.subscribed_topics}
    if any(member.subscribed_pattern for member in group.members):
        image = await asking.cluster.all_topics(deadline.left_s())
    else:
        await asking.cluster.refresh_metadata(topics=names, timeout_s=deadline.left_s())
        image = asking.cluster.metadata
    return spec_of(group, _topics_in(image, names, group_id), group.assignor if assignor is None else assignor)


async def _describe_at_rest(asking: Asking, group_id: str, deadline: Deadline) -> GroupDescription:
    """While a classic group rebalances nobody can tell what its members subscribe to and have; that passes."""
    tries = 0
    while True:
        group = await describe_group(asking, group_id, deadline)
        if group.protocol_type not in ("", PROTOCOL_TYPE):
            kind = repr(group.protocol_type)
            raise MisuseError(
                f"group {group_id}: its members are no consumers, but of type {kind}, with other assignors"
            )
        if group.state not in _REBALANCING:
            return group
        tries += 1
        text = f"group {group_id}: it rebalances ({group.state.value}), and its members can't be read meanwhile"
        await deadline.pause(asking.cluster.retry_pause_s(tries), BrokerError(text, code=_REBALANCE, retriable=True))


def _topics_in(image: ClusterImage, names: set[str], group_id: str) -> dict[TopicId, TopicMetadata]:
    """All topics there are; errors count only for those that somebody asked for by name."""
    found = {}
    for topic in image.topics_by_name.values():
        if topic.error == ErrorCode.NONE:
            found[id_of(image, topic.name)] = topic_metadata(image, topic)
        elif topic.name in names and topic.error not in _ABSENT:
            raise refused(f"group {group_id}: describing topic {topic.name}", topic.error, None, group_id)
    return found

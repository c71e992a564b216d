"""Determines which topic a partition belongs to: the name of a topic does not identify it.

A topic that is deleted and created again under its old name is another topic (KIP-516; KIP-848, "Topic ID and Topic
Recreation"). Offsets of the old topic mean nothing in the new one, so no position, buffer or commit may be carried
over.

- A coordinator that assigns by topic id identifies the topic, and revokes the partition itself when the topic is
  deleted. Until then the partition is *gone*: no requests are sent for it, and its offsets are not committed.
- If partitions are assigned by name, the topic is the one first seen under that name. If another topic replaces it, the
  partitions start over as ``auto.offset.reset`` specifies. An offset committed under that name belongs to the old
  topic, even if it was committed after the new one was created; used as a position, it would skip the new topic's first
  records. For the same reason, a commit beyond such a partition's position is not sent (``of_old_topics``).
- If a partition is read up to an end (``bounds``), no other topic can replace its topic, which a range may identify by
  id. If the topic is missing or was replaced, the application gets an error after a few lookups.
"""

from __future__ import annotations

from typing import NamedTuple

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import UnknownTopicError
from kafka_nextgen.fetching.context import FetchContext
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.properties.offset_reset import OffsetReset
from kafka_nextgen.requests.cluster_image import LOOKS, ClusterImage
from kafka_nextgen.types import TopicPartition

__all__ = ["TopicChanges", "find_topics", "is_of_old_topic"]

_NO_SUCH_TOPIC = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


class TopicChanges(NamedTuple):
    """The partitions whose topic was replaced, which start over, those whose topic is gone, and all assigned ones.

    A partition that starts over is not gone.
    """

    replaced: tuple[TopicPartition, ...]
    gone: frozenset[TopicPartition]
    assigned: frozenset[TopicPartition]


def find_topics(context: FetchContext, image: ClusterImage) -> TopicChanges:
    """Find topics that were deleted or replaced."""
    assigned, reset = context.assigned, context.settings.reset
    context.end_steady_state()
    others = [state for state in assigned.states if _find_topic(state, image)]
    context.searched = None if others else image
    for state in assigned.states:
        if state.bound is not None:
            _tell_if_missing(state, image, context.buffers.has(state.partition))
    for state in others:
        anew = assigned.begin_anew(state, image.id_of(state.partition.topic))
        if reset is not OffsetReset.NONE:
            anew.await_reset(reset)
    gone = frozenset([state.partition for state in assigned.states if state.gone])
    return TopicChanges(tuple(sorted(state.partition for state in others)), gone, assigned.partitions)


def _find_topic(state: PartitionState, image: ClusterImage) -> bool:
    """Check whether the partition's topic still exists; True if it was replaced and must start over."""
    topic = image.topics_by_name.get(state.partition.topic)
    if topic is None:
        return False  # the metadata was not requested yet
    if state.topic_id is None:
        state.topic_id = topic.topic_id
    is_another = topic.topic_id is not None and topic.topic_id != state.topic_id
    was_there = state.topic_id is not None
    state.gone = is_another or (was_there and topic.error in _NO_SUCH_TOPIC)
    return is_another and not state.assigned_by_id and not state.stopped and state.bound is None


def _tell_if_missing(state: PartitionState, image: ClusterImage, behind_buffered: bool) -> None:
    """Give the application an error for a missing partition, if the partition has an end and nothing is buffered."""
    why = image.why_missing(state.partition) or ("its topic was deleted and created again" if state.gone else None)
    if why is None:
        state.sought = 0
    elif state.sought >= LOOKS and not (state.is_fetched or behind_buffered):
        state.sought = 0
        state.error = UnknownTopicError(
            f"{state.partition} can't be read at offset {state.next_fetch_offset}: {why}.",
            code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            partition=state.partition,
        )


def is_of_old_topic(state: PartitionState, offset: int) -> bool:
    """Whether an offset to be committed belongs to the previous topic with this name."""
    return state.replaced and (state.position is None or offset > state.position.offset)

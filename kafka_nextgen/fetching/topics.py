"""Which topic a partition belongs to: its name does not tell (KIP-516; KIP-848, "Topic ID and Topic Recreation").

A topic that is deleted and created again under its old name is another topic. An offset in the one means nothing in the
other, so no position, buffer or commit may pass from one to the other.

Who notices depends on who said which topic is meant. A coordinator that assigns by topic id says it, and takes
the partition away itself when the topic is gone; until then the partition is *gone*: nothing is asked about it, and
nothing of it is committed. Where partitions are assigned by name, the topic is the one that was first seen under that
name; if there is another one later, its partitions start over.

- They start where ``auto.offset.reset`` says. An offset that is committed under that name was committed for the old
  topic, perhaps after the new one was created: taken for a position, it would skip the new one's first records.
- A commit beyond the position of such a partition is for the old topic, and is not sent (``of_old_topics``).

Where a partition is read up to an end (``bounds``), nothing can take the place of its topic, which a range may name by
its id. If that is missing, or another one is there, the application is told, once it was looked up a few times.
"""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import UnknownTopicError
from kafka_nextgen.fetching.positions import PartitionState
from kafka_nextgen.requests.cluster_image import LOOKS, ClusterImage, TopicInfo

__all__ = ["find_topic", "is_of_old_topic", "tell_if_missing"]

_NO_SUCH_TOPIC = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


def find_topic(state: PartitionState, image: ClusterImage) -> bool:
    """Check whether the partition's topic still exists; True if the partition must start over, in another one."""
    topic = image.topics_by_name.get(state.partition.topic)
    if topic is None:
        return False  # not asked for yet
    if state.topic_id is None:
        state.topic_id = topic.topic_id
    is_another = _is_another(state, topic)
    was_there = state.topic_id is not None
    state.gone = is_another or (was_there and topic.error in _NO_SUCH_TOPIC)
    return is_another and not state.assigned_by_id and not state.stopped and state.bound is None


def tell_if_missing(state: PartitionState, image: ClusterImage, behind_buffered: bool) -> None:
    """Tell the application that there is no such partition (any more), if it has an end and nothing is buffered."""
    why = image.why_missing(state.partition) or ("its topic was deleted and made again" if state.gone else None)
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
    """Whether an offset that is to be committed is one of the topic that this partition's topic took the place of."""
    return state.replaced and (state.position is None or offset > state.position.offset)


def _is_another(state: PartitionState, topic: TopicInfo) -> bool:
    return topic.topic_id is not None and topic.topic_id != state.topic_id

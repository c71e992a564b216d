"""The lag of a group behind the ends of a topic's partitions."""

from __future__ import annotations

from kafka_nextgen.codes import ErrorCode
from kafka_nextgen.errors import BrokerError
from kafka_nextgen.testing.kit.backend import Backend
from kafka_nextgen.types import TopicPartition, lag_of

__all__ = ["lags_of"]


def lags_of(backend: Backend, group_id: str, topic: str) -> dict[TopicPartition, int]:
    """Return the lag of a group in each partition. Raises BrokerError if the topic does not exist.

    Otherwise a misspelled topic would have a lag of 0, and many tests wait for a lag of 0.
    """
    committed = backend.committed(group_id)  # before the ends, so that no new record is missed
    logs = {TopicPartition(topic, number): log for number, log in backend.ranges(topic).items()}
    if not logs:
        text = f"there is no topic {topic} in which group {group_id} could have a lag"
        raise BrokerError(text, code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, retriable=True, group=group_id)
    return {tp: lag_of(committed.get(tp, 0), log.start, log.end) for tp, log in logs.items()}

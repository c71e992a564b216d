"""Records written and read: Produce with odd batches, Fetch, ListOffsets, DeleteRecords, OffsetForLeaderEpoch."""

from __future__ import annotations

from typing import Any

from kafka_nextgen.wire import apis
from tests.support.odd_batches import NOW_MS, ODD_BATCHES
from tests.verification.differential.drawing.session import Session, by_name_and_id
from tests.verification.differential.steps import Step
from tests.verification.differential.symbols import OddBatch, PlainBatch, ProducerBatch, Symbol, Topic, TopicIdOf

_TIMEOUT_MS = 5_000
_HOUR_MS = 3_600_000


def produce(session: Session) -> list[Step]:
    """Write a batch, an odd one half of the time."""
    version = session.version(apis.PRODUCE)
    partition = {"index": session.one((0, 0, 0, 1, 7)), "records": _batch(session)}
    topic = {**by_name_and_id(session.topic()), "partition_data": [partition]}
    acks = session.one((-1, -1, 1, 5))
    fields = {"transactional_id": None, "acks": acks, "timeout_ms": _TIMEOUT_MS, "topic_data": [topic]}
    return [Step(apis.PRODUCE, version, fields)]


def _batch(session: Session) -> Symbol | bytes:
    if session.chance(0.5):
        return OddBatch(session.one(sorted(ODD_BATCHES)))
    if session.chance(0.2):
        return ProducerBatch(session.one((7, 8)), session.one((0, 0, 1)), session.one((0, 0, 1, 2, 5)))
    if session.chance(0.05):
        return session.one((b"", b"garbage", b"\0" * 70))
    age_ms = session.one((0, 0, _HOUR_MS, -2 * _HOUR_MS))
    return PlainBatch(session.one((1, 3, 10)), session.one((None, b"k")), age_ms)


def fetch(session: Session) -> list[Step]:
    """Read without a session, or with one that is not there."""
    version = session.version(apis.FETCH)
    partition: dict[str, Any] = {
        "partition": session.one((0, 0, 0, 1, 7)),
        "fetch_offset": session.one((0, 0, 1, 2, 5, 12, 1_000, -1)),
        "partition_max_bytes": session.one((1_000_000, 1_000_000, 100, 0)),
    }
    if version >= 9:
        partition["current_leader_epoch"] = session.one((-1, -1, 0, 5))
    if version >= 12:
        partition["last_fetched_epoch"] = session.one((-1, -1, 0, 5))
    name = session.topic()
    topic = {"topic": Topic(name), "topic_id": TopicIdOf(name), "partitions": [partition]}
    fields = {
        "max_wait_ms": 0,
        "min_bytes": session.one((0, 1)),
        "max_bytes": session.one((10_000_000, 10_000_000, 100)),
        "isolation_level": session.one((0, 1)),
        "topics": [topic],
        "forgotten_topics_data": [],
    }
    if version >= 7 and session.chance(0.05):
        fields |= {"session_id": 12_345, "session_epoch": 3}
    return [Step(apis.FETCH, version, fields)]


def list_offsets(session: Session) -> list[Step]:
    """Ask for offsets by time and by the names that stand for one."""
    version = session.version(apis.LIST_OFFSETS)
    times = (-1, -2, -3, -4, -5, 0, NOW_MS, NOW_MS + 2_000, NOW_MS - _HOUR_MS, NOW_MS + 10 * _HOUR_MS, -6, -7)
    partition: dict[str, Any] = {"partition_index": session.one((0, 0, 1, 7)), "timestamp": session.one(times)}
    if version >= 4:
        partition["current_leader_epoch"] = session.one((-1, -1, 0, 5))
    fields: dict[str, Any] = {"replica_id": -1, "topics": [{"name": Topic(session.topic()), "partitions": [partition]}]}
    if version >= 2:
        fields["isolation_level"] = session.one((0, 1))
    return [Step(apis.LIST_OFFSETS, version, fields)]


def delete_records(session: Session) -> list[Step]:
    partition = {"partition_index": session.one((0, 0, 1, 7)), "offset": session.one((0, 1, 3, -1, 1_000))}
    topic = {"name": Topic(session.topic()), "partitions": [partition]}
    return session.step(apis.DELETE_RECORDS, topics=[topic], timeout_ms=_TIMEOUT_MS)


def offset_for_leader_epoch(session: Session) -> list[Step]:
    partition = {
        "partition": session.one((0, 0, 1, 7)),
        "current_leader_epoch": session.one((-1, 0, 5)),
        "leader_epoch": session.one((0, 1, -1)),
    }
    topics = [{"topic": Topic(session.topic()), "partitions": [partition]}]
    return session.step(apis.OFFSET_FOR_LEADER_EPOCH, replica_id=-1, topics=topics)

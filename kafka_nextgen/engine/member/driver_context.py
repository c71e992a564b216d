"""The context of all member drivers: the other parts of the engine."""

from __future__ import annotations

from kafka_nextgen.config import ConsumerConfig
from kafka_nextgen.engine.mailbox import Mailbox
from kafka_nextgen.engine.member.identity import MemberIdentity
from kafka_nextgen.engine.observability.counters import GroupCounters
from kafka_nextgen.engine.offsets.group_offsets import GroupOffsets
from kafka_nextgen.engine.reading.fetcher import Fetcher
from kafka_nextgen.lazy_attrs import frozen
from kafka_nextgen.transport.cluster import ClusterClient
from kafka_nextgen.transport.io_thread import TaskSet

__all__ = ["DriverContext"]


@frozen
class DriverContext:
    """The parts of the engine that a driver uses."""

    config: ConsumerConfig
    cluster: ClusterClient
    identity: MemberIdentity
    offsets: GroupOffsets
    fetcher: Fetcher
    mailbox: Mailbox
    tasks: TaskSet
    counters: GroupCounters

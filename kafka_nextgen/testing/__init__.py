"""Test applications with ``Cluster``, a Kafka cluster in the test's own process, and a ``Clock`` that tests advance.

``RealCluster`` has the same methods for a real Kafka, and ``SchemaRegistry`` is a schema registry in that process.
``Cluster.fault`` creates a ``Fault`` for requests of an ``Api``.

The cluster is a broker (``broker/``) in front of a reference coordinator (``coordinator/``). Outside this package only
the commands import it, so an application that only consumes does not load it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafka_nextgen.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from kafka_nextgen.testing.cluster import Cluster
    from kafka_nextgen.testing.faults.apis import Api
    from kafka_nextgen.testing.faults.fault import Fault
    from kafka_nextgen.testing.kit.group import Group
    from kafka_nextgen.testing.kit.kafka_cluster import KafkaCluster
    from kafka_nextgen.testing.kit.producer_record import ProducerRecord
    from kafka_nextgen.testing.kit.real_cluster import RealCluster
    from kafka_nextgen.testing.kit.record_list import RecordList
    from kafka_nextgen.testing.kit.transaction import Transaction
    from kafka_nextgen.testing.registry import SchemaRegistry
    from kafka_nextgen.transport.turned_clock import Clock

__all__ = [
    "Api",
    "Clock",
    "Cluster",
    "Fault",
    "Group",
    "KafkaCluster",
    "ProducerRecord",
    "RealCluster",
    "RecordList",
    "SchemaRegistry",
    "Transaction",
]

__getattr__ = lazy_getattr(
    __name__,
    {
        "Cluster": "kafka_nextgen.testing.cluster",
        "Api": "kafka_nextgen.testing.faults.apis",
        "Fault": "kafka_nextgen.testing.faults.fault",
        "Clock": "kafka_nextgen.transport.turned_clock",
        "Group": "kafka_nextgen.testing.kit.group",
        "KafkaCluster": "kafka_nextgen.testing.kit.kafka_cluster",
        "ProducerRecord": "kafka_nextgen.testing.kit.producer_record",
        "RealCluster": "kafka_nextgen.testing.kit.real_cluster",
        "RecordList": "kafka_nextgen.testing.kit.record_list",
        "SchemaRegistry": "kafka_nextgen.testing.registry",
        "Transaction": "kafka_nextgen.testing.kit.transaction",
    },
)

"""The group coordinators on the nodes of a cluster.

As in Kafka there is one coordinator for each partition of the offsets topic. It runs on the node that leads the
partition, and has the groups whose ids hash to it. All its state is in that partition's log: a new coordinator reads
the log, and stores the records of each request there before it sends the response.
"""

from __future__ import annotations

from kafka_nextgen.testing.broker.coordination.coordination import Coordination
from kafka_nextgen.testing.broker.coordination.journal import OFFSETS_TOPIC

__all__ = ["OFFSETS_TOPIC", "Coordination"]

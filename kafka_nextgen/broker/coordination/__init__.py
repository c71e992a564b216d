"""Group coordination on the nodes of a cluster, with state in the offsets topic.

As in Kafka there is one coordinator for each partition of the offsets topic. It runs on the node that leads the
partition, and coordinates the groups whose ids hash to it. All its state is in that partition's log: it reads the log
when it starts, and appends the result of each request before it answers.
"""

from __future__ import annotations

from kafka_nextgen.broker.coordination.coordination import Coordination
from kafka_nextgen.broker.coordination.journal import OFFSETS_TOPIC

__all__ = ["OFFSETS_TOPIC", "Coordination"]

"""Groups on the nodes of a cluster: who coordinates which, and where what a coordinator knows is kept.

As in Kafka there is one coordinator for each partition of the offsets topic. It is on the node that leads the
partition, and has the groups whose ids hash to it. What it knows is in that partition's log and nowhere else: it begins
by reading it, and writes to it what each request comes to before the answer leaves.
"""

from __future__ import annotations

from kafka_nextgen.broker.coordination.coordination import Coordination
from kafka_nextgen.broker.coordination.journal import OFFSETS_TOPIC

__all__ = ["OFFSETS_TOPIC", "Coordination"]

"""What is measured: how many records a second to how many partitions, and who handles them.

A round is long enough for ten records beyond p99 in five rounds from 50 records a second on, and beyond p99.9 from 500
on; it is short enough for all rounds together to take less than 40 minutes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from benchmarks.delays.task import Delays
from benchmarks.latency import BASELINE
from benchmarks.latency import HANDLERS as OF_LATENCY

__all__ = ["BASELINE", "BY_PARTITIONS", "BY_RATE", "CASES", "HANDLERS", "JAVA", "Case", "Rounds", "records_of"]


@frozen
class Case:
    """So many records a second to so many partitions; a round counts for ``seconds``, after ``warm_up_s``."""

    records_per_s: int
    partitions: int
    seconds: float
    warm_up_s: float = 1.0


#: What each handler tells, round by round.
Rounds = Mapping[str, Sequence[Delays]]

USUAL = Case(5000, 6, 2.0)
BY_RATE = (Case(1, 6, 6.0), Case(50, 6, 4.4), Case(500, 6, 4.4), USUAL, Case(50_000, 6, 2.0))
BY_PARTITIONS = (
    Case(5000, 1, 2.0),
    USUAL,
    Case(5000, 100, 2.0),
    Case(5000, 1000, 2.0, warm_up_s=2.0),
    Case(5000, 5000, 2.0, warm_up_s=3.0),
)
CASES = tuple(dict.fromkeys([*BY_RATE, *BY_PARTITIONS]))

JAVA = "Java, poll()"

HANDLERS: Mapping[str, str] = {
    **{name: OF_LATENCY[name] for name in (BASELINE, "confluent-kafka, consume(5, 0.001)")},
    **{name: handler for name, handler in OF_LATENCY.items() if handler.startswith("ours.")},
    "kafka_nextgen, run": "ours.run",
    "aiokafka, async for": OF_LATENCY["aiokafka, async for"],
    JAVA: "java",
}


def records_of(each: Sequence[Delays]) -> int:
    """How many records a handler handled in all rounds together."""
    return sum(one.records for one in each)

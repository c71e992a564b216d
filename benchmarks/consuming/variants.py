"""What is measured: each client in each of its ways to read.

``tuned`` are the settings for reading much at once (``task.py`` and the readers say which), not tuned are those a
client has by default. A reader that would be at it for long reads as many records of the topic as it takes some
``AIM_S`` for, and what is there for completeness, a peer's defaults for instance, reads in one round only.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

__all__ = ["BASELINE", "KINDS", "VARIANTS", "Variant"]

#: What a variant ends in, in the order of the page.
KINDS = ("columns", "objects", "asyncio", "pure Python", "defaults", "no client")


#: About how long slow readers read, in seconds.
AIM_S = 3.0


@frozen
class Variant:
    """One way to read: of which kind, by which client, by which call.

    ``pace`` is how many million records it reads a second, more or less, on two cores; without it, it reads all of a
    topic. ``is_rare``: in one round only.
    """

    kind: str
    client: str
    call: str
    reader: str
    tuned: bool = True
    pace: float | None = None
    is_pure: bool = False
    is_rare: bool = False

    @property
    def name(self) -> str:
        return f"{self.client}, {self.call}"

    def records_of(self, records: int) -> int:
        """How many of so many it reads."""
        return records if self.pace is None else min(records, int(self.pace * 1e6 * AIM_S))


_OURS, _CONFLUENT, _AIOKAFKA, _KAFKA_PYTHON = "kafka_nextgen", "confluent-kafka", "aiokafka", "kafka-python"

#: What the others are compared with.
BASELINE = Variant("objects", _CONFLUENT, "consume(10000)", "confluent.consume", pace=1.2)

VARIANTS: Sequence[Variant] = (
    Variant("columns", _OURS, "batches(50000), to_arrow()", "ours.arrow"),
    Variant("objects", _OURS, "for record in consumer", "ours.iterate"),
    Variant("objects", _OURS, "for record in poll()", "ours.poll"),
    BASELINE,
    Variant("objects", _CONFLUENT, "poll()", "confluent.poll", pace=0.65),
    Variant("objects", _KAFKA_PYTHON, "poll()", "with_kafka_python.poll", pace=0.18),
    Variant("asyncio", _OURS, "async for record in consumer", "ours_async.iterate"),
    Variant("asyncio", _OURS, "for record in await poll()", "ours_async.poll"),
    Variant("asyncio", _CONFLUENT, "AIOConsumer.consume(10000)", "confluent_async.consume", pace=0.9),
    Variant("asyncio", _CONFLUENT, "AIOConsumer.poll()", "confluent_async.poll", pace=0.007, is_rare=True),
    Variant("asyncio", _AIOKAFKA, "getmany()", "with_aiokafka.getmany", pace=0.65),
    Variant("asyncio", _AIOKAFKA, "async for record in consumer", "with_aiokafka.iterate", pace=0.2),
    Variant("pure Python", _OURS, "batches(50000), to_arrow()", "ours.arrow", pace=0.45, is_pure=True),
    Variant("pure Python", _OURS, "for record in consumer", "ours.iterate", pace=0.35, is_pure=True, is_rare=True),
    Variant("pure Python", _OURS, "for record in poll()", "ours.poll", pace=0.35, is_pure=True),
    Variant("no client", "plain socket", "receive", "plain_socket.receive"),
    Variant("no client", "plain socket", "receive and decompress", "plain_socket.decompress"),
    Variant("defaults", _OURS, "batches(), to_arrow()", "ours.arrow", tuned=False),
    Variant("defaults", _OURS, "for record in consumer", "ours.iterate", tuned=False),
    Variant("defaults", _OURS, "async for record in consumer", "ours_async.iterate", False, is_rare=True),
    Variant("defaults", _CONFLUENT, "consume(10000)", "confluent.consume", False, pace=0.18, is_rare=True),
    Variant("defaults", _CONFLUENT, "poll()", "confluent.poll", False, pace=0.18, is_rare=True),
    Variant("defaults", _CONFLUENT, "AIOConsumer.consume(10000)", "confluent_async.consume", False, 0.18, is_rare=True),
    Variant("defaults", _AIOKAFKA, "getmany()", "with_aiokafka.getmany", False, pace=0.5, is_rare=True),
    Variant("defaults", _KAFKA_PYTHON, "poll()", "with_kafka_python.poll", False, pace=0.18, is_rare=True),
)

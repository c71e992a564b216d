"""What is measured: each client in each of its ways to read.

``tuned`` are the settings for reading much at once (``task.py`` and the readers say which), not tuned are those a
client has by default. A reader so slow that all records would take minutes reads a share of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

__all__ = ["BASELINE", "KINDS", "VARIANTS", "Variant"]

#: What a variant ends in, in the order of the page.
KINDS = ("columns", "objects", "asyncio", "pure Python", "defaults", "no client")


@frozen
class Variant:
    """One way to read: of which kind, by which client, by which call."""

    kind: str
    client: str
    call: str
    reader: str
    tuned: bool = True
    share: float = 1.0
    is_pure: bool = False

    @property
    def name(self) -> str:
        return f"{self.client}, {self.call}"


_OURS, _CONFLUENT, _AIOKAFKA, _KAFKA_PYTHON = "kafka_nextgen", "confluent-kafka", "aiokafka", "kafka-python"

#: What the others are compared with.
BASELINE = Variant("objects", _CONFLUENT, "consume(10000)", "confluent.consume")

VARIANTS: Sequence[Variant] = (
    Variant("columns", _OURS, "batches(50000), to_arrow()", "ours.arrow"),
    Variant("objects", _OURS, "for record in consumer", "ours.iterate"),
    Variant("objects", _OURS, "for record in poll()", "ours.poll"),
    BASELINE,
    Variant("objects", _CONFLUENT, "poll()", "confluent.poll"),
    Variant("objects", _KAFKA_PYTHON, "poll()", "with_kafka_python.poll", share=0.5),
    Variant("asyncio", _OURS, "async for record in consumer", "ours_async.iterate"),
    Variant("asyncio", _OURS, "for record in await poll()", "ours_async.poll"),
    Variant("asyncio", _CONFLUENT, "AIOConsumer.consume(10000)", "confluent_async.consume"),
    Variant("asyncio", _CONFLUENT, "AIOConsumer.poll()", "confluent_async.poll", share=0.02),
    Variant("asyncio", _AIOKAFKA, "getmany()", "with_aiokafka.getmany"),
    Variant("asyncio", _AIOKAFKA, "async for record in consumer", "with_aiokafka.iterate", share=0.5),
    Variant("pure Python", _OURS, "batches(50000), to_arrow()", "ours.arrow", share=0.5, is_pure=True),
    Variant("pure Python", _OURS, "for record in consumer", "ours.iterate", share=0.5, is_pure=True),
    Variant("pure Python", _OURS, "for record in poll()", "ours.poll", share=0.5, is_pure=True),
    Variant("no client", "plain socket", "receive", "plain_socket.receive"),
    Variant("no client", "plain socket", "receive and decompress", "plain_socket.decompress"),
    Variant("defaults", _OURS, "batches(), to_arrow()", "ours.arrow", tuned=False),
    Variant("defaults", _OURS, "for record in consumer", "ours.iterate", tuned=False),
    Variant("defaults", _OURS, "async for record in consumer", "ours_async.iterate", tuned=False),
    Variant("defaults", _CONFLUENT, "consume(10000)", "confluent.consume", tuned=False, share=0.5),
    Variant("defaults", _CONFLUENT, "poll()", "confluent.poll", tuned=False, share=0.5),
    Variant("defaults", _CONFLUENT, "AIOConsumer.consume(10000)", "confluent_async.consume", tuned=False, share=0.5),
    Variant("defaults", _AIOKAFKA, "getmany()", "with_aiokafka.getmany", tuned=False, share=0.5),
    Variant("defaults", _KAFKA_PYTHON, "poll()", "with_kafka_python.poll", tuned=False, share=0.5),
)

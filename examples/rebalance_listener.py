"""Commit what is done before partitions are given up, so that nobody does it again.

python examples/rebalance_listener.py --bootstrap-servers localhost:9092 --topic orders --group billing
"""

from __future__ import annotations

from collections.abc import Sequence

from arguments import parse_arguments

from kafka_nextgen import Consumer, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.types import format_partitions


class CommitFirst(RebalanceListener):
    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        print(f"assigned {format_partitions(partitions)}", flush=True)

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        consumer.commit()  # still ours: everything handed over so far was processed below
        print(f"revoked {format_partitions(partitions)}", flush=True)

    def on_partitions_lost(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        print(f"lost {format_partitions(partitions)}", flush=True)  # somebody else's already; too late to commit


arguments = parse_arguments(__doc__)

with Consumer(
    bootstrap_servers=arguments.bootstrap_servers,
    group_id=arguments.group,
    auto_offset_reset="earliest",
    enable_auto_commit=False,
) as consumer:
    consumer.subscribe([arguments.topic], listener=CommitFirst())
    done = 0
    while done < arguments.max_messages:
        for record in consumer.poll(timeout=1.0, max_records=arguments.max_messages - done):
            print(f"{record.topic}[{record.partition}] {record.offset}: {record.value!r}", flush=True)
            done += 1

"""Read everything that a topic has now, and stop: partitions are assigned by hand, no group is joined.

python examples/manual_assignment.py --bootstrap-servers localhost:9092 --topic orders
"""

from __future__ import annotations

from arguments import parse_arguments

from kafka_nextgen import Consumer, TopicPartition

arguments = parse_arguments(__doc__)

with Consumer(bootstrap_servers=arguments.bootstrap_servers, auto_offset_reset="earliest") as consumer:
    partitions = [TopicPartition(arguments.topic, number) for number in consumer.partitions_for(arguments.topic)]
    ends = consumer.end_offsets(partitions)  # what is written from now on is not read
    consumer.assign(partitions)
    done = 0
    while done < arguments.max_messages and any(consumer.position(tp) < end for tp, end in ends.items()):
        for record in consumer.poll(timeout=1.0, max_records=arguments.max_messages - done):
            print(f"{record.topic}[{record.partition}] {record.offset}: {record.value!r}", flush=True)
            done += 1

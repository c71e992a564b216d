"""Read a topic as a member of a group, one record at a time.

python examples/sync.py --bootstrap-servers localhost:9092 --topic orders --group billing
"""

from __future__ import annotations

from arguments import parse_arguments

from kafka_nextgen import Consumer

arguments = parse_arguments(__doc__)

with Consumer(
    bootstrap_servers=arguments.bootstrap_servers,
    group_id=arguments.group,
    auto_offset_reset="earliest",
    enable_auto_commit=False,
) as consumer:
    consumer.subscribe([arguments.topic])
    done = 0
    while done < arguments.max_messages:
        for record in consumer.poll(timeout=1.0, max_records=arguments.max_messages - done):
            print(f"{record.topic}[{record.partition}] {record.offset}: {record.value!r}", flush=True)
            done += 1
        consumer.commit()  # everything above was handled: the group goes on behind it

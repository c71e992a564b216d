"""A member with a name of its own keeps its partitions over a restart (KIP-345).

Stop it and start it again within the group's session timeout: no other member gets its partitions meanwhile.

python examples/static_member.py --bootstrap-servers localhost:9092 --topic orders --group billing --instance worker-1
"""

from __future__ import annotations

from arguments import parse_arguments

from kafka_nextgen import Consumer
from kafka_nextgen.types import format_partitions

arguments = parse_arguments(__doc__)

with Consumer(
    bootstrap_servers=arguments.bootstrap_servers,
    group_id=arguments.group,
    group_instance_id=arguments.instance,
    auto_offset_reset="earliest",
) as consumer:
    consumer.subscribe([arguments.topic])
    for done, record in enumerate(consumer, 1):
        print(f"{record.topic}[{record.partition}] {record.offset}: {record.value!r}", flush=True)
        if done >= arguments.max_messages:
            break
    print(f"{arguments.instance} keeps {format_partitions(consumer.assignment())}", flush=True)

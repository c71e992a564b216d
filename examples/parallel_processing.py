"""Work on several partitions at once; commit what is done; put aside what keeps failing.

Stop it with Ctrl-C or SIGTERM: what was begun is finished and committed first.

python examples/parallel_processing.py --bootstrap-servers localhost:9092 --topic orders --group billing
"""

from __future__ import annotations

import sys
from itertools import count

from arguments import parse_arguments

from kafka_nextgen import Consumer, Record, StopHandle

arguments = parse_arguments(__doc__)
stop = StopHandle()
numbers = count(1)


def handle(record: Record) -> None:
    """Run on one of eight threads; the records of a partition come one after the other."""
    sys.stdout.write(f"{record.topic}[{record.partition}] {record.offset}: {record.value!r}\n")
    if next(numbers) >= arguments.max_messages:
        stop.stop()


def put_aside(record: Record, error: Exception) -> None:
    """Take what failed three times: a real one would write it to another topic and wait for the answer."""
    sys.stderr.write(f"{record.topic}[{record.partition}] {record.offset} failed: {error!r}\n")


with Consumer(
    bootstrap_servers=arguments.bootstrap_servers,
    group_id=arguments.group,
    auto_offset_reset="earliest",
    enable_auto_commit=False,
) as consumer:
    consumer.run(handle, [arguments.topic], concurrency=8, dead_letter=put_aside, stop=stop)

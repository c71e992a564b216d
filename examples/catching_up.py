"""A group that is behind in some partitions: shared by number, one member has all the work; by weight, both have half.

A broker counts partitions. That all records to catch up on are in one topic, and no more come in the other, only the
members know. So they say how far they are behind, and the weighted assignor, which runs in one of them, goes by it
(KIP-848, client-side assignors).

python examples/catching_up.py
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack

from arguments import parse_arguments

from kafka_nextgen import Consumer, PartitionAssignor
from kafka_nextgen.assignors import UniformAssignor, WeightedAssignor
from kafka_nextgen.testing import Cluster

PARTITIONS, RECORDS = 4, 40_000
BROKER = {
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.heartbeat.interval.ms": 100,
    "group.consumer.assignment.interval.ms": 0,
}
PRODUCE = (sys.executable, "-c", "from kafka_nextgen.cli.main import main; main()", "produce")


def share(servers: str, topic: str, quiet: str, kind: type[PartitionAssignor], wanted: list[int]) -> None:
    """Let a member begin alone and another come to help; read until they have so many of the topic's partitions."""
    members: dict[Consumer, PartitionAssignor] = {}

    def read_until(shares: list[int]) -> None:
        while True:
            for member, assignor in members.items():
                member.poll(timeout=0.05)
                if isinstance(assignor, WeightedAssignor):
                    assignor.report(lag=member.lag())
            assignments = [member.assignment() for member in members]
            of_topic = [sum(partition.topic == topic for partition in assigned) for assigned in assignments]
            if sorted(of_topic) == shares and sum(map(len, assignments)) == 2 * PARTITIONS:
                return

    with ExitStack() as stack:
        for shares in ([PARTITIONS], wanted):
            assignor = kind()
            member = Consumer(
                bootstrap_servers=servers,
                group_id=f"by-{assignor.name}",
                auto_offset_reset="earliest",
                max_poll_records=1,  # these members are slow
                group_local_assignors=[assignor],
            )
            members[stack.enter_context(member)] = assignor
            member.subscribe([topic, quiet])
            read_until(shares)
    print(f"{kind.name}: of the partitions to catch up on, the members have", *wanted, flush=True)


def main() -> None:
    arguments = parse_arguments(__doc__)
    topic, quiet = arguments.topic, f"{arguments.topic}-archive"
    with Cluster(config=BROKER) as cluster:
        servers = cluster.bootstrap_servers
        for name in (topic, quiet):
            cluster.create_topic(name, partitions=PARTITIONS)
        records = "".join(f"{number}:order {number}\n" for number in range(RECORDS))
        command = [*PRODUCE, topic, "--bootstrap-servers", servers, "--key-separator", ":"]
        subprocess.run(command, input=records, text=True, check=True, stderr=subprocess.DEVNULL)
        share(servers, topic, quiet, UniformAssignor, [0, 4])
        share(servers, topic, quiet, WeightedAssignor, [2, 2])


if __name__ == "__main__":
    main()

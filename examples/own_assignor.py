"""An assignor of one's own in the members of a group: who says that it can do more gets more, while everything runs.

Four processes read one topic of an embedded broker, to which records are written all the time. Each member states its
capacity; one of them shares the partitions out by that (KIP-848, client-side assignors). When one can do more all of a
sudden, it says so with its next heartbeat, and the group is assigned anew. In the end each record was read once.

python examples/own_assignor.py --max-messages 20000
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from arguments import parse_arguments

from kafka_nextgen import Consumer, PartitionAssignor, TopicPartition
from kafka_nextgen.assignors import AssignmentSpec, AssignorMetadata, GroupAssignment, MemberAssignment, Metadata
from kafka_nextgen.testing import Cluster
from kafka_nextgen.types import TopicId

MEMBERS, PARTITIONS = 4, 12
BROKER = {
    "group.consumer.min.heartbeat.interval.ms": 100,
    "group.consumer.heartbeat.interval.ms": 100,
    "group.consumer.assignment.interval.ms": 0,
}
PRODUCE = (sys.executable, "-c", "from kafka_nextgen.cli.main import main; main()", "produce")


class ByCapacity(PartitionAssignor):
    """Partitions in proportion to what each member says it can do; whoever has one keeps it as far as that goes."""

    name = "by-capacity"

    def __init__(self, capacity: int = 1) -> None:
        self.capacity = capacity

    def metadata(self) -> AssignorMetadata:
        return AssignorMetadata(metadata=Metadata(payload=str(self.capacity).encode()))

    def assign(self, group: AssignmentSpec) -> GroupAssignment:
        capacities = {member_id: int(member.metadata.payload) for member_id, member in group.members.items()}
        partitions = [
            (topic_id, number) for topic_id, topic in group.topics.items() for number in range(topic.num_partitions)
        ]
        room = dict.fromkeys(sorted(capacities), 0)
        for _ in partitions:
            room[min(room, key=lambda member_id: (room[member_id] + 1) / capacities[member_id])] += 1

        owners = {
            (topic_id, number): member_id
            for member_id, member in group.members.items()
            for topic_id, numbers in member.target.items()
            for number in numbers
        }
        shares: dict[str, dict[TopicId, set[int]]] = {member_id: {} for member_id in room}
        for topic_id, number in sorted(partitions, key=lambda partition: partition not in owners):
            owner = owners.get((topic_id, number))
            taker = owner if owner is not None and room[owner] else max(room, key=lambda each: room[each])
            room[taker] -= 1
            shares[taker].setdefault(topic_id, set()).add(number)
        return GroupAssignment({member_id: MemberAssignment(share) for member_id, share in shares.items()})


def read(servers: str, topic: str, member: int, capacity: Any, stop: Any, reports: Any) -> None:
    """Be a member, in a process of its own: report each record, and how many partitions there are to read."""
    assignor = ByCapacity(capacity.value)
    with Consumer(
        bootstrap_servers=servers, group_id="billing", auto_offset_reset="earliest", group_local_assignors=assignor
    ) as consumer:
        consumer.subscribe([topic])
        while not stop.is_set():
            records = [(record.partition, record.offset) for record in consumer.poll(timeout=0.1)]
            reports.put((member, len(consumer.assignment()), records))
            assignor.capacity = capacity.value


@contextmanager
def written_to(servers: str, topic: str) -> Iterator[None]:
    """Write records as long as the block runs."""
    command = [*PRODUCE, topic, "--bootstrap-servers", servers]
    over = threading.Event()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as producer:
        assert producer.stdin is not None

        def write() -> None:
            number = 0
            while not over.wait(0.02):
                producer.stdin.write("".join(f"order {number + index}\n" for index in range(100)))
                producer.stdin.flush()
                number += 100
            producer.stdin.close()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            yield
        finally:
            over.set()
            writer.join()


def main() -> None:
    arguments = parse_arguments(__doc__)
    topic, spawn = arguments.topic, get_context("spawn")
    wanted = min(arguments.max_messages, 20_000)
    reports, stop, capacities = spawn.Queue(), spawn.Event(), [spawn.Value("i", 1) for _ in range(MEMBERS)]
    shares: dict[int, int] = {}
    came: Counter[tuple[int, int]] = Counter()

    def follow(until: Any) -> None:
        while not until():
            member, share, records = reports.get(timeout=60)
            shares[member] = share
            came.update(records)

    with Cluster(config=BROKER) as cluster:
        servers = cluster.bootstrap_servers
        cluster.create_topic(topic, partitions=PARTITIONS)
        members = [
            spawn.Process(target=read, args=(servers, topic, number, capacity, stop, reports))
            for number, capacity in enumerate(capacities)
        ]
        for process in members:
            process.start()
        with written_to(servers, topic):
            follow(lambda: shares == dict.fromkeys(range(MEMBERS), 3))
            print("capacities 1 1 1 1: partitions", *(shares[number] for number in range(MEMBERS)), flush=True)
            capacities[0].value = 3
            follow(lambda: shares == {0: 6, 1: 2, 2: 2, 3: 2})
            print("capacities 3 1 1 1: partitions", *(shares[number] for number in range(MEMBERS)), flush=True)
            follow(lambda: came.total() >= wanted)
        ends = end_offsets(servers, topic)
        follow(lambda: came.total() >= sum(ends.values()))
        stop.set()
        for process in members:
            process.join()
    there = {(partition, offset) for partition, end in ends.items() for offset in range(end)}
    assert set(came) == there, f"lost: {len(there - set(came))}"
    assert set(came.values()) == {1}, f"read twice: {sum(came.values()) - len(came)}"
    print(f"{len(there)} records, each read once by one of {MEMBERS} processes")


def end_offsets(servers: str, topic: str) -> dict[int, int]:
    with Consumer(bootstrap_servers=servers) as consumer:
        ends = consumer.end_offsets([TopicPartition(topic, number) for number in range(PARTITIONS)])
    return {partition.partition: end for partition, end in ends.items()}


if __name__ == "__main__":
    main()

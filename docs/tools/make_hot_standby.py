"""The picture of docs/guides/hot-standby.md: an active member is killed, without and with a standby.

    python docs/tools/make_hot_standby.py

The members are processes, on the embedded broker. Before it reads a partition each member loads its state, which takes
half a second: in ``on_partitions_assigned``, or ahead of time in ``on_standby``. Four seconds after the kill another
process is started in place of the first.
"""

from __future__ import annotations

import itertools
import json
import multiprocessing
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

from pictures import new_figure, save

from kafka_nextgen import Consumer, GroupAdmin, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.testing import Cluster

PLOT = Path(__file__).parents[1] / "guides" / "plots" / "hot-standby.svg"
TOPIC, PARTITIONS, ACTIVE = "orders", 6, 3
SETTINGS = {
    "group.consumer.min.session.timeout.ms": "2000",
    "group.consumer.session.timeout.ms": "2000",
    "group.consumer.min.heartbeat.interval.ms": "200",
    "group.consumer.heartbeat.interval.ms": "500",
}
LOAD_S, REPLACED_S, SETTLED_S, SHOWN_S = 0.5, 4.0, 3.0, 12.0
RECORDS_A_SECOND, PAUSE_S = 20, 0.25  # of each partition
KILLED = 1
COLOURS = ("#2a6f97", "#e09f3e", "#7b9e4b", "#9a5ba5", "#d1495b")
TITLES = {False: "without a standby", True: "with a standby: group.target.size=3"}

#: When a member read a record of a partition: seconds, the member's number, the partition.
Read = tuple[float, int, int]


class Loads(RebalanceListener):
    """Loads the state of partitions, once each."""

    def __init__(self) -> None:
        self._loaded: set[TopicPartition] = set()

    def on_partitions_assigned(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._load(partitions)

    def on_standby(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        self._load(partitions)

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        consumer.commit()
        self._loaded -= set(partitions)

    def _load(self, partitions: Sequence[TopicPartition]) -> None:
        time.sleep(LOAD_S * len(set(partitions) - self._loaded))
        self._loaded |= set(partitions)


def consume(servers: str, group: str, number: int, path: Path) -> None:
    """One member; each line of its file is a batch of records."""
    with (
        path.open("w", buffering=1) as file,
        Consumer(bootstrap_servers=servers, group_id=group, client_id=f"member {number}") as consumer,
    ):
        consumer.subscribe([TOPIC], Loads())
        while True:
            if records := consumer.poll(0.05):
                partitions = sorted({record.partition for record in records})
                file.write(json.dumps([time.time(), number, partitions]) + "\n")


def produce(servers: str, ends: threading.Event) -> None:
    from kafka import KafkaProducer

    producer = KafkaProducer(bootstrap_servers=servers, linger_ms=5)
    while not ends.wait(1 / RECORDS_A_SECOND):
        for partition in range(PARTITIONS):
            producer.send(TOPIC, b"order", partition=partition)
    producer.close()


def kill_one(cluster: Cluster, group: str, folder: Path, *, with_standby: bool) -> tuple[float, list[Read]]:
    """Run the group, kill an active member, start another; return when it was killed, and all that was read."""
    members: list[BaseProcess] = []

    def start() -> None:
        number = len(members)
        arguments = (cluster.bootstrap_servers, group, number, folder / f"{group}-{number}")
        members.append(multiprocessing.get_context("spawn").Process(target=consume, args=arguments))
        members[-1].start()

    with GroupAdmin(bootstrap_servers=cluster.bootstrap_servers) as admin:
        if with_standby:
            admin.alter_config(group, {"group.target.size": ACTIVE})
        for _ in range(ACTIVE + with_standby):
            start()
            time.sleep(SETTLED_S + LOAD_S * PARTITIONS)
        killed_at = time.time()
        members[KILLED].kill()
        time.sleep(REPLACED_S)
        start()
        time.sleep(SHOWN_S - REPLACED_S)
    for member in members:
        member.kill()
        member.join()
    return killed_at, [read for path in sorted(folder.glob(f"{group}-*")) for read in reads_in(path)]


def reads_in(path: Path) -> list[Read]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(at, number, partition) for at, number, partitions in lines for partition in partitions]


def stretches(reads: Sequence[Read]) -> Iterator[tuple[float, float, int, int]]:
    """From when to when a member read a partition without a pause: both times, its number, and the partition."""
    by_reader = sorted(reads, key=lambda read: (read[2], read[1], read[0]))
    for (number, partition), of_one in itertools.groupby(by_reader, key=lambda read: read[1:]):
        began = ended = -1.0
        for at, _, _ in of_one:
            if at > ended + PAUSE_S:
                if ended > 0:
                    yield began, ended, number, partition
                began = at - 1 / RECORDS_A_SECOND
            ended = at
        yield began, ended, number, partition


def longest_gap_s(reads: Sequence[Read], killed_at: float, partition: int) -> float:
    """How long (seconds) nothing was read of a partition, at most, from just before the kill on."""
    times = sorted(at for at, _, read in reads if read == partition and at > killed_at - 1)
    return max(after - before for before, after in itertools.pairwise(times))


def draw(runs: dict[bool, tuple[float, list[Read]]], path: Path) -> None:
    """Who reads each partition, seconds from the kill on."""
    figure = new_figure(8, 4.6)
    for axes, (with_standby, (killed_at, reads)) in zip(figure.subplots(2, 1, sharex=True), runs.items(), strict=True):
        for began, ended, number, partition in stretches(reads):
            axes.barh(partition, ended - began, left=began - killed_at, height=0.7, color=COLOURS[number], linewidth=0)
        axes.axvline(0, color="#c1121f", linewidth=1)
        axes.set_title(TITLES[with_standby], loc="left", fontsize=9)
        axes.set_yticks(range(PARTITIONS), [f"{TOPIC}[{number}]" for number in range(PARTITIONS)], fontsize=8)
        axes.invert_yaxis()
        names = [f"member {number + 1}" for number in range(ACTIVE)] + ["the standby"] * with_standby
        for colour, name in zip(COLOURS, [*names, "the process started instead"], strict=False):
            axes.plot([], [], color=colour, linewidth=6, label=name)
        axes.plot([], [], color="#c1121f", linewidth=1, label=f"member {KILLED + 1} is killed")
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    axes.set_xlim(-2, SHOWN_S)
    axes.set_xlabel("seconds")
    save(figure, path)


def main() -> None:
    runs = {}
    ends = threading.Event()
    with Cluster(config=SETTINGS) as cluster, tempfile.TemporaryDirectory() as folder:
        cluster.create_topic(TOPIC, PARTITIONS)
        producing = threading.Thread(target=produce, args=(cluster.bootstrap_servers, ends))
        producing.start()
        for with_standby, title in TITLES.items():
            group = f"billing-{with_standby}"
            runs[with_standby] = killed_at, reads = kill_one(cluster, group, Path(folder), with_standby=with_standby)
            gaps = [longest_gap_s(reads, killed_at, number) for number in range(PARTITIONS)]
            print(
                f"{title}; longest time without a record of each partition: {', '.join(f'{gap:.1f} s' for gap in gaps)}"
            )
        ends.set()
        producing.join()
    draw(runs, PLOT)


if __name__ == "__main__":
    main()

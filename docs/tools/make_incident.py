"""The incident of docs/operations/rebalance-history.md: provokes it, keeps its history, and draws it.

    python docs/tools/make_incident.py [DIRECTORY]

Two consumers share six partitions, and a third one joins. The callback of ``worker-1`` takes three seconds, because it
flushes a cache. All of the group waits for it, and what it gives up stands still. The logs stay in DIRECTORY.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pictures import new_figure, save

from kafka_nextgen import AsyncGroupAdmin, Consumer, FileSink, RebalanceConsumer, RebalanceListener, TopicPartition
from kafka_nextgen.collecting.collector import Collector, GroupFilter, new_source
from kafka_nextgen.history.analysis import analyze
from kafka_nextgen.history.facts import Holdup, LagPoint, Rebalance, Standstill, Tenure
from kafka_nextgen.history.log_reader import Problems, read_log
from kafka_nextgen.testing import Cluster

PLOT = Path(__file__).parents[1] / "operations" / "plots" / "incident.svg"
TOPIC, GROUP, PARTITIONS = "orders", "billing", 6
SETTINGS = {"group.consumer.min.heartbeat.interval.ms": "200", "group.consumer.heartbeat.interval.ms": "200"}
FLUSH_S = 3.0
RECORDS_A_SECOND = 300
COLOURS = ("#2a6f97", "#e09f3e", "#7b9e4b", "#9a5ba5")


class FlushesFirst(RebalanceListener):
    """The slow callback."""

    def on_partitions_revoked(self, consumer: RebalanceConsumer, partitions: Sequence[TopicPartition]) -> None:
        time.sleep(FLUSH_S)
        consumer.commit()


def consume(servers: str, name: str, logs: Path, listener: RebalanceListener | None, ends: threading.Event) -> None:
    with Consumer(
        bootstrap_servers=servers,
        group_id=GROUP,
        client_id=name,
        auto_offset_reset="earliest",
        auto_commit_interval_ms=250,
        history_log_dir=str(logs),
    ) as consumer:
        consumer.subscribe([TOPIC], listener)
        while not ends.is_set():
            consumer.poll(0.1)


def produce(servers: str, ends: threading.Event) -> None:
    from kafka import KafkaProducer

    producer = KafkaProducer(bootstrap_servers=servers, linger_ms=20)
    number = 0
    while not ends.wait(1 / RECORDS_A_SECOND):
        producer.send(TOPIC, b"order", partition=number % PARTITIONS)
        number += 1
    producer.close()


def collect(servers: str, logs: Path, ends: threading.Event) -> None:
    async def run() -> None:
        sink = FileSink(logs / "poller.jsonl")
        async with AsyncGroupAdmin(bootstrap_servers=servers) as admin:
            await Collector(admin, sink, new_source("docs"), GroupFilter([GROUP])).run(0.25, ends.is_set)
        sink.close()

    asyncio.run(run())


def provoke(logs: Path) -> None:
    """Run the incident; its logs are in ``logs`` afterwards."""
    ends = threading.Event()
    with Cluster(config=SETTINGS) as cluster:
        servers = cluster.bootstrap_servers
        cluster.create_topic(TOPIC, PARTITIONS)
        threads: list[threading.Thread] = []

        def begin(run: Callable[..., None], *arguments: object) -> None:
            threads.append(threading.Thread(target=run, args=(servers, *arguments, ends)))
            threads[-1].start()

        begin(collect, logs)
        begin(produce)
        begin(consume, "worker-2", logs, None)
        time.sleep(2)  # so that it is worker-2 that gives up what worker-1 gets
        begin(consume, "worker-1", logs, FlushesFirst())
        time.sleep(4)
        begin(consume, "worker-3", logs, None)
        time.sleep(8)
        ends.set()
        for thread in threads:
            thread.join()


def draw(facts: Any, path: Path) -> None:
    """Owners by partition, the lag below."""
    tenures = [each for each in facts["tenures"] if isinstance(each, Tenure)]
    began = min(each.began for each in tenures)
    ended = max(each.ended or 0 for each in tenures)
    clients = {each.member: each.client for each in facts["members"]}
    names = sorted({name for name in clients.values() if name})
    figure = new_figure(8, 4.2)
    lanes, lag = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    for tenure in tenures:
        name = clients.get(tenure.member) or tenure.member
        width = (tenure.ended or ended) - tenure.began
        lanes.barh(tenure.partition, width / 1000, left=(tenure.began - began) / 1000, height=0.7,
                   color=COLOURS[names.index(name) % len(COLOURS)])  # fmt: skip
    for still in facts["standstills"]:
        assert isinstance(still, Standstill)
        if still.ms and still.ended and still.ended < ended:
            lanes.barh(still.partition, still.ms / 1000, left=(still.began - began) / 1000, height=0.7,
                       facecolor="none", edgecolor="#c1121f", hatch="////")  # fmt: skip
    lanes.set_yticks(range(PARTITIONS), [f"{TOPIC}[{number}]" for number in range(PARTITIONS)])
    lanes.invert_yaxis()
    for colour, name in zip(COLOURS, names, strict=False):
        lanes.plot([], [], color=colour, linewidth=6, label=name)
    lanes.plot([], [], color="#c1121f", linewidth=1, label="stands still")
    lanes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    points = [each for each in facts["lags"] if isinstance(each, LagPoint) and each.at < ended]
    times = sorted({each.at for each in points})
    total = [sum(each.lag or 0 for each in points if each.at == at) for at in times]
    lag.plot([(at - began) / 1000 for at in times], total, color="#444444")
    lag.set_xlim(0, (times[-1] - began) / 1000)
    lag.set_ylabel("lag, records")
    lag.set_xlabel("seconds")
    save(figure, path)


def tell(facts: Any) -> None:
    """Print what the page says of the last rebalance."""
    names = {each.member: each.client for each in facts["members"]}
    last: Rebalance = max(
        (each for each in facts["rebalances"] if each.cause == "member joined"), key=lambda each: each.epoch
    )
    assert last.ended is not None
    print(f"epoch {last.epoch}: {last.cause}, {names[last.by]}; {last.ended - last.began} ms, {last.moved} moved, "
          f"{last.needless} needlessly, each has {last.fewest} to {last.most}; "
          f"lag {last.lag_before} -> {last.lag_after}; held up by {names[last.holder]}: {last.held_by}")  # fmt: skip
    for holdup in facts["holdups"]:
        assert isinstance(holdup, Holdup)
        if holdup.epoch == last.epoch:
            print(f"{names[holdup.member]} came after {holdup.ended - holdup.began} ms: "
                  f"processing {holdup.processing_ms}, commit {holdup.commit_ms}, callback {holdup.callback_ms}, "
                  f"coordinator {holdup.coordinator_ms}")  # fmt: skip
    for still in facts["standstills"]:
        assert isinstance(still, Standstill)
        if still.epoch == last.epoch and still.ended is not None:
            print(f"{still.topic}[{still.partition}] stood still for {still.ms} ms, "
                  f"{names[still.former]} -> {names[still.member]}")  # fmt: skip


def main() -> None:
    logs = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp(prefix="incident-"))
    logs.mkdir(parents=True, exist_ok=True)
    provoke(logs)
    problems = Problems()
    facts = analyze(read_log([logs], problems)).facts
    assert not problems, problems
    tell(facts)
    print(f"logs: {logs}")
    draw(facts, PLOT)


if __name__ == "__main__":
    main()

"""Heartbeats per second that a coordinator serves: in the machine, and over TCP next to real Kafka.

Run as ``python -m benchmarks.heartbeats`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. In the machine there are no bytes around the coordinator: groups at rest, and groups in
which a member leaves and joins again and again. Over TCP a group at rest heartbeats over some connections, to our
broker and to Kafka in turns; whoever asks is one thread of this process and no part of what is measured, but it takes
its share of the machine. The ratio is our heartbeats per second over Kafka's.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing

import click
from attrs import frozen

from benchmarks.heartbeating.brokers import our_broker
from benchmarks.heartbeating.machine import MachineGroup
from benchmarks.heartbeating.tcp import TcpGroup
from benchmarks.kafka import create_topic, kafka
from benchmarks.page import about_the_run, per_second, ratio, table, write_section

PARTITIONS_PER_MEMBER = 10
WARM_UP_S = 1.5


@frozen
class InTheMachine:
    """Heartbeats per second of each round."""

    members: int
    at_rest: Sequence[float]
    rebalancing: Sequence[float]


@frozen
class OverTcp:
    """Heartbeats per second of each round."""

    members: int
    connections: int
    ours: Sequence[float]
    kafkas: Sequence[float]


def in_the_machine(members: int, rounds: int, round_s: float) -> InTheMachine:
    group = MachineGroup(members * PARTITIONS_PER_MEMBER)
    group.grow(members)
    at_rest = [_rate(group, group.beat_all, round_s) for _ in range(rounds)]
    rebalancing = [_rate(group, group.replace_one, round_s) for _ in range(rounds)]
    return InTheMachine(members, at_rest, rebalancing)


def _rate(group: MachineGroup, work: Callable[[], object], seconds: float) -> float:
    """Heartbeats per second that this thread had a core."""
    before, begin = group.heartbeats, time.thread_time()
    now = begin
    while now < begin + seconds:
        work()
        now = time.thread_time()
    return (group.heartbeats - before) / (now - begin)


def over_tcp(version: str, members: int, connections: Iterable[int], rounds: int, round_s: float) -> Iterator[OverTcp]:
    with our_broker() as ours, kafka(None, version) as kafkas:
        topics = [create_topic(servers, members) for servers in (ours, kafkas)]
        for count in connections:
            with (
                closing(TcpGroup(ours, topics[0], members, count)) as our_group,
                closing(TcpGroup(kafkas, topics[1], members, count)) as kafkas_group,
            ):
                for group in (our_group, kafkas_group):
                    group.rate(WARM_UP_S)
                rates = [(our_group.rate(round_s), kafkas_group.rate(round_s)) for _ in range(rounds)]
            yield OverTcp(members, count, *zip(*rates, strict=True))


def machine_table(measured: Iterable[InTheMachine]) -> str:
    rows = [(str(one.members), per_second(one.at_rest), per_second(one.rebalancing)) for one in measured]
    return table(("members", "at rest, per second", "rebalancing, per second"), rows)


def tcp_table(measured: Iterable[OverTcp]) -> str:
    rows = [
        (
            str(one.connections),
            str(one.members),
            per_second(one.ours),
            per_second(one.kafkas),
            f"{ratio(one.ours, one.kafkas):.2g}",
        )
        for one in measured
    ]
    return table(("connections", "members", "ours, per second", "Kafka, per second", "ratio"), rows)


@click.command(help=__doc__)
@click.option("--kafka", "version", default="4.4.0", show_default=True, help="The peer.")
@click.option("--members", multiple=True, default=(1, 10, 100, 1000), show_default=True, help="In the machine.")
@click.option("--tcp-members", default=100, show_default=True, help="Over TCP.")
@click.option("--connections", multiple=True, default=(1, 4, 16), show_default=True)
@click.option("--rounds", default=7, show_default=True)
@click.option("--round-s", default=0.7, show_default=True)
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    version: str,
    members: Sequence[int],
    tcp_members: int,
    connections: Sequence[int],
    rounds: int,
    round_s: float,
    write: bool,
) -> None:
    load = os.getloadavg()[0]
    machine = [in_the_machine(count, rounds, round_s) for count in members]
    tcp = list(over_tcp(version, tcp_members, connections, rounds, round_s))
    body = "\n\n".join(
        [
            about_the_run(f"Kafka {version}", load=load),
            f"In the machine, with {PARTITIONS_PER_MEMBER} partitions for each member:",
            machine_table(machine),
            "Over TCP, a group at rest:",
            tcp_table(tcp),
        ]
    )
    print(body)
    if write:
        write_section("heartbeats", body)


if __name__ == "__main__":
    main()

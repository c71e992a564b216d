"""What a member and a partition cost a coordinator in memory.

Run as ``python -m benchmarks.coordinator_memory`` from the root of the repository; ``--write`` puts the figures on the
page docs/benchmarks/index.md. Groups form by heartbeats in a coordinator of their own, and when they are at rest,
what ``tracemalloc`` has seen allocated for it is counted. A member's cost is what more members make of the same number
of partitions, a partition's cost what more partitions make of the same number of members.
"""

from __future__ import annotations

import gc
import os
import tracemalloc
from collections.abc import Sequence
from itertools import product

import click
from attrs import frozen

from benchmarks.heartbeating.machine import MachineGroup
from benchmarks.page import about_the_run, table, write_section


@frozen
class Measured:
    """A coordinator with one group at rest; ``allocated`` is in bytes."""

    members: int
    partitions: int
    allocated: int


def measure(members: int, partitions: int) -> Measured:
    gc.collect()
    tracemalloc.start()
    try:
        group = MachineGroup(partitions)
        group.grow(members)
        group.members.clear()  # the members' own side of it
        gc.collect()
        allocated, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return Measured(members, partitions, allocated)


def per_member(few: Measured, many: Measured) -> float:
    return (many.allocated - few.allocated) / (many.members - few.members)


def per_partition(few: Measured, many: Measured) -> float:
    return (many.allocated - few.allocated) / (many.partitions - few.partitions)


def report(grid: dict[tuple[int, int], Measured], members: Sequence[int], partitions: Sequence[int]) -> str:
    rows = [(str(one.members), str(one.partitions), f"{one.allocated / 1e6:.2f}") for one in grid.values()]
    by_member = [f"{per_member(grid[members[0], count], grid[members[1], count]):,.0f}" for count in partitions]
    by_partition = [
        f"{per_partition(grid[count, partitions[0]], grid[count, partitions[1]]):,.0f}" for count in members
    ]
    return "\n\n".join(
        [
            table(("members", "partitions", "allocated, MB"), rows),
            f"A member takes {by_member[0]} bytes where there are {partitions[0]} partitions, and {by_member[1]} where "
            f"there are {partitions[1]}. A partition takes {by_partition[0]} bytes with {members[0]} members, "
            f"and {by_partition[1]} with {members[1]}.",
        ]
    )


@click.command(help=__doc__)
@click.option("--members", nargs=2, type=int, default=(1000, 10_000), show_default=True, help="Few and many.")
@click.option("--partitions", nargs=2, type=int, default=(10_000, 100_000), show_default=True, help="Few and many.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(members: tuple[int, int], partitions: tuple[int, int], write: bool) -> None:
    load = os.getloadavg()[0]
    grid = {size: measure(*size) for size in product(members, partitions)}
    body = f"{about_the_run(load=load)}\n\n{report(grid, members, partitions)}"
    print(body)
    if write:
        write_section("coordinator_memory", body)


if __name__ == "__main__":
    main()

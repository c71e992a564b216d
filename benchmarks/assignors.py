"""How long our assignors take, next to Kafka's own, called from its jar in a Java that has been warmed up.

Run as ``python -m benchmarks.assignors`` from the root of the repository; ``--write`` puts the figures on the page
docs/benchmarks/index.md. Each group is assigned by both in turns. Milliseconds are of the assigning thread's time on
a core, the median of the rounds with the shortest and the longest; the ratio is our median over Kafka's. The target is
3, the limit 10.

The rack-aware and the weighted assignor have no counterpart in Kafka; their groups have racks, or report capacities and
weights (``benchmarks/assigning/circumstances.py``).

Both sides get the group as their coordinators hold it, and what it takes to get there is not counted. Kafka's gets
plain sets of topic ids, which is quicker for it than the names that its coordinator resolves on the way.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from statistics import median

import click

from benchmarks.assigning.groups import Result, Shape
from benchmarks.assigning.run import Measured, measure, shapes_of_growth, shapes_of_sizes
from benchmarks.page import about_the_run, in_ms, ratio, table, write_section

TARGET, LIMIT = 3, 10


def sizes_table(measured: Iterable[Measured]) -> str:
    """Of the groups that Kafka assigned as well."""
    names = ("group", "members", "change", "ours, ms", "Kafka's, ms", "ratio", "loads", "Kafka's", "moved", "Kafka's")
    return table(names, (_beside(one, one.kafkas) for one in measured if one.kafkas))


def own_table(measured: Iterable[Measured]) -> str:
    """Of the groups for which Kafka has no assignor."""
    names = ("group", "members", "change", "ms", "loads", "moved")
    rows = ((*_which(one), _loads(one.ours), str(one.ours.moved)) for one in measured if not one.kafkas)
    return table(names, rows)


def _beside(one: Measured, kafkas: Result) -> tuple[str, ...]:
    times = in_ms(one.kafkas_s), f"{ratio(one.ours_s, one.kafkas_s):.2g}"
    return (*_which(one), *times, _loads(one.ours), _loads(kafkas), str(one.ours.moved), str(kafkas.moved))


def _which(one: Measured) -> tuple[str, ...]:
    """The group, and how long ours took."""
    change = {"none": "full", "join": "one joins", "leave": "one leaves"}[one.shape.change]
    return _kind(one.shape), str(one.shape.members), change, in_ms(one.ours_s)


def growth_table(measured: Sequence[Measured]) -> str:
    """Microseconds per partition, by the size of the group."""
    sizes = sorted({one.shape.members for one in measured})
    rows: dict[str, list[str]] = {}
    for one in measured:
        partitions = one.shape.topics * one.shape.partitions
        for side, seconds in (("ours", one.ours_s), ("Kafka's", one.kafkas_s)):
            per_partition = median(seconds) / partitions * 1e6
            rows.setdefault(f"{_kind(one.shape)}, {side}", []).append(f"{per_partition:.2g}")
    names = ["µs per partition", *(f"{members} members, {members * 10} partitions" for members in sizes)]
    return table(names, ([name, *values] for name, values in rows.items()))


def _kind(shape: Shape) -> str:
    return f"{shape.assignor}, {shape.subscriptions}"


def _loads(result: Result) -> str:
    return f"{result.fewest:.5g}..{result.most:.5g}"


def verdict(measured: Iterable[Measured]) -> str:
    """The largest ratio, and how many groups are within the target."""
    ratios = _ratios(measured)
    within = sum(times <= TARGET for times in ratios)
    worst = f"{max(ratios):.2g}"
    return f"{within} of {len(ratios)} groups take at most {TARGET} times as long as Kafka's; the worst {worst}."


def _ratios(measured: Iterable[Measured]) -> Sequence[float]:
    """Of the groups that Kafka assigned as well."""
    return [ratio(one.ours_s, one.kafkas_s) for one in measured if one.kafkas]


@click.command(help=__doc__)
@click.option("--kafka", "version", default="4.4.0", show_default=True, help="Whose assignors to run.")
@click.option("--members", multiple=True, default=(1000, 10_000), show_default=True, help="Sizes of groups.")
@click.option("--partitions", default=100_000, show_default=True, help="Of all topics together.")
@click.option("--topics", default=100, show_default=True)
@click.option("--rounds", default=9, show_default=True)
@click.option("--warm-up-s", default=1.5, show_default=True, help="For Java, before each group.")
@click.option("--write", is_flag=True, help="Put the figures on the page.")
def main(
    version: str, members: Sequence[int], partitions: int, topics: int, rounds: int, warm_up_s: float, write: bool
) -> None:
    load = os.getloadavg()[0]
    sizes = list(measure(shapes_of_sizes(members, partitions, topics), version, rounds, warm_up_s))
    steps = [partitions // 10 // share for share in (8, 4, 2, 1)]
    growth = list(measure(shapes_of_growth(steps, topics), version, rounds, warm_up_s))
    body = "\n\n".join(
        [
            about_the_run(f"Kafka {version}", load=load),
            f"{partitions} partitions of {topics} topics. {verdict(sizes)}",
            sizes_table(sizes),
            own_table(sizes),
            "Growth, new groups with ten partitions for each member:",
            growth_table(growth),
        ]
    )
    print(body)
    if write:
        write_section("assignors", body)
    if max(_ratios(sizes)) > LIMIT:
        sys.exit(f"an assignor took more than {LIMIT} times as long as Kafka's")


if __name__ == "__main__":
    main()

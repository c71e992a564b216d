"""The text of the page of rates, which is written with its figures."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from benchmarks.pacing.cases import BY_PARTITIONS, BY_RATE
from benchmarks.pacing.report import BEYOND, KEEPS_UP

__all__ = ["PAGE_NAME", "in_menu", "page_text"]

PAGE_NAME = "rates"

_PAGE = """\
# Rates and partitions

`python -m benchmarks.rates` measures what a record costs a consumer that waits for records, and how long a record takes
from just before the producer's call to the handler.

- Records of 100 bytes are written at a steady rate, with `linger.ms=0`, to a broker on the same machine.
- All partitions are assigned, so that no client is in a group, and nothing is committed. The exception is `run`, which
  needs a group for its commits, and makes one every five seconds.
- Clients have their default configuration. Java has `group.protocol=consumer`.
- Each client is a process of its own, except that Java keeps its process for all rounds: neither its start nor its
  compiler counts.
- *CPU* is the processor time of all threads of the client's process, from the first record of a round to the last,
  divided by these records. Each round begins after at least a second that does not count.
- All clients take turns, in {rounds} rounds.

The first row of a table has the figures of confluent-kafka's `poll()`: the median of the rounds, with their minimum and
maximum in brackets. The other rows have the ratio to it: of the medians, and in brackets the lowest and the highest of
a round. Below 1 is less than confluent-kafka's. A percentile is left out if fewer than {beyond} records of all rounds
together are beyond it. A client is *behind* if it handles less than {keeps_up:.0%} of the records that confluent-kafka
handles in the same time; its delays grow as long as a round lasts.

{run}

## By rate

{rate_partitions} partitions.

{rates}

![CPU and delays by records a second, of each client](plots/rates-by-rate.svg)

## By partitions

{partitions_rate:,} records a second, to all partitions in turns.

{partitions}

![CPU and delays by the number of partitions, of each client](plots/rates-by-partitions.svg)

## Idle

{idle_partitions:,} partitions to which nothing is written: the processor time of a second of waiting.

{idle}

![CPU of an idle consumer, in milliseconds per second, of each client](plots/rates-idle.svg)
"""


def page_text(rounds: int, idle_partitions: int, figures: Mapping[str, str]) -> str:
    """The page with its figures, which are those of ``benchmarks.rates.figures``."""
    return _PAGE.format(
        rounds=rounds,
        beyond=BEYOND,
        keeps_up=KEEPS_UP,
        rate_partitions=BY_RATE[0].partitions,
        partitions_rate=BY_PARTITIONS[0].records_per_s,
        idle_partitions=idle_partitions,
        **figures,
    )


def in_menu() -> str:
    """The link to the page, and its place in the menu."""
    return dedent(
        f"""\
        The figures are on [a page of their own]({PAGE_NAME}.md).

        ```{{toctree}}
        :hidden:

        {PAGE_NAME}
        ```
        """
    )

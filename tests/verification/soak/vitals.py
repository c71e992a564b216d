"""What a process needs of its machine, and whether that stays the same over hours."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import fmean, median_low

from attrs import asdict, frozen

from kafka_nextgen import AsyncConsumer, Consumer

_PAGE = os.sysconf("SC_PAGE_SIZE")
#: How much more memory and how many more blocks of it there may be: a share, and so many bytes or blocks beside it.
_SLACK = 0.04
_MEMORY_SLACK, _BLOCKS_SLACK = 1_000_000, 1_000
_UNDER_WAY = 1  # tasks of requests, of which one quarter may have more than another
#: What the names of threads that decode begin with. They come with the first large answer, perhaps late, and stay.
_DECODER = "kafka-nextgen-decoder"


@frozen
class Vitals:
    """One moment: ``tasks`` are those of the consumers' I/O threads, ``rebalances`` and ``records`` all until now.

    ``threads`` are all but those that decode, of which a consumer has as many as it needs, up to a limit. ``blocks``
    are the pieces of memory that objects take.
    """

    memory: int
    descriptors: int
    threads: int
    tasks: int
    blocks: int
    rebalances: int
    records: int

    def as_dict(self) -> dict[str, int]:
        return asdict(self)


def read_vitals(consumers: Collection[Consumer | AsyncConsumer], rebalances: int, records: int) -> Vitals:
    """Return what this process needs right now, after a collection of garbage."""
    gc.collect()
    return Vitals(
        memory=int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE,
        descriptors=len(os.listdir("/proc/self/fd")),
        threads=sum(not thread.name.startswith(_DECODER) for thread in threading.enumerate()),
        tasks=sum(len(asyncio.all_tasks(each._core.engine.thread._loop)) for each in consumers),
        blocks=sys.getallocatedblocks(),  # gc.get_objects() would break a tuple that another thread is just making
        rebalances=rebalances,
        records=records,
    )


@frozen
class Drift:
    """What one figure of one process was in the second quarter of its life, and in the last."""

    member: str
    figure: str
    before: float
    after: float
    is_flat: bool


def drifts(member: str, samples: Sequence[Vitals]) -> list[Drift]:
    """Compare the quarters: means of memory, medians of what comes and goes."""
    quarter = len(samples) // 4
    second, last = samples[quarter : 2 * quarter], samples[-quarter:]
    found: list[Drift] = []
    for figure, slack in (("memory", _MEMORY_SLACK), ("blocks", _BLOCKS_SLACK)):
        before, after = (fmean(getattr(each, figure) for each in some) for some in (second, last))
        found.append(Drift(member, figure, before, after, after <= before * (1 + _SLACK) + slack))
    for figure, more in (("descriptors", 0), ("threads", 0), ("tasks", _UNDER_WAY)):
        before, after = (median_low([getattr(each, figure) for each in some]) for some in (second, last))
        found.append(Drift(member, figure, before, after, after <= before + more))
    return found

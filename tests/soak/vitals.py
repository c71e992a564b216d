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
from kafka_nextgen.engine.reading.record_decoder import MOST_THREADS

__all__ = ["Drift", "Vitals", "drifts", "read_vitals"]

_PAGE = os.sysconf("SC_PAGE_SIZE")
#: How much more memory and how many more blocks of it there may be: a share, and so many bytes or blocks beside it.
_SLACK = 0.04
_MEMORY_SLACK, _BLOCKS_SLACK = 1_000_000, 1_000
_UNDER_WAY = 1  # tasks of requests, of which one quarter may have more than another
#: Threads that decode begin one by one, when answers come at once, and stay: perhaps the second one late.
_DECODERS = min(os.cpu_count() or 1, MOST_THREADS) - 1


@frozen
class Vitals:
    """One moment: ``tasks`` are those of the consumers' I/O threads, ``rebalances`` and ``records`` all until now.

    ``blocks`` are the pieces of memory that objects take.
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
        threads=threading.active_count(),
        tasks=sum(len(asyncio.all_tasks(each._core.engine._thread._loop)) for each in consumers),
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
    for figure, more in (("descriptors", 0), ("threads", _DECODERS), ("tasks", _UNDER_WAY)):
        before, after = (median_low([getattr(each, figure) for each in some]) for some in (second, last))
        found.append(Drift(member, figure, before, after, after <= before + more))
    return found

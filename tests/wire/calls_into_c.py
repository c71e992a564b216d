"""Watching calls into C: what memory they keep, and when they release the GIL."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def no_turn_for_others() -> Iterator[None]:
    """A thread runs on until it releases the GIL of its own accord."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def growth_of(use: Callable[[], object]) -> int:
    """By how many bytes the memory grows when something is done two hundred times, at least.

    Other threads of this process have a share in what is seen each time; what is kept is kept every time. So it is done
    again only where more was seen than a byte for each time. All is traced from before the first time: of a table that
    was made before, such as that of the subclasses of object, only the new copy would be seen, as growth.
    """
    tracemalloc.start()
    try:
        held = _held_after(use)
        grown = []
        while not grown or (min(grown) > 200 and len(grown) < 5):
            before, held = held, _held_after(use)
            grown.append(held - before)
        return min(grown)
    finally:
        tracemalloc.stop()


def _held_after(use: Callable[[], object]) -> int:
    for _ in range(200):
        use()
    gc.collect()
    return tracemalloc.get_traced_memory()[0]

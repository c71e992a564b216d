"""``for``: records that lie ready are given out without a line of Python between two of them; then there is a poll.

An exception on the way ends nothing: the next call for a record goes on where that was. A record is taken as
the last thing that is done, so that no signal handler runs between that and the loop that gets it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice

from kafka_nextgen.types import Record

__all__ = ["Refill", "iterate"]

#: What to take the next records from; it may have none.
Refill = Iterator[Record]


def iterate(poll: Callable[[], Refill]) -> Iterator[Record]:
    """A loop. ``poll`` gives what is next, however long it takes, or raises StopIteration."""
    return chain.from_iterable(_runs(poll))  # a chain is written in C


def _runs(poll: Callable[[], Refill]) -> Iterator[Iterator[Record]]:
    """Iterators one after the other. What any of them raises ends neither this nor the chain of them.

    But StopIteration does, as it ends ``one_more``.
    """
    rest: Iterator[Record] = iter(())
    is_over = False

    def begin() -> Record:
        nonlocal rest, is_over
        while True:
            try:
                rest = poll()
            except StopIteration:
                is_over = True
                raise
            for record in rest:
                return record

    one_more = iter(begin, None)
    while not is_over:
        yield islice(one_more, 1)
        yield rest

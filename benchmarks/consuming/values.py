"""The values that are written: order events as JSON, of a given size, each one different.

Numbers and names repeat as they do in real events, and the session of each is random, so that compression finds about
as much as it finds in such data: the page tells the ratio that came of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count, cycle

__all__ = ["values"]

#: How many endings there are; far more than lz4 sees at once (64 KiB).
ENDINGS = 20_011
FIRST_ORDER = 40_000_000
SHORTEST = 90


def values(size: int, seed: int = 1) -> Iterator[bytes]:
    """Values of ``size`` bytes for ever; the same for the same seed."""
    assert size >= SHORTEST, f"a value of {size} bytes has no room for an order: {SHORTEST} are needed"
    dice = random.Random(seed)
    endings = [_ending(dice, size - len(_beginning(FIRST_ORDER))) for _ in range(ENDINGS)]
    for number, ending in zip(count(FIRST_ORDER), cycle(endings), strict=False):
        yield _beginning(number) + ending


def _beginning(number: int) -> bytes:
    return b'{"order":%d,' % number


def _ending(dice: random.Random, size: int) -> bytes:
    customer = 10_000 + int(dice.random() * dice.random() * 90_000)
    sku = f"{dice.choice('ABCDEFGH')}{dice.randrange(1000, 10_000)}"
    known = f'"customer":{customer},"sku":"{sku}","amount":{dice.random() * 500:.2f},"session":"'
    missing = size - len(known) - 2
    return f'{known}{dice.getrandbits(4 * missing):0{missing}x}"}}'.encode()

"""Sound bytes made unsound: the ways of a mutator that knows how Kafka writes numbers.

Everything follows from the random numbers given, so that a seed says which inputs there will be.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from random import Random

#: Numbers at the edges of what fields hold, -1 being null.
_EDGES = (0, 1, 2, 7, 16, 63, 64, 127, 128, 255, 256, 32767, 32768, 65535, 1 << 20, 2**31 - 1, 2**31, 2**32 - 1)
_NUMBERS = (*_EDGES, *(-edge for edge in _EDGES), 2**63 - 1, -(2**63))
_BYTES = (0, 1, 2, 0x7F, 0x80, 0x81, 0xFE, 0xFF)
_WIDTHS = ((">b", 8), (">h", 16), (">i", 32), (">q", 64))
_MOST_STEPS = 5
_LONGEST_RUN = 64
_FILLED_BYTES = 64 * 1024

_Step = Callable[[Random, bytearray, Sequence[bytes]], None]


def mutate(random: Random, data: bytes, others: Sequence[bytes], most_bytes: int) -> bytes:
    """Change ``data`` in one to five ways, pieces of ``others`` among them."""
    out = bytearray(data)
    for _ in range(random.randint(1, _MOST_STEPS)):
        random.choice(_STEPS)(random, out, others)
    return bytes(out[:most_bytes])


def _place(random: Random, data: bytearray) -> int:
    return random.randrange(len(data) + 1)


def _run(random: Random, data: bytearray) -> slice:
    start = _place(random, data)
    return slice(start, start + random.randint(1, _LONGEST_RUN))


def _flip(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _byte(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    if data:
        data[random.randrange(len(data))] = random.choice((*_BYTES, random.randrange(256)))


def _number(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    """Write a number at the edge over what is there."""
    layout, bits = random.choice(_WIDTHS)
    number = (random.choice(_NUMBERS) + random.randint(-1, 1) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))
    packed = struct.pack(layout, number)
    start = _place(random, data)
    data[start : start + len(packed)] = packed


def _nudge(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    """Make a length or count a little longer or shorter than what it counts."""
    if data:
        at = random.randrange(len(data))
        data[at] = (data[at] + random.choice((-2, -1, 1, 2))) % 256


def _varint(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    """Write a varint at the edge over a byte, now and then a longer one than its number needs."""
    raw, out = random.choice(_NUMBERS) % (1 << random.choice((7, 14, 28, 32, 35, 64, 70))), bytearray()
    while raw > 0x7F:
        out.append(0x80 | raw & 0x7F)
        raw >>= 7
    out.append(raw)
    if random.random() < 0.2:
        out[-1] |= 0x80
        out.append(0)
    at = _place(random, data)
    data[at : at + random.randint(0, 1)] = out


def _insert(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    at = _place(random, data)
    data[at:at] = random.randbytes(random.randint(1, 8))


def _remove(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    del data[_run(random, data)]


def _repeat(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    run = _run(random, data)
    data[run.start : run.start] = bytes(data[run]) * random.choice((1, 1, 2, 8))


def _fill(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    """Now and then, repeat something as often as there is room: what costs little once may cost much in numbers."""
    run = _run(random, data)
    if (piece := bytes(data[run])) and random.random() < 0.2:
        data[run.start : run.start] = piece * (_FILLED_BYTES // len(piece))


def _cut(random: Random, data: bytearray, _others: Sequence[bytes]) -> None:
    del data[_place(random, data) :]


def _borrow(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    """Put a piece of another input over what is there, or between."""
    other = bytearray(random.choice(others))
    piece = bytes(other[_run(random, other)])
    at = _place(random, data)
    data[at : at + random.choice((0, len(piece)))] = piece


def _join(random: Random, data: bytearray, others: Sequence[bytes]) -> None:
    """Go on as another input does."""
    other = random.choice(others)
    data[_place(random, data) :] = other[random.randrange(len(other) + 1) :]


_STEPS: Sequence[_Step] = (
    _flip,
    _byte,
    _byte,
    _number,
    _number,
    _nudge,
    _nudge,
    _varint,
    _insert,
    _remove,
    _repeat,
    _fill,
    _cut,
    _borrow,
    _join,
)
